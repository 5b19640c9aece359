package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"track"
)

// MergeOptions say what of another database is brought in; without names, all of it.
type MergeOptions struct {
	Scenarios []string // with their seeds, specs, baselines and sweeps
	Lineages  []string // with their versions and executions
	DryRun    bool     // find out what would come, and write nothing
	Chunk     int      // seeds or executions in a transaction; 0 for as many as others can wait for
}

func (o MergeOptions) narrowed() bool { return len(o.Scenarios)+len(o.Lineages) > 0 }

// chunkOf is how many seeds or executions a transaction takes; of seeds with series, which are large, fewer.
const (
	mergeChunk       = 5000
	mergeChunkSeries = 100
)

// MergeCount counts records of one kind in another database.
type MergeCount struct{ Recorded, Known, Conflicts int }

// MergeCounts counts what another database holds, and what became of it.
type MergeCounts struct {
	Scenarios, Specs, Configurations, Seeds MergeCount
	Baselines, Looks, Sweeps, Repetitions   MergeCount
	Versions, Executions                    MergeCount
	Assessments                             int // of known seeds, under specs that they had not been judged under here
	Scores                                  int // of known executions, under rubrics that they had not been scored under here
	Superseded                              int // seeds in whose place another was put there
	Replaced                                int // executions that have come further there
	Forgotten                               int // executions whose texts were removed there, and now here
	Unjudged                                map[string]int
}

// MergeConflict is what stands here and there, and differs.
type MergeConflict struct {
	Kind          string // spec, version, seed or execution
	Scenario      string // or lineage
	Name          string // version, number of the seed, or key of the execution
	Configuration string // hash
	Label         string
	Reason        string
	Here, There   MergedSeed // of a seed
}

// MergedSeed is what a seed measured.
type MergedSeed struct {
	Outcome track.Outcome
	Values  map[string]float64
}

// Merger brings another database into this one, on a connection of its own. What it wrote so far is valid whenever it ends, and another one
// continues.
type Merger struct {
	store         *Store
	other         string
	options       MergeOptions
	tx            *Tx // in [Merger.Whole]
	counts        MergeCounts
	conflict      func(MergeConflict)
	progress      func(done int)
	lastSeed      int64 // what was recorded there since is left for the next time
	lastExecution int64
	series, runs  bool // the other database has some
	oneSpec       bool // no scenario has more than one here
	by            shortcuts
	replaced      bool // which seeds were superseded is known
}

// NewMerger opens the database at path for reading beside this one. It must have the schema of this program.
func (s *Store) NewMerger(ctx context.Context, path string, o MergeOptions) (m *Merger, err error) {
	if err := checkOther(ctx, s.path, path); err != nil {
		return nil, badInput(err)
	}
	own := newStore(s.path, s.now)
	if o.DryRun {
		own.writer, err = openConnection(ctx, dataSource(s.path, s.pool.mode()))
	} else {
		own.writer, err = openWriter(ctx, s.path)
	}
	if err != nil {
		return nil, openError(s.path, err)
	}
	m = &Merger{store: own, other: path, options: o, conflict: func(MergeConflict) {}, progress: func(int) {}}
	m.counts.Unjudged = map[string]int{}
	if err := m.attach(ctx); err != nil {
		return nil, errors.Join(badInput(err), m.Close())
	}
	return m, nil
}

