package exchange

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"track"
	"track/importer/lines"
	"track/store"
	"track/tracker/lineages"
)

// Parts says which scenarios and lineages of a database are read; without names, all of it.
type Parts struct {
	Scenarios []string // with their seeds, specs, baselines and sweeps
	Lineages  []string // with their versions and executions
}

func (p Parts) isAll() bool { return len(p.Scenarios)+len(p.Lineages) == 0 }

func (p Parts) hasScenario(name string) bool { return p.isAll() || slices.Contains(p.Scenarios, name) }

func (p Parts) hasLineage(name string) bool { return p.isAll() || slices.Contains(p.Lineages, name) }

// DatabaseLines returns what a database holds as lines, in an order in which they can be recorded: one state of it,
// whatever is recorded meanwhile.
func DatabaseLines(ctx context.Context, from *store.Store, parts Parts) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		err := from.Snapshot(ctx, func(r *store.Reader) error {
			d := databaseLines{ctx: ctx, from: r, path: from.Path(), parts: parts, yield: yield, configurations: map[string]store.Configuration{}}
			return d.run()
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(lines.Record{}, store.ReadError(from.Path(), err))
		}
	}
}

// errStopped ends the reading, because nobody takes more lines.
var errStopped = errors.New("stopped")

// databaseLines is a database that is read as lines.
type databaseLines struct {
	ctx            context.Context
	from           *store.Reader
	path           string
	parts          Parts
	yield          func(lines.Record, error) bool
	n              int
	configurations map[string]store.Configuration // by hash, those that no line has named yet
}

