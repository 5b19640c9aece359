package store

// commitment is how to find out later whether a transaction was committed.
type commitment struct {
	number string // of the transaction on its server; empty if there is none
	find   string // a query that reports whether one of its records is there; empty if it has none with a name of its own
	args   []any
}

// Queries for records that have a name of their own.
const (
	findSeedByULID       = `SELECT EXISTS (SELECT 1 FROM seed WHERE ulid = $1)`
	findExecutionByULID  = `SELECT EXISTS (SELECT 1 FROM execution WHERE ulid = $1)`
	findSweepByULID      = `SELECT EXISTS (SELECT 1 FROM sweep WHERE ulid = $1)`
	findRepetitionByULID = `SELECT EXISTS (SELECT 1 FROM repetition WHERE ulid = $1 AND seed_id = (SELECT id FROM seed WHERE ulid = $2))`
	findLookByULID       = `SELECT EXISTS (SELECT 1 FROM look WHERE ulid = $1)`
	findAnnotationByULID = `SELECT EXISTS (SELECT 1 FROM annotation WHERE ulid = $1)`
	findWithdrawalByULID = `SELECT EXISTS (SELECT 1 FROM withdrawal WHERE ulid = $1)`
	findEntryByHash      = `SELECT EXISTS (SELECT 1 FROM ledger WHERE lineage_id = $1 AND number = $2 AND hash = $3)`
)

// added notes a record that the transaction has added: it is there later if the transaction was committed.
func (w *writer) added(find string, args ...any) {
	if w.last.find == "" {
		w.last.find, w.last.args = find, args
	}
}
