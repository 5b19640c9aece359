// Package integrity finds out whether a database holds what was recorded: it compares records with their digests and
// with one another.
package integrity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"track/answer"
	"track/store"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// CheckFile checks the database in a file. Damage is no error.
func CheckFile(ctx context.Context, path string, now func() time.Time, progress func(done int)) (a answer.DatabaseCheck, err error) {
	var st *store.Store
	if err = store.CheckOther(ctx, "", path); err == nil { // opening would finish a creation that was cut short
		st, err = store.Open(ctx, path, now)
	}
	if err != nil && store.IsDamaged(err) {
		c := newChecker(nil)
		c.found(store.Damage{Problem: "it cannot be opened", Record: err.Error()})
		a = c.answer
		a.Database = path
		return a, nil
	}
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return Check(ctx, st, progress)
}

// Check checks a database, and calls progress, unless it is nil, now and then with the seeds and assessments that were
// read. Damage is no error. What is recorded meanwhile is not checked.
func Check(ctx context.Context, st *store.Store, progress func(done int)) (a answer.DatabaseCheck, err error) {
	err = st.Snapshot(ctx, func(r *store.Reader) error {
		a, err = checkIn(ctx, r, progress)
		return err
	})
	return a, err
}

// Answer checks the database of a reader, in one state of it. Damage is no error.
func Answer(ctx context.Context, r *store.Reader, _ answer.CheckQuestion) (answer.DatabaseCheck, error) {
	return checkIn(ctx, r, nil)
}

// damagedTime is how long a file is read whose pages are damaged: they may lead in circles, and so to rows without end.
const damagedTime = 4 * time.Second

func checkIn(ctx context.Context, r *store.Reader, progress func(int)) (answer.DatabaseCheck, error) {
	c := newChecker(progress)
	c.answer.Database = r.Path()
	first, isWhole, err := r.FirstDamage(ctx)
	if err = c.try("", err); err == nil && (first != "" || !isWhole || !c.answer.Sound) {
		err = c.limited(ctx, r, first != "", func(ctx context.Context) error { return c.try("", r.CheckStructure(ctx, c.found)) })
	}
	if c.answer.Sound && first != "" { // in no table
		c.found(store.Damage{Problem: "SQLite finds its pages damaged", Record: first})
	}
	if err == nil {
		err = c.limited(ctx, r, !c.answer.Sound, func(ctx context.Context) error { return c.run(ctx, r) })
	}
	c.sort()
	return c.answer, err
}