func (d *databaseLines) run() error {
	for _, step := range []func() error{
		d.begin, d.forgotten, d.ledgers, d.specs, d.withdrawals, d.sweeps, d.baselines, d.looks, d.lineages, d.seeds, d.executions, d.annotations,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return d.line(lines.Record{Export: &lines.Export{Lines: d.n}})
}

func (d *databaseLines) line(record lines.Record) error {
	d.n++
	record.Line = d.n
	if !d.yield(record, nil) {
		return errStopped
	}
	return nil
}

// begin checks the names of what is read.
func (d *databaseLines) begin() error {
	all, err := d.from.AllConfigurations(d.ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		d.configurations[c.Hash] = c
	}
	scenarios, err := d.from.Scenarios(d.ctx)
	if err != nil {
		return err
	}
	if err := d.missing("scenario", d.parts.Scenarios, scenarios); err != nil {
		return err
	}
	list, err := d.from.WholeLineages(d.ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, l := range list {
		names = append(names, l.Name)
	}
	if err := d.missing("lineage", d.parts.Lineages, names); err != nil {
		return err
	}
	return d.line(lines.Record{Export: &lines.Export{}})
}

func (d *databaseLines) missing(what string, asked, there []string) error {
	asked = slices.DeleteFunc(slices.Clone(asked), func(name string) bool { return slices.Contains(there, name) })
	if len(asked) == 0 {
		return nil
	}
	slices.Sort(asked)
	return fmt.Errorf("%s %s in %s: %w", what, strings.Join(asked, ", "), d.path, track.ErrNotFound)
}

// configuration says when a configuration was recorded first, before the first line that names it.
func (d *databaseLines) configuration(hash string) error {
	c, isNew := d.configurations[hash]
	if !isNew {
		return nil
	}
	delete(d.configurations, hash)
	return d.line(lines.Record{Configuration: &lines.Configuration{Configuration: c.Configuration, At: c.CreatedAt}})
}

// forgotten yields the tombstones, before the executions that they keep out. They name no lineage, so all of them come.
func (d *databaseLines) forgotten() error {
	list, err := d.from.Tombstones(d.ctx)
	for _, t := range list {
		if err == nil {
			err = d.line(lines.Record{Forgotten: &lines.Forgotten{ID: t.ID, Digest: t.Digest, Identity: t.Identity, Reason: t.Reason, At: t.At}})
		}
	}
	return err
}

// ledgers yields ledgers, before the executions that their evidence came from.
func (d *databaseLines) ledgers() error {
	names, err := d.from.EvolvingNames(d.ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !d.parts.hasLineage(name) {
			continue
		}
		l, err := d.from.Evolving(d.ctx, name)
		if err != nil {
			return err
		}
		x, err := lineages.Export(d.ctx, d.from, name)
		if err != nil {
			return err
		}
		x.TrialsElsewhere = &l.TrialsElsewhere
		if x.Versions, err = d.allVersions(name, x.Versions); err != nil {
			return err
		}
		if err := d.line(lines.Record{Lineage: &x}); err != nil {
			return err
		}
	}
	return nil
}

// allVersions adds the names of all other versions to those of a ledger, in the order in which they were recorded.
func (d *databaseLines) allVersions(lineage string, named []track.Version) ([]track.Version, error) {
	all, err := d.from.WholeVersions(d.ctx, lineage)
	for i, v := range all {
		all[i] = track.Version{Lineage: lineage, Name: v.Name}
		if at := slices.IndexFunc(named, func(n track.Version) bool { return n.Name == v.Name }); at >= 0 {
			all[i] = named[at]
		}
	}
	return all, err
}

func (d *databaseLines) specs() error {
	list, err := d.from.Specs(d.ctx)
	for _, s := range list {
		if err == nil && d.parts.hasScenario(s.Scenario) {
			err = d.line(lines.Record{Spec: &lines.Spec{Scenario: s.Scenario, Version: s.Version, Title: s.Title, Document: s.Document, At: s.CreatedAt}})
		}
	}
	return err
}

func (d *databaseLines) withdrawals() error {
	list, err := d.from.Withdrawals(d.ctx)
	for _, w := range list {
		if err == nil && d.parts.hasScenario(w.Scenario) {
			err = d.line(lines.Record{Withdrawal: &w})
		}
	}
	return err
}

func (d *databaseLines) sweeps() error {
	list, err := d.from.Sweeps(d.ctx, store.SweepFilter{})
	if err != nil {
		return err
	}
	for _, s := range slices.Backward(list) { // the oldest first
		if !d.parts.hasScenario(s.Scenario) {
			continue
		}
		for _, p := range s.Planned {
			if err := d.configuration(p.Configuration.Hash()); err != nil {
				return err
			}
		}
		if err := d.line(lines.Record{Sweep: &s.Sweep}); err != nil {
			return err
		}
	}
	return nil
}

func (d *databaseLines) baselines() error {
	list, err := d.from.AllBaselines(d.ctx)
	if err != nil {
		return err
	}
	for _, b := range list {
		if !d.parts.hasScenario(b.Scenario) {
			continue
		}
		record := lines.Baseline{ID: b.ULID, Scenario: b.Scenario, Previous: b.Previous, Reason: b.Reason, Actor: b.Actor, At: b.SetAt}
		if b.Configuration != nil {
			record.Configuration = &b.Configuration.Configuration
			if err := d.configuration(b.Configuration.Hash); err != nil {
				return err
			}
		}
		if err := d.line(lines.Record{Baseline: &record}); err != nil {
			return err
		}
	}
	return nil
}

// looks yields the interim analyses. They are hashes that name no scenario, so all of them come.
func (d *databaseLines) looks() error {
	list, err := d.from.AllLooks(d.ctx)
	for _, l := range list {
		if err == nil {
			err = d.line(lines.Record{Look: &lines.Look{
				ID: l.ULID, Of: string(l.Kind), Question: l.Question, Evidence: l.Evidence, N: l.N, Plan: l.Plan, Anytime: l.Anytime, Verdict: string(l.Verdict), At: l.LookedAt,
			}})
		}
	}
	return err
}

// lineages yields all versions, also those that no ledger names.
func (d *databaseLines) lineages() error {
	list, err := d.from.WholeLineages(d.ctx)
	if err != nil {
		return err
	}
	for _, l := range list {
		if !d.parts.hasLineage(l.Name) {
			continue
		}
		versions, err := d.from.WholeVersions(d.ctx, l.Name)
		if err == nil {
			err = d.line(lines.Record{Lineage: &lines.Lineage{Name: l.Name, KeepText: l.KeepText, At: l.CreatedAt, Versions: versions}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *databaseLines) seeds() error {
	pages, err := d.from.SeedPages(d.ctx, d.parts.hasScenario)
	for err == nil {
		var page []*store.WholeSeed
		if page, err = pages.Next(d.ctx); err != nil || len(page) == 0 {
			return err
		}
		for _, s := range page {
			if err = d.configuration(s.Configuration.Hash()); err == nil {
				err = d.line(lines.Record{Seed: s.Seed, RecordedSeed: &s.Record})
			}
			if err != nil {
				return err
			}
		}
	}
	return err
}

func (d *databaseLines) executions() error {
	const page = 500
	for after := int64(0); ; {
		rows, of, err := d.from.ExecutionRows(d.ctx, after, page)
		if err != nil || len(rows) == 0 {
			return err
		}
		for i, row := range rows {
			after = row
			if !d.parts.hasLineage(of[i]) {
				continue
			}
			e, err := d.from.ExecutionByRow(d.ctx, row)
			if err != nil {
				return err
			}
			if err := d.line(lines.Record{Execution: &track.Execution{Lineage: e.Lineage, Key: e.Key}, RecordedExecution: &e}); err != nil {
				return err
			}
		}
	}
}

// annotations yields all that was added and removed, so that the last one counts, whatever is merged first.
func (d *databaseLines) annotations() error {
	list, err := d.from.Annotations(d.ctx, "")
	if err != nil {
		return err
	}
	for _, a := range list {
		if !d.parts.hasScenario(a.Scenario) {
			continue
		}
		if err := d.configuration(a.Configuration.Hash()); err != nil {
			return err
		}
		if err := d.line(lines.Record{Annotation: &a.Annotation}); err != nil {
			return err
		}
	}
	return nil
}
