package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/jmoiron/sqlx"
)

// Change says what was recorded about a scenario or a lineage; without either, what else was recorded.
type Change struct {
	Kind     ChangeKind
	Scenario string
	Lineage  string
	Sweep    string // ULID; of a sweep alone
	Number   int64  // of new rows; 1 for a sweep
}

// ChangeKind names what was recorded.
type ChangeKind string

// The kinds of changes.
const (
	SeedsChanged       ChangeKind = "seeds"
	SpecChanged        ChangeKind = "spec"
	BaselineChanged    ChangeKind = "baseline"
	AnnotationsChanged ChangeKind = "annotations"
	WithdrawalsChanged ChangeKind = "withdrawals"
	SweepChanged       ChangeKind = "sweep" // it has begun or ended
	ExecutionsChanged  ChangeKind = "executions"
	VersionsChanged    ChangeKind = "versions"
	LedgerChanged      ChangeKind = "ledger" // proposals, decisions, rollbacks
	LooksChanged       ChangeKind = "looks"  // interim analyses, which are hashes: they name no scenario
	TextsChanged       ChangeKind = "texts"  // texts of executions were removed; without a lineage if the execution is not here
)

// followed is a table whose new rows are changes of their owner.
type followed struct {
	kind  ChangeKind
	last  string // the largest id
	after string // ids behind a mark with the id of the owner and the ULID of a sweep
	owner string // the name of an owner; empty for rows without owners
}

const (
	scenarioName = `SELECT name FROM scenario WHERE id = $1`
	lineageName  = `SELECT name FROM lineage WHERE id = $1`

	newTombstones = `
	SELECT tombstone.id, coalesce(execution.lineage_id, 0) AS owner, '' AS ulid
	  FROM tombstone LEFT JOIN execution ON execution.ulid = tombstone.ulid
	 WHERE tombstone.id > $1 ORDER BY tombstone.id LIMIT $2`
	lastLedgers = `
	SELECT id AS owner, (SELECT coalesce(max(number), 0) FROM ledger WHERE ledger.lineage_id = lineage.id) AS id, '' AS ulid FROM lineage`
	listRunningSweeps = `SELECT id, scenario_id AS owner, ulid FROM sweep WHERE id IN ({list}) AND ended_at IS NULL`
	listOpenSweeps    = `SELECT id, scenario_id AS owner, ulid FROM sweep WHERE ended_at IS NULL ORDER BY id DESC LIMIT $1`
)

// mostFollowed bounds the rows of a table that are read at once. Behind more of them, everything counts as changed.
const mostFollowed = 10_000

// mostSweeps bounds the sweeps whose end is noticed, the newest ones: those that were killed never end.
const mostSweeps = 100

func followedTables() (tables []followed) {
	for _, t := range []struct {
		kind                     ChangeKind
		table, owner, ulid, name string
	}{
		{SeedsChanged, "seed", "scenario_id", "''", scenarioName}, {ExecutionsChanged, "execution", "lineage_id", "''", lineageName},
		{SpecChanged, "spec", "scenario_id", "''", scenarioName}, {BaselineChanged, "baseline", "scenario_id", "''", scenarioName},
		{AnnotationsChanged, "annotation", "scenario_id", "''", scenarioName}, {WithdrawalsChanged, "withdrawal", "scenario_id", "''", scenarioName},
		{SweepChanged, "sweep", "scenario_id", "ulid", scenarioName}, {VersionsChanged, "version", "lineage_id", "''", lineageName},
		{LooksChanged, "look", "0", "''", ""}, {TextsChanged, "tombstone", "", "", lineageName},
	} {
		after := "SELECT id, " + t.owner + " AS owner, " + t.ulid + " AS ulid FROM " + t.table + " WHERE id > $1 ORDER BY id LIMIT $2"
		if t.owner == "" {
			after = newTombstones
		}
		tables = append(tables, followed{t.kind, "SELECT coalesce(max(id), 0) FROM " + t.table, after, t.name})
	}
	return tables
}

// horizon says which rows may still come that have smaller ids than those that are there.
type horizon struct {
	Oldest int64 `db:"oldest"` // number of the oldest transaction that runs, or of the next one
	Next   int64 `db:"next"`   // number of the next transaction
	Slack  int64 `db:"slack"`  // ids of a sequence that may have been taken without a row
}

// followerLook is where the tables ended when a [Follower] looked.
type followerLook struct {
	next  int64   // number of the next transaction at that time
	marks []int64 // by table
}

