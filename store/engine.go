package store

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
)

// engine is what differs between the databases that a store can lie in: a file of SQLite, or a schema of PostgreSQL.
// Statements number their placeholders $1, $2.
type engine interface {
	// isServer reports whether the structure of tables, free space, and who may read what, is the matter of a server.
	isServer() bool
	// openReaders returns a pool of read-only connections.
	openReaders() (*sqlx.DB, error)
	openWriter(ctx context.Context) (*writer, error)
	// openError explains what opening or creating the database met.
	openError(err error) error

	// lock waits until nobody else writes, where the database leaves that to its programs.
	lock(ctx context.Context) (unlock func(), err error)
	// begin begins a transaction that writes. A relaxed one does not wait for the disk when it commits.
	begin(ctx context.Context, w *writer, relaxed bool) error
	commit(ctx context.Context, w *writer) error
	// isLost reports whether a writer has lost its connection.
	isLost(w *writer) bool
	// isCommitted reports whether a transaction was committed whose connection was lost meanwhile.
	isCommitted(ctx context.Context, last commitment) (bool, error)
	// isRepeatable reports whether a transaction failed because of another one, and may succeed when it is run again.
	isRepeatable(err error) bool
	// sync waits until everything committed is on the disk, relaxed last.
	sync(relaxed commitment) error

	// beginReading begins a transaction that reads one state of the database.
	beginReading() string
	// interruptAtEnd ends the statements that run on a connection once ctx has ended. Release must be called once, before
	// anybody else gets the connection.
	interruptAtEnd(ctx context.Context, conn *sqlx.Conn) (release func())
	// confine takes the rights away from a connection, within a transaction that reads, that a query of the user does
	// not need, and refuses values of more than [largestValue] bytes. Release must be called before the transaction
	// ends.
	confine(ctx context.Context, conn *sqlx.Conn) (release func(), err error)

	// textIndex is how the texts of executions are indexed.
	textIndex() textIndex
	// changes is a query whose one number differs once somebody else has changed the database.
	changes() string
	// horizon is a query for a [horizon].
	horizon() string
	// size is a query for the bytes of the database.
	size() string
	// vacuum gives free space back to the disk. If thorough, nothing that was removed stays in the files.
	vacuum(ctx context.Context, s *Store, thorough bool) error

	// openClaims opens the marks of what processes are working on. On a server, the marks of a process that is not heard
	// of for a lease end.
	openClaims(lease time.Duration) (claims, error)
	// claimed returns the places that processes have claimed.
	claimed(ctx context.Context, r *Reader) ([]int64, error)
}

// claims marks what a process is working on, so that others take something else. Within a process, any number may take
// a place.
type claims interface {
	// take claims one of 2^62 places, unless another process has it.
	take(place int64) (bool, error)
	release(place int64) error
	// hasLapsed reports whether another process may have had a place since this one took it.
	hasLapsed(place int64) (bool, error)
	close() error
}