// badInput says that it is the other file that cannot be used.
func badInput(err error) error {
	if errors.Is(err, track.ErrDatabase) {
		return fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	return err
}

// Observe has conflicts and progress told.
func (m *Merger) Observe(conflict func(MergeConflict), progress func(done int)) {
	m.conflict, m.progress = conflict, progress
}

// Counts returns what became of what was merged so far.
func (m *Merger) Counts() MergeCounts { return m.counts }

// Close lets go of both databases.
func (m *Merger) Close() error { return m.store.Close() }

// Blame says which of both files is damaged, where err says that one is. It reads all of the other one then.
func (m *Merger) Blame(ctx context.Context, err error) error {
	if !isDamaged(err) || errors.Is(err, track.ErrInvalid) {
		return err
	}
	path, kind, hint := m.store.path, track.ErrDatabase, "restore a copy of it, or save what can be read with: sqlite3 "+m.store.path+" .recover"
	if sound(ctx, m.other) != nil {
		path, kind = m.other, track.ErrInvalid
		hint = "what was merged before is whole; ask for the file again, record its lines or run its shard again, or save what can be read with: sqlite3 " + m.other + " .recover"
	}
	return track.WithHint(fmt.Errorf("%w: %s is damaged: part of it cannot be read", kind, path), track.Hint{Text: hint})
}

// CheckOther says whether the file at path can be merged into the database here, as far as that shows at a glance.
func CheckOther(ctx context.Context, here, path string) error {
	return badInput(checkOther(ctx, here, path))
}

// checkOther says whether the file at path can be merged.
func checkOther(ctx context.Context, here, path string) error {
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open %s: %w", path, track.ErrNotFound)
	}
	if err != nil {
		return openError(path, err)
	}
	if there.IsDir() {
		return openError(path, errFolder)
	}
	if own, err := os.Stat(here); err == nil && os.SameFile(own, there) {
		return track.WithHint(fmt.Errorf("%w: %s is the database that it would be merged into", track.ErrInvalid, path), track.Hint{Text: "name another file, or another target with --db"})
	}
	state, err := inspect(ctx, path)
	if isHot(err) {
		return track.WithHint(fmt.Errorf("open %s: %w: its creation was cut short", path, track.ErrDatabase), track.Hint{Text: "there is nothing in it"})
	}
	if err == nil && state.unfinished() {
		err = fmt.Errorf("%w: there is nothing in it", track.ErrDatabase)
	}
	if err == nil {
		err = state.usable(path)
	}
	return openError(path, err)
}

// attach makes the other database part of the connection, and the tables that say which of its rows is which here.
func (m *Merger) attach(ctx context.Context) error {
	conn := m.store.writer.conn
	there := pool{path: m.other}
	source, _, _ := strings.Cut(dataSource(m.other, there.mode()), "&_dqs")
	if _, err := conn.ExecContext(ctx, "ATTACH ? AS other", source); err != nil {
		return openError(m.other, err)
	}
	// Rows refer to nothing but what the tables of merge_ say, so that foreign keys need not be looked up row by row. Nothing that the schema
	// of the other file calls is run.
	for _, statement := range []string{"PRAGMA foreign_keys = 0", "PRAGMA trusted_schema = 0", "PRAGMA temp_store = MEMORY", "PRAGMA other.cache_size = -16384"} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if err := m.checkTables(ctx); err != nil {
		return err
	}
	for _, statement := range splitStatements(createMergeTables) {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return explain(err)
		}
	}
	for table, names := range map[string][]string{"merge_scenario_name": m.options.Scenarios, "merge_lineage_name": m.options.Lineages} {
		for _, name := range names {
			if _, err := conn.ExecContext(ctx, "INSERT OR IGNORE INTO temp."+table+" (name) VALUES (?)", name); err != nil {
				return explain(err)
			}
		}
	}
	return m.checkNames(ctx)
}

const listColumns = `
	SELECT t.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || c.pk || c.hidden
	  FROM %s.sqlite_schema AS t, pragma_table_xinfo(t.name, '%s') AS c
	 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%%' AND t.name <> 'goose_db_version' ORDER BY t.name, c.cid`

// checkTables compares the tables of both files: a file may call itself a database of track, and be none.
func (m *Merger) checkTables(ctx context.Context) error {
	var here, there []string
	err := m.store.writer.conn.SelectContext(ctx, &here, fmt.Sprintf(listColumns, "main", "main"))
	if err != nil {
		return explain(err)
	}
	if err := m.store.writer.conn.SelectContext(ctx, &there, fmt.Sprintf(listColumns, "other", "other")); err != nil {
		return openError(m.other, err)
	}
	for _, column := range here {
		if !slices.Contains(there, column) {
			name, _, _ := strings.Cut(column, " ")
			return track.WithHint(fmt.Errorf("open %s: %w: its %s is missing, or is not what track made", m.other, track.ErrDatabase, name), track.Hint{Text: "the file is damaged; nothing was changed"})
		}
	}
	return nil
}