// Follower finds out what was recorded since it looked last. It reads new rows alone, by their keys. It may be used
// by one goroutine.
//
// On a server, transactions commit in another order than that in which they take ids. So a mark is passed only once all
// transactions have ended that had begun when it was the end of the table.
type Follower struct {
	store   *Store
	tables  []followed
	marks   []int64            // by table: all rows up to it are known
	seen    []map[int64]bool   // by table: rows behind the mark that are known
	looks   []followerLook     // that are not passed, the oldest first
	unsure  int64              // while a transaction below this number runs, everything may have changed
	ledgers map[int64]int64    // by lineage: the number of its last entry
	running map[int64]ownedRow // sweeps by id
	names   map[ownerName]string
}

type ownerName struct {
	query string
	id    int64
}

// ownedRow is a new row.
type ownedRow struct {
	ID    int64  `db:"id"`
	Owner int64  `db:"owner"`
	ULID  string `db:"ulid"`
}

// Follower returns what follows the changes from now on: its first look finds no changes.
func (s *Store) Follower() *Follower {
	return &Follower{store: s, tables: followedTables(), names: map[ownerName]string{}}
}

// Look returns what was recorded since the last look, in the order of kinds and names. isAll says that more was
// recorded than is worth telling apart.
func (f *Follower) Look(ctx context.Context) (changes []Change, isAll bool, err error) {
	err = f.store.Snapshot(ctx, func(r *Reader) error {
		changes, isAll, err = f.look(ctx, r)
		return err
	})
	return changes, isAll, err
}

func (f *Follower) look(ctx context.Context, r *Reader) ([]Change, bool, error) {
	var now horizon
	if err := r.read().GetContext(ctx, &now, r.pool.engine.horizon()); err != nil {
		return nil, false, explain(err)
	}
	if f.marks == nil {
		return nil, false, f.begin(ctx, r, now)
	}
	found, isAll := map[Change]int64{}, f.unsure > now.Oldest
	for i := range f.tables {
		isMore, err := f.lookAt(ctx, r, i, found)
		if err != nil {
			return nil, false, err
		}
		isAll = isAll || isMore
	}
	if err := f.lookAtLedgers(ctx, r, found); err != nil {
		return nil, false, err
	}
	if err := f.lookAtSweeps(ctx, r, found); err != nil {
		return nil, false, err
	}
	if isAll && f.unsure <= now.Oldest {
		return nil, true, f.begin(ctx, r, now)
	}
	return sortedChanges(found), isAll, f.pass(ctx, r, now)
}

// begin takes everything that is there for known.
func (f *Follower) begin(ctx context.Context, r *Reader, now horizon) error {
	last, err := f.ends(ctx, r, now)
	if err != nil {
		return err
	}
	f.marks, f.looks, f.unsure = last, nil, 0
	f.seen = make([]map[int64]bool, len(f.tables))
	for i := range f.seen {
		f.seen[i] = map[int64]bool{}
	}
	if now.Oldest < now.Next { // what runs may commit smaller ids
		f.unsure = now.Next
	}
	f.running = map[int64]ownedRow{}
	for i := range f.tables {
		if _, err := f.lookAt(ctx, r, i, map[Change]int64{}); err != nil {
			return err
		}
	}
	var rows []ownedRow
	if err := r.read().SelectContext(ctx, &rows, lastLedgers); err != nil {
		return explain(err)
	}
	f.ledgers = map[int64]int64{}
	for _, row := range rows {
		f.ledgers[row.Owner] = row.ID
	}
	rows = nil
	if err := r.read().SelectContext(ctx, &rows, listOpenSweeps, mostSweeps); err != nil {
		return explain(err)
	}
	for _, row := range rows {
		f.running[row.ID] = row
	}
	return nil
}

// ends returns where each table ends, less what may still come.
func (f *Follower) ends(ctx context.Context, r *Reader, now horizon) ([]int64, error) {
	marks := make([]int64, len(f.tables))
	for i, table := range f.tables {
		if err := r.read().GetContext(ctx, &marks[i], table.last); err != nil {
			return nil, explain(err)
		}
		marks[i] -= now.Slack
	}
	return marks, nil
}

// lookAt finds the new rows of a table. isMore says that there are more than are read.
func (f *Follower) lookAt(ctx context.Context, r *Reader, i int, found map[Change]int64) (isMore bool, err error) {
	table := f.tables[i]
	var rows []ownedRow
	if err := r.read().SelectContext(ctx, &rows, table.after, f.marks[i], mostFollowed+1); err != nil {
		return false, explain(err)
	}
	for _, row := range rows {
		if f.seen[i][row.ID] {
			continue
		}
		f.seen[i][row.ID] = true
		if table.kind == SweepChanged {
			f.running[row.ID] = row
		}
		if err := f.add(ctx, r, table, row, 1, found); err != nil {
			return false, err
		}
	}
	return len(rows) > mostFollowed, nil
}

