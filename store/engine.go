package store

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"track"
)

// engine is what differs between the databases that a store can lie in: a file of SQLite, or a schema of PostgreSQL.
type engine interface {
	// words returns a statement in the words of the database. Statements number their placeholders $1, $2, or write ?
	// for the next one; they say ORDERED JOIN for a join in the order in which it is written, and NOINDEX before a column
	// that is not to choose the index. Of a row of scenario_configuration, {n_seeds} is how many seeds it has, and
	// {has_seeds} whether it has any. What stands in braces behind a comma, as in
	// (seed_id{, configuration_id}), is said to servers alone: there, what belongs to another row has the column that a
	// cluster divides the table by.
	words(statement string) string

	// openReaders returns a pool of read-only connections.
	openReaders() (*sqlx.DB, error)
	openWriter(ctx context.Context) (*writer, error)

	// lock waits until nobody else writes, where the database leaves that to its programs.
	lock(ctx context.Context) (unlock func(), err error)
	// begin begins a transaction that writes. A relaxed one does not wait for the disk when it commits.
	begin(ctx context.Context, w *writer, relaxed bool) error
	// count notes that a scenario has n more seeds of a configuration, at the end of a transaction.
	count(t *Tx, p pair, n int64) error
	// commit commits the transaction of a writer.
	commit(ctx context.Context, w *writer) error
	// isLost reports whether a writer has lost its connection.
	isLost(w *writer) bool
	// isCommitted reports whether a transaction was committed whose connection was lost meanwhile.
	isCommitted(ctx context.Context, last commitment) (bool, error)
	// beginReading begins a transaction that reads one state of the database.
	beginReading(ctx context.Context, conn *sqlx.Conn) error
	// interruptAtEnd ends the statements that run on a connection once ctx has ended. Release must be called once, before
	// anybody else gets the connection.
	interruptAtEnd(ctx context.Context, conn *sqlx.Conn) (release func())
	// confine takes the rights away from a connection, within a transaction that reads, that a query of the user does
	// not need, and refuses values of more than [largestValue] bytes. Release must be called before the transaction
	// ends.
	confine(ctx context.Context, conn *sqlx.Conn) (release func(), err error)

	// insertRows runs insert, a statement INSERT INTO table (columns) VALUES, for rows of width columns, at the latest
	// when the transaction commits.
	insertRows(t *Tx, insert string, width int, args *arguments) error
	// maxRows is how many rows of large tables a transaction should write at most; 0 if that does not matter.
	maxRows() int
	// shardKey returns the last argument of a statement that stores what belongs to a row of seed, execution or
	// series_content: its configuration, lineage or hash, on a server. In a file there is no such argument.
	shardKey(t *Tx, owner string, id int64) ([]any, error)
	// addNewSeed stores the row of a seed with its values and returns its id, if the database takes both at once. It
	// returns 0 if that did not work: the place of the seed may be taken, or something may have been withdrawn.
	addNewSeed(t *Tx, columns []any, values map[string]float64) (id int64, err error)
	// lookUpSeeds finds out which of some seeds are recorded, where that is better asked for all of them at once.
	lookUpSeeds(t *Tx, seeds []*track.Seed) error
	// newSeedIDs returns ids for n seeds, each larger than the one before.
	newSeedIDs(t *Tx, n int) ([]int64, error)
	// settle stores the rows that were inserted and that a statement may read; all of them for an empty one.
	settle(ctx context.Context, w *writer, statement string) error

	// isRepeatable reports whether a transaction failed because of another one, and may succeed when it is run again.
	isRepeatable(err error) bool

	// textIndex is how the texts of executions are indexed.
	textIndex() textIndex
	// changes is a query whose one number differs once somebody else has changed the database.
	changes() string
	// horizon is a query for a [horizon].
	horizon() string
	// size is a query for the bytes of the database.
	size() string
	// checksItself reports whether the structure of tables, what they refer to, and whether an index finds all, is the
	// matter of a server.
	checksItself() bool
	// sync waits until everything committed is on the disk, relaxed last.
	sync(relaxed commitment) error
	// rewrite leaves nothing in the files of the database but what is in it, where that is the matter of its programs.
	rewrite(ctx context.Context, s *Store) error
	// vacuum gives free space back to the disk, where that is the matter of its programs.
	vacuum(ctx context.Context, s *Store) error

	// openClaims opens the marks of what processes are working on. On a server, the marks of a process that is not heard
	// of for a lease end.
	openClaims(lease time.Duration) (claims, error)
	// claimed returns the places that processes have claimed.
	claimed(ctx context.Context, r *Reader) ([]int64, error)
	// openError explains what opening or creating the database met.
	openError(err error) error
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
