package exchange

import "track"

// Rights say what a caller may bring into a database.
type Rights uint8

// The rights.
const (
	BringFacts Rights = iota // what was measured: seeds, executions, sweeps, series, notes and withdrawals
	Owner                    // also what another database decided, judged and forgotten, and when it recorded that
)

// refuse says why a record is not stored.
func refuse(kind string) *track.FieldError {
	return &track.FieldError{
		Field: "kind", Message: "only the owner of the database can bring a " + kind + " of another one: merge the file",
	}
}