func (f *Follower) add(ctx context.Context, r *Reader, table followed, row ownedRow, n int64, found map[Change]int64) error {
	key := ownerName{table.owner, row.Owner}
	name, isKnown := f.names[key]
	if !isKnown && row.Owner != 0 {
		if err := r.read().GetContext(ctx, &name, table.owner, row.Owner); err != nil {
			return explain(err)
		}
		f.names[key] = name
	}
	change := Change{Kind: table.kind, Sweep: row.ULID}
	if table.owner == lineageName {
		change.Lineage = name
	} else { // empty without an owner
		change.Scenario = name
	}
	found[change] += n
	if table.kind == SweepChanged { // it can begin and end between two looks
		found[change] = 1
	}
	return nil
}

// lookAtLedgers finds the lineages whose ledgers have grown.
func (f *Follower) lookAtLedgers(ctx context.Context, r *Reader, found map[Change]int64) error {
	var rows []ownedRow
	if err := r.read().SelectContext(ctx, &rows, lastLedgers); err != nil {
		return explain(err)
	}
	for _, row := range rows {
		grown := row.ID - f.ledgers[row.Owner]
		if grown == 0 {
			continue
		}
		f.ledgers[row.Owner] = row.ID
		if err := f.add(ctx, r, followed{kind: LedgerChanged, owner: lineageName}, row, grown, found); err != nil {
			return err
		}
	}
	return nil
}

// lookAtSweeps finds the sweeps that have ended.
func (f *Follower) lookAtSweeps(ctx context.Context, r *Reader, found map[Change]int64) error {
	if len(f.running) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(f.running))
	for _, id := range ids[:max(0, len(ids)-mostSweeps)] {
		delete(f.running, id)
	}
	var c clauses
	c.add(listRunningSweeps, anys(slices.Collect(maps.Keys(f.running))))
	query, args := c.statement()
	var rows []ownedRow
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return explain(err)
	}
	ended := maps.Clone(f.running)
	for _, row := range rows {
		delete(ended, row.ID)
	}
	for id, row := range ended {
		delete(f.running, id)
		if err := f.add(ctx, r, followed{kind: SweepChanged, owner: scenarioName}, row, 1, found); err != nil {
			return err
		}
	}
	return nil
}

// pass moves the marks to where the tables ended when all that runs had yet to begin.
func (f *Follower) pass(ctx context.Context, r *Reader, now horizon) error {
	ends, err := f.ends(ctx, r, now)
	if err != nil {
		return err
	}
	if n := len(f.looks); n > 0 && f.looks[n-1].next == now.Next { // the earlier ones say less
		f.looks = f.looks[:n-1]
	}
	f.looks = append(f.looks, followerLook{now.Next, ends})
	isPassed := func(l followerLook) bool { return l.next <= now.Oldest }
	for ; len(f.looks) > 0 && isPassed(f.looks[0]); f.looks = f.looks[1:] {
		copy(f.marks, f.looks[0].marks) // smaller if the last rows were removed
	}
	for i, known := range f.seen {
		maps.DeleteFunc(known, func(id int64, _ bool) bool { return id <= f.marks[i] })
	}
	return nil
}

func sortedChanges(found map[Change]int64) []Change {
	list := make([]Change, 0, len(found))
	for change, n := range found {
		change.Number = n
		list = append(list, change)
	}
	slices.SortFunc(list, compareChanges)
	return list
}

func compareChanges(a, b Change) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Lineage, b.Lineage), cmp.Compare(a.Sweep, b.Sweep))
}

// Sync waits until everything committed is on the disk.
func (s *Store) Sync() error {
	s.updating.Lock()
	defer s.updating.Unlock()
	if err := s.pool.engine.sync(s.relaxed); err != nil {
		return explain(err)
	}
	s.relaxed = commitment{}
	return nil
}

// Changes tells whether the database was changed. It keeps a connection.
type Changes struct {
	mu   sync.Mutex
	conn *sqlx.Conn
	stmt *sqlx.Stmt // that asks for the cursor
}

// Changes returns what tells whether the database was changed. It must be closed.
func (s *Store) Changes(ctx context.Context) (*Changes, error) {
	db, err := s.pool.open()
	if err != nil {
		return nil, explain(err)
	}
	conn, err := db.Connx(ctx)
	if err != nil {
		return nil, explain(err)
	}
	stmt, err := conn.PreparexContext(ctx, s.pool.engine.changes())
	if err != nil {
		return nil, errors.Join(explain(err), conn.Close())
	}
	return &Changes{conn: conn, stmt: stmt}, nil
}

// Cursor returns a number that differs once something was committed after the last call. It can differ without that.
// The end of ctx does not end the query: the driver of a server would close the connection, which others need too.
func (c *Changes) Cursor(ctx context.Context) (cursor int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
	defer cancel()
	return cursor, explain(c.stmt.QueryRowContext(ctx).Scan(&cursor))
}

// Close returns the connection.
func (c *Changes) Close() error {
	return explain(errors.Join(c.stmt.Close(), c.conn.Close()))
}
