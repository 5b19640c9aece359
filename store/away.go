package store

import (
	"errors"
	"strings"
)

// IsUnreachable reports whether an error says that there is no connection to the server of a database.
func IsUnreachable(err error) bool { return err != nil && isUnreachable(err) }

// codeNoWriting is the error of a standby that is to begin a transaction that writes.
const codeNoWriting = "0A000"

// IsAway reports whether an error says that the server of a database takes no records for now, whatever they are: it
// cannot be reached, starts or stops, is a standby, or has no connection, memory or disk left. The same command can
// succeed later. What it was to record may have been recorded.
func IsAway(err error) bool {
	if err == nil {
		return false
	}
	if isUnreachable(err) || errors.Is(err, errLost) || errors.Is(err, errOutcome) || errors.Is(err, errForgot) {
		return true
	}
	code := postgresCode(err)
	return code == codeReadOnly || code == codeNoWriting || strings.HasPrefix(code, "53") || strings.HasPrefix(code, "57P") || strings.HasPrefix(code, "58")
}

// unfitSchema is the error of a schema that this program cannot use as it is.
type unfitSchema struct{ error }

func (e unfitSchema) Unwrap() error { return e.error }

// IsRefused reports whether the server of a database refuses a command whatever it records, and will until somebody
// changes a right, a password or a URL, or the schema.
func IsRefused(err error) bool {
	code := postgresCode(err)
	var unfit unfitSchema
	return err != nil && (errors.As(err, &unfit) || isRefusedByTLS(err) || code == codeNoRights || code == codeNoDatabase || strings.HasPrefix(code, "28"))
}