// limited takes a step, within [damagedTime] if pages are damaged.
func (c *checker) limited(ctx context.Context, r *store.Reader, isDamaged bool, step func(context.Context) error) error {
	if !isDamaged {
		return step(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, damagedTime)
	defer cancel()
	err := r.Interrupting(limited, func() error { return step(limited) })
	if limited.Err() == nil || ctx.Err() != nil {
		return err
	}
	c.answer.NotChecked = append(c.answer.NotChecked, "what lies behind damaged pages that lead in circles")
	return nil
}

// sort puts what is damaged most first.
func (c *checker) sort() {
	slices.SortFunc(c.answer.Damage, func(a, b answer.DamagedRecords) int { return b.N - a.N })
}

// checker collects what is found.
type checker struct {
	progress func(done int)
	answer   answer.DatabaseCheck
}

func newChecker(progress func(int)) *checker {
	if progress == nil {
		progress = func(int) {}
	}
	return &checker{progress: progress, answer: answer.DatabaseCheck{Sound: true, Damage: []answer.DamagedRecords{}, Foreign: []string{}, NotChecked: []string{}}}
}

// found notes a record that is damaged.
func (c *checker) found(d store.Damage) {
	const named = 5
	c.answer.Sound = false
	list := c.answer.Damage
	i := slices.IndexFunc(list, func(known answer.DamagedRecords) bool { return known.Table == d.Table && known.Problem == d.Problem })
	if i < 0 {
		i = len(list)
		list = append(list, answer.DamagedRecords{Table: d.Table, Problem: d.Problem, Records: []string{}, Rescue: rescue(d.Table)})
		c.answer.Damage = list
	}
	if list[i].N++; list[i].N <= named {
		list[i].Records = append(list[i].Records, d.Record)
	}
}

// try notes an error of damage, and returns any other.
func (c *checker) try(table string, err error) error {
	if err != nil && store.IsDamaged(err) {
		c.found(store.Damage{Table: table, Problem: "part of it cannot be read", Record: err.Error()})
		return nil
	}
	return err
}

// run checks everything but the structure. What cannot be read does not keep it from the rest.
func (c *checker) run(ctx context.Context, r *store.Reader) error {
	for _, step := range []struct {
		table string
		check func(context.Context, *store.Reader) error
	}{
		{"", c.describe}, {"seed", c.seeds}, {"assessment", c.results}, {"", c.hashes}, {"", c.rows}, {"spec_metric", c.specs}, {"ledger", c.ledgers},
	} {
		if err := c.try(step.table, step.check(ctx, r)); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) describe(ctx context.Context, r *store.Reader) (err error) {
	if c.answer.Bytes, err = r.FileSize(ctx); err != nil {
		return err
	}
	foreign, err := r.Foreign(ctx)
	c.answer.Foreign = append(c.answer.Foreign, foreign...)
	if len(foreign) > 0 {
		c.answer.NotChecked = append(c.answer.NotChecked, "pages that belong to no table, and the pages of others: "+strings.Join(foreign, ", "))
	}
	return err
}

func (c *checker) seeds(ctx context.Context, r *store.Reader) error {
	counts, err := r.CheckSeeds(ctx, c.found, func(n store.CheckCounts) { c.progress(n.Seeds) })
	c.answer.Seeds, c.answer.Values = counts.Seeds, counts.Values
	return err
}

func (c *checker) results(ctx context.Context, r *store.Reader) error {
	counts, err := r.CheckResults(ctx, c.found, func(n store.CheckCounts) { c.progress(c.answer.Seeds + n.Assessments) })
	c.answer.Assessments, c.answer.Results = counts.Assessments, counts.Results
	return err
}

func (c *checker) hashes(ctx context.Context, r *store.Reader) (err error) {
	c.answer.Hashed, err = r.CheckHashes(ctx, c.found)
	return err
}

func (c *checker) rows(ctx context.Context, r *store.Reader) error { return r.CheckRows(ctx, c.found) }

// specs compares the rows of metrics that queries use with the documents of the specs.
func (c *checker) specs(ctx context.Context, r *store.Reader) error {
	list, err := r.Specs(ctx)
	if err != nil {
		return err
	}
	for _, s := range list {
		name := fmt.Sprintf("spec %s version %d", s.Scenario, s.Version)
		want, err := seeds.StoredMetrics(s)
		if err != nil {
			c.found(store.Damage{Table: "spec", Problem: "its document cannot be read", Record: name + ": " + err.Error()})
			continue
		}
		stored, err := r.SpecMetrics(ctx, s.ID)
		if err != nil {
			return err
		}
		if !slices.Equal(want, stored) {
			c.found(store.Damage{Table: "spec_metric", Problem: "its metrics differ from its document", Record: name})
		}
	}
	return nil
}

// ledgers replays every ledger.
func (c *checker) ledgers(ctx context.Context, r *store.Reader) error {
	names, err := r.EvolvingNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		report, err := lineages.Replay(ctx, r, name, answer.ReplayQuestion{})
		if err != nil {
			return err
		}
		c.answer.Lineages++
		c.answer.Entries += report.Entries
		for _, d := range report.Differences {
			c.found(store.Damage{Table: "ledger", Problem: "it differs from its replay", Record: "lineage " + name + ": " + d.String()})
		}
	}
	return nil
}

// rescue says what can be saved of a damaged table.
func rescue(table string) string {
	switch table {
	case "seed", "seed_series", "series_content", "series_chunk", "artifact", "artifact_content":
		return "record or run these seeds again; other seeds are not affected"
	case "assessment":
		return "the measured values are not affected: export them with track query, and record the seeds again"
	case "ledger", "mutation", "mutation_parent", "version":
		return "merge an export of the lineage, or another database that has it"
	case "call", "request", "execution", "execution_score":
		return "import the logs of these executions into a new database; other executions are not affected"
	case "text_index":
		return "search with --rebuild, which makes the index anew; no record is affected"
	case "":
		return "save what can be read with sqlite3 .dump"
	}
	return "restore a backup, or merge a database that has these records into a new one"
}
