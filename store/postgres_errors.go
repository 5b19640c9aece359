package store

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"track"
)

// Codes of errors: https://www.postgresql.org/docs/current/errcodes-appendix.html
const (
	codeUnique        = "23505"
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeReadOnly      = "25006"
	codeCancelled     = "57014" // by this process, by somebody else, or by its statement_timeout
	codeNoRights      = "42501"
	codeNoDatabase    = "3D000"
	codeTooMany       = "53300"
	codePrepared      = "42P05" // already
	codeNotPrepared   = "26000"
	codeProtocol      = "08P01"
	codeDiskFull      = "53100"
)

// postgresCode returns the code of an error of the server; empty for another error.
func postgresCode(err error) string {
	var failure *pgconn.PgError
	if errors.As(err, &failure) {
		return failure.Code
	}
	return ""
}

// isRepeatable implements [engine]. A key that is taken was taken by a transaction that this one could not see yet.
func (postgresSchema) isRepeatable(err error) bool {
	switch postgresCode(err) {
	case codeSerialization, codeDeadlock, codeUnique:
		return true
	}
	return false
}

// isRefusedByPool reports whether a pool such as PgBouncer does not take a parameter of the URL.
func isRefusedByPool(err error) bool {
	var failure *pgconn.PgError
	return errors.As(err, &failure) && failure.Code == codeProtocol && strings.Contains(failure.Message, "startup parameter") // no code tells
}

// isUnreachable reports whether there is no connection to the server.
func isUnreachable(err error) bool {
	var connecting *pgconn.ConnectError
	var network net.Error
	code := postgresCode(err)
	if isRefusedByTLS(err) || isRefusedByPool(err) {
		return false
	}
	return errors.As(err, &connecting) && code == "" || errors.As(err, &network) || errors.Is(err, errConnection) || errors.Is(err, errNoServer) ||
		strings.HasPrefix(code, "08") || code == "57P01" || code == "57P03"
}

// isRefusedByTLS reports whether a server answers, and is not the one that its URL asks for.
func isRefusedByTLS(err error) bool {
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	return errors.As(err, &certificate) || errors.As(err, &alert) || errors.As(err, &record)
}

func wrongURL(err error) error {
	return track.WithHint(fmt.Errorf("%w: the URL of the database: %w", track.ErrInvalid, err),
		track.Hint{Text: "it reads postgres://USER@HOST/DATABASE?sslmode=verify-full"})
}

// openError implements [engine].
func (p postgresSchema) openError(err error) error {
	if err == nil || errors.Is(err, track.ErrNotFound) {
		return err
	}
	return fmt.Errorf("open %s: %w", p.name, explain(err))
}

// explainStandby says that a server takes no records, where it refused to write.
func explainStandby(err error) error {
	reason := "the server is a standby, which takes no records"
	switch postgresCode(err) {
	case codeNoWriting:
	case codeReadOnly: // of a statement outside a transaction
		reason = "the server is a standby, or its transactions are read-only: it takes no records"
	default:
		return err
	}
	return track.WithHint(fmt.Errorf("%w: %s (%w)", track.ErrDatabase, reason, err),
		track.Hint{Text: "name all servers in the URL, and ask for the one that writes: target_session_attrs=read-write"})
}

// explainPostgres puts errors of PostgreSQL that a user can do something about into words; nil for any other error.
func explainPostgres(err error) error {
	say := func(reason, hint string) error {
		return track.WithHint(fmt.Errorf("%w: %s (%w)", track.ErrDatabase, reason, err), track.Hint{Text: hint})
	}
	switch code := postgresCode(err); {
	case code == codeCancelled:
		return context.Canceled
	case code == codeNoRights:
		return say("the user has no right to do that", "docs/how-to/postgres.md lists the rights of readers and recorders")
	case code == codeNoDatabase:
		return say("the server has no such database", "create it with: createdb NAME")
	case code == codeTooMany:
		return say("the server has no connection left for this user", "try again later; or raise max_connections of the server or CONNECTION LIMIT of the role; or put PgBouncer before the server")
	case code == codePrepared, code == codeNotPrepared:
		return say("a pool such as PgBouncer has lost a prepared statement", "add default_query_exec_mode=exec to the URL")
	case isRefusedByPool(err):
		return track.WithHint(fmt.Errorf("%w: a pool such as PgBouncer refuses a parameter of the URL (%w)", track.ErrDatabase, err), pathOfRole())
	case code == codeDiskFull:
		return say("the disk of the server is full", "free some space and try again; everything acknowledged before is safe")
	case strings.HasPrefix(code, "28"):
		return say("the server refused the user or the password", "keep the password in the file that PGPASSFILE names")
	case isRefusedByTLS(err):
		return say("the server does not prove that it is the one that the URL names", "see sslmode and sslrootcert in docs/how-to/postgres.md")
	case isUnreachable(err):
		return say("the server cannot be reached", "check that it runs, and the host and port of the URL")
	}
	return nil
}

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