// CheckSound reads all of the database at path, and refuses one that is damaged. It changes nothing.
func CheckSound(ctx context.Context, path string) (err error) {
	if err := checkOther(ctx, "", path); err != nil {
		return badInput(err)
	}
	return badInput(openError(path, sound(ctx, path)))
}

// sound reads all of the database at path.
func sound(ctx context.Context, path string) (err error) {
	s := newStore(path, nil)
	defer func() { err = errors.Join(err, s.Close()) }()
	var found []string
	if err = s.read().SelectContext(ctx, &found, "PRAGMA integrity_check(1)"); err == nil && (len(found) != 1 || found[0] != "ok") {
		err = track.WithHint(fmt.Errorf("%w: it is damaged: %s", track.ErrDatabase, strings.ReplaceAll(strings.Join(found, "; "), "\n", " ")), track.Hint{Text: "nothing was changed; ask for the file again"})
	}
	return err
}

const (
	listMissingScenarios = `SELECT name FROM temp.merge_scenario_name WHERE name NOT IN (SELECT name FROM other.scenario) ORDER BY name`
	listMissingLineages  = `SELECT name FROM temp.merge_lineage_name WHERE name NOT IN (SELECT name FROM other.lineage) ORDER BY name`
)

func (m *Merger) checkNames(ctx context.Context) error {
	for what, query := range map[string]string{"scenario": listMissingScenarios, "lineage": listMissingLineages} {
		var missing []string
		if err := m.store.writer.conn.SelectContext(ctx, &missing, query); err != nil {
			return explain(err)
		}
		if len(missing) > 0 {
			return fmt.Errorf("%s %s in %s: %w", what, strings.Join(missing, ", "), m.other, track.ErrNotFound)
		}
	}
	return nil
}

// Whole has all that work does in one transaction, for a target that nobody else waits for: it sees one state of the other file.
func (m *Merger) Whole(ctx context.Context, work func() error) error {
	return m.in(ctx, func(tx *Tx) error {
		m.tx = tx
		defer func() { m.tx = nil }()
		return work()
	})
}

// in runs work in a transaction: one that waits for the disk only at the end of all, or of a dry run one that reads.
func (m *Merger) in(ctx context.Context, work func(*Tx) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case m.tx != nil:
		err = work(m.tx)
	case m.options.DryRun:
		err = m.read(ctx, work)
	default:
		err = m.store.UpdateRelaxed(ctx, work)
	}
	if isConstraint(err) {
		err = track.WithHint(fmt.Errorf("%w: %s holds what track never writes: %w", track.ErrInvalid, m.other, err), track.Hint{Text: "the file is damaged; what was merged before is whole"})
	}
	return err
}

// look is [Merger.in] for what writes to nothing but the tables of merge_.
func (m *Merger) look(ctx context.Context, work func(*Tx) error) error {
	if m.tx != nil {
		return work(m.tx)
	}
	return m.read(ctx, work)
}

func (m *Merger) read(ctx context.Context, work func(*Tx) error) (err error) {
	ctx = context.WithoutCancel(ctx)
	conn := m.store.writer.conn
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return explain(err)
	}
	defer func() { // the tables of merge_ stay
		_, commitErr := conn.ExecContext(ctx, "COMMIT")
		err = errors.Join(err, explain(commitErr))
	}()
	return explain(work(m.store.newTx(ctx, m.store.writer)))
}

// Sync waits until all that was merged is on the disk.
func (m *Merger) Sync() error {
	if m.options.DryRun {
		return nil
	}
	return m.store.Sync()
}

// run executes a statement and returns how many rows it changed.
func (t *Tx) run(query string, args ...any) (int, error) {
	result, err := t.exec(query, args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// runAll executes statements without arguments. It names the one that SQLite did not understand.
func (t *Tx) runAll(queries ...string) error {
	for _, query := range queries {
		if _, err := t.exec(query); isMistake(err) {
			return fmt.Errorf("%w, in %s", err, query)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) count(query string, args ...any) (n int, err error) {
	var id sql.NullInt64
	stmt, err := t.prepare(t.ctx, query)
	if err == nil {
		err = stmt.QueryRowContext(t.ctx, args...).Scan(&id)
	}
	return int(id.Int64), err
}
