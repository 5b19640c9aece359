package exchange

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/store"
	"track/tracker/agents"
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

// ExportLines writes a database, or parts of it, as lines, from which [MergeFiles] makes the same database.
func ExportLines(ctx context.Context, from *store.Store, parts Parts, compress bool, create func(name string) (io.Writer, error)) (a answer.LinesExported, err error) {
	a.Kinds = []answer.SentRecords{}
	name := "database.jsonl"
	if compress {
		name += ".gz"
	}
	var out *bufio.Writer
	var zipped *gzip.Writer
	var text []byte
	for record, err := range DatabaseLines(ctx, from, parts) {
		if err != nil {
			return a, err
		}
		if out == nil { // an error of the first record makes no file
			to, err := create(name)
			if err != nil {
				return a, err
			}
			if compress {
				zipped = gzip.NewWriter(to)
				to = zipped
			}
			out = bufio.NewWriterSize(to, 1<<16)
		}
		if text, err = lines.Append(text[:0], record); err == nil {
			_, err = out.Write(text)
		}
		if err != nil {
			return a, err
		}
		if record.Export == nil {
			a.Kinds = counted(a.Kinds, answer.SentRecords{Kind: record.Kind(), N: 1})
		}
	}
	err = out.Flush()
	if zipped != nil {
		err = errors.Join(err, zipped.Close())
	}
	return a, err
}

// ExportLineage returns a lineage as the lines that [MergeFiles] reads, or its manifest. An empty name stands for
// the only lineage.
func ExportLineage(ctx context.Context, r *store.Reader, name string, manifest bool) ([]byte, error) {
	name, err := lineages.Resolve(ctx, r, name)
	if err != nil {
		return nil, err
	}
	x, err := lineages.Export(ctx, r, name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	write := lines.WriteLineage
	if manifest {
		write = lines.WriteManifest
	}
	err = write(&b, x)
	return b.Bytes(), err
}

// counted adds records to those of their kind.
func counted(list []answer.SentRecords, more answer.SentRecords) []answer.SentRecords {
	for i := range list {
		if list[i].Kind == more.Kind && list[i].Reason == more.Reason {
			list[i].N += more.N
			return list
		}
	}
	return append(list, more)
}

// StoredLines hands over the facts that a database holds as lines that a server takes. It returns what lines do not
// carry, by kind.
func StoredLines(ctx context.Context, from *store.Store, put func(line []byte) error) (left []answer.SentRecords, err error) {
	identity := agents.NewRecorder(from, agents.Options{ContentKeys: true}, nil)
	for record, err := range DatabaseLines(ctx, from, Parts{}) {
		if err != nil {
			return left, err
		}
		if record.Export != nil || record.Configuration != nil {
			continue
		}
		if l := record.Lineage; l != nil && len(l.Entries) == 0 {
			for _, v := range l.Versions {
				if v.Content != nil {
					left = counted(left, answer.SentRecords{Kind: "version", N: 1, Reason: "lines of executions name versions, and do not carry their contents"})
				}
			}
			continue
		}
		fact, reason, err := factOf(record, identity)
		if err != nil {
			return left, err
		}
		if reason != "" {
			left = counted(left, answer.SentRecords{Kind: record.Kind(), N: 1, Reason: reason})
			continue
		}
		if n := repetitions(record); n > 0 {
			left = counted(left, answer.SentRecords{Kind: "repetition", N: n, Reason: "a server takes facts alone"})
		}
		line, err := lines.Append(nil, fact)
		if err == nil {
			err = put(line)
		}
		if err != nil {
			return left, err
		}
	}
	return left, nil
}

func repetitions(record lines.Record) int {
	if record.RecordedSeed == nil {
		return 0
	}
	return len(record.RecordedSeed.Repetitions)
}

// factOf returns a record of a database without what only its owner brings, or why there is no such fact.
func factOf(record lines.Record, identity *agents.Recorder) (fact lines.Record, reason string, err error) {
	switch {
	case record.RecordedSeed != nil:
		return lines.Record{Seed: record.Seed}, notSent(record), nil
	case record.RecordedExecution != nil:
		e := record.RecordedExecution
		switch {
		case !e.ForgottenAt.IsZero():
			return fact, "its texts were forgotten", nil
		case !lines.CarriesSource(e.Source):
			return fact, "it comes neither from lines nor from the log of an agent", nil
		case e.Open:
			return fact, "its log has not ended", nil
		}
		execution := executionWithTexts(store.RecordOf(*e))
		same, err := identity.Identify(execution, false)
		if err != nil || track.TextDigest(same.Digest) != e.Digest || same.Key != e.Key {
			return fact, "a line would not say all that is recorded, such as texts that are not kept", nil
		}
		return lines.Record{Execution: &execution}, "", nil
	case record.Withdrawal != nil:
		return fact, "a server takes no withdrawals as lines", nil
	case record.Spec != nil:
		return fact, "add it to the server with track spec add", nil
	case record.IsRecorded() || record.Lineage != nil:
		return fact, "a server takes facts alone", nil
	}
	return record, "", nil
}

// notSent says why a seed is not sent: a server would take others for seeds that count.
func notSent(record lines.Record) string {
	switch r := record.RecordedSeed; {
	case r.IsWithdrawn:
		return "it is withdrawn: a server takes no withdrawals as lines"
	case !r.SupersededAt.IsZero():
		return "another seed has replaced it"
	case len(r.Pruned) > 0:
		return "its series or files are pruned"
	case track.TextDigest(record.Seed.Digest()) != r.Digest:
		return "a line would not say what is recorded"
	}
	return ""
}

// executionWithTexts returns an execution with the texts that are kept of it.
func executionWithTexts(r store.ExecutionRecord) track.Execution {
	e := r.Execution
	if agents.IsContentKey(e.Key) {
		e.Key = "" // it was made of the content
	}
	e.Prompt, e.Output = keptText(r.Prompt), keptText(r.Output)
	for i := range e.Calls {
		if text := keptText(&r.Inputs[i]); text != nil {
			e.Calls[i].Input = *text
		}
		if e.Calls[i].Output = keptText(r.Outputs[i]); r.Outputs[i] != nil {
			e.Calls[i].WholeOutput = r.Outputs[i].WholeBytes
		}
	}
	for _, score := range r.Scores {
		if score.Rubric == track.RubricOwn {
			e.Score = score.Score
		}
	}
	return e
}

// keptText returns a text that is kept; nil if there is none.
func keptText(r *track.RecordedText) *string {
	switch {
	case r == nil:
		return nil
	case r.Text == nil && r.Bytes == 0:
		return new(string)
	}
	return r.Text
}
