package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/evolution"
	"track/importer"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
)

// programsWriter writes the programs of a run: a [Record].
type programsWriter struct {
	lineages.Lineage
	tx         *store.Tx
	options    ProgramsOptions
	run        importer.Run
	labels     map[string]string // of versions, by the id of the program
	births     map[string]string // ids of programs that a mutation made, by their own ids
	first      map[string]string // id of the first program of a version that is new here, by the label
	seen       map[string]bool   // labels that a program of this run has
	tasks      map[string]bool   // with a score of their own
	entropy    io.Reader
	executions *agents.Recorder
	summary    answer.ImportedPrograms
	answers    []Answer
}

func (*programsWriter) needs() (Rights, string) { return Owner, "lineage" }
func (*programsWriter) isKnown() bool           { return false }

// settle records all programs. In a dry run it does so in a transaction that is rolled back.
func (w *programsWriter) settle(ctx context.Context, d *Door, _ *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	if tx == nil {
		err = d.try(ctx, func(tx *store.Tx) error { return w.write(ctx, d, tx) })
	} else {
		err = w.write(ctx, d, tx)
	}
	return w.answers, err
}

func (w *programsWriter) write(ctx context.Context, d *Door, tx *store.Tx) error {
	w.summary, w.answers = newImportedPrograms(w.run, w.options), nil
	if _, err := d.names.Lineage(ctx, tx.Reader, w.options.Lineage); err != nil { // which warns
		return err
	}
	if err := w.begin(ctx, tx); err != nil {
		return err
	}
	if err := w.checkScores(); err != nil {
		return err
	}
	rejected := slices.SortedStableFunc(slices.Values(w.run.Rejected), func(a, b importer.RejectedProgram) int { return cmp.Compare(a.Iteration, b.Iteration) })
	for _, p := range w.run.Programs {
		if p.Iteration != nil { // in the order of the proposals
			var err error
			if rejected, err = w.rejectedBefore(ctx, *p.Iteration, rejected); err != nil {
				return err
			}
		}
		if len(p.Parents) > 0 {
			w.births[p.ID] = p.ID
		}
		if err := w.program(ctx, p); err != nil {
			return fmt.Errorf("program %s: %w", p.ID, err)
		}
	}
	if _, err := w.rejectedBefore(ctx, math.MaxInt, rejected); err != nil {
		return err
	}
	if err := w.follow(ctx); err != nil {
		return err
	}
	w.summary.Head, w.summary.Tasks = w.Head, len(w.tasks)
	return nil
}

// begin stores the contents, and loads the lineage or begins it with the best program.
func (w *programsWriter) begin(ctx context.Context, tx *store.Tx) (err error) {
	w.seen, w.labels, w.births, w.first, w.tasks, w.tx = map[string]bool{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string]bool{}, tx
	w.Lineage, err = lineages.Load(ctx, tx.Reader, w.options.Lineage)
	if err == nil {
		if err = w.versions(); err == nil && w.isOther() {
			err = fmt.Errorf("%w: lineage %s holds another run: it has the content of no program of this one", track.ErrConflict, w.Name)
			err = track.WithHint(err, track.Hint{Text: "import the run into a lineage of its own"}.With("lineage", "NAME"))
		}
		return err
	}
	if !errors.Is(err, track.ErrNotFound) {
		return err
	}
	if w.Evolving, err = tx.Evolve(w.options.Lineage, 0, lineages.SubjectAgent); err == nil {
		err = w.versions()
	}
	if err == nil {
		w.Lineage, err = w.create(ctx)
		w.summary.Created = err == nil
	}
	return err
}

// isOther reports whether the lineage has mutations, and the content of no program of the run.
func (w *programsWriter) isOther() bool {
	return w.End.Number > 1 && !slices.ContainsFunc(w.run.Programs, func(p importer.Program) bool {
		return p.Content == "" || w.first[w.labels[p.ID]] == ""
	})
}

// versions stores the contents of the programs.
func (w *programsWriter) versions() error {
	for _, p := range w.run.Programs {
		if p.Content == "" {
			if err := w.nameVersion(p); err != nil {
				return err
			}
			continue
		}
		content, masked := w.content(p)
		label, added, err := w.tx.AddContent(w.ID, content)
		if err != nil {
			return fmt.Errorf("program %s: %w", p.ID, err)
		}
		w.summary.Masked += masked
		if added {
			w.first[label] = p.ID
			w.summary.Versions++
		}
		if w.seen[label] {
			w.summary.SameContent++
		}
		w.seen[label], w.labels[p.ID] = true, label
	}
	return nil
}

// nameVersion stores a version of which the source has no content: under its digest, if there is one, else its id.
func (w *programsWriter) nameVersion(p importer.Program) error {
	label := p.ID
	if p.Digest != "" {
		label = "sha256:" + p.Digest
	}
	if w.seen[label] {
		w.summary.SameContent++
	} else if w.first[label] = p.ID; w.summary.Created {
		w.summary.Versions++
	}
	w.seen[label], w.labels[p.ID] = true, label
	return w.tx.AddVersionName(w.ID, label)
}

// create begins the ledger. The best program is active; without one, nothing is.
func (w *programsWriter) create(ctx context.Context) (lineages.Lineage, error) {
	o := lineages.NewOptions{
		Name: w.options.Lineage, Subject: lineages.SubjectAgent, Settings: w.settings(), Seed: w.options.Seed, At: w.options.At, Headless: true,
		Source: w.options.Source,
	}
	if best := w.bestProgram(); best != nil {
		o.Head = w.labels[best.ID]
		if len(best.Parents) > 0 {
			o.HeadMutation = best.ID
		}
	}
	if first := w.run.Programs[0].At; !first.IsZero() {
		o.At = first
	}
	return lineages.Create(ctx, w.tx, o, w.entropy)
}

func (w *programsWriter) content(p importer.Program) (content string, masked int) {
	if w.options.KeepSecrets {
		return p.Content, 0
	}
	return w.executions.Texts().Text(p.Content)
}

// program records one program.
func (w *programsWriter) program(ctx context.Context, p importer.Program) error {
	label := w.labels[p.ID]
	if p.Best {
		w.best(p, label)
	}
	parents, births, err := w.parentsOf(ctx, p)
	if err != nil {
		return err
	}
	if err := w.describe(p, label, parents); err != nil {
		return err
	}
	if len(parents) > 0 {
		if err := w.step(ctx, p, label, parents, births); err != nil {
			return err
		}
	}
	return w.evaluation(ctx, p, label)
}

func (w *programsWriter) best(p importer.Program, label string) {
	name := label + " (" + p.ID + ")"
	w.summary.Best = append(w.summary.Best, name)
	if p.Failed != "" {
		w.summary.BestFailed = append(w.summary.BestFailed, name+": "+p.Failed)
	}
}

// parentsOf returns the versions that a program was made of, and the mutations that made them. Of a parent that the
// source has lost, only the id is known.
func (w *programsWriter) parentsOf(ctx context.Context, p importer.Program) (refs []evolution.VersionRef, births []string, err error) {
	for _, id := range p.Parents {
		label, there := w.labels[id]
		if !there {
			label = id
			if err := track.CheckName(id); err != nil {
				return nil, nil, &track.FieldError{File: p.File, Line: p.Line, Field: "parent", Message: err.Error()}
			}
			if err := w.tx.AddVersionName(w.ID, label); err != nil {
				return nil, nil, err
			}
			w.labels[id] = label
		}
		if slices.ContainsFunc(refs, func(v evolution.VersionRef) bool { return v.Label == label }) {
			continue // two parents of one content
		}
		ref, err := lineages.VersionRef(ctx, w.tx.Reader, w.Lineage, label)
		if err != nil {
			return nil, nil, err
		}
		refs, births = append(refs, ref), append(births, w.births[id])
	}
	return refs, births, nil
}

// describe stores the source's description of a version: that of the first program with this content, and whether any
// of them is the best.
func (w *programsWriter) describe(p importer.Program, label string, parents []evolution.VersionRef) error {
	v := track.Version{Lineage: w.Name, Name: label}
	if w.first[label] == p.ID {
		note, masked := w.executions.Texts().Text(p.Title)
		w.summary.Masked += masked
		v.Operator, v.Status, v.Note, v.Source, v.SourceScore, v.CreatedAt = p.Operator, p.Failed, note, w.options.Source, cmp.Or(p.Score, p.Partial), p.At
		if len(parents) > 0 && parents[0].Label != label {
			v.Parent = parents[0].Label
		}
	}
	if p.Best {
		v.Status = strings.Trim("best, "+p.Failed, ", ")
	}
	if err := v.Validate(); err != nil {
		return err
	}
	_, err := w.tx.AddVersion(v, !p.Best)
	return err
}

// step records the mutation that led to a program.
func (w *programsWriter) step(ctx context.Context, p importer.Program, label string, parents []evolution.VersionRef, births []string) error {
	child, err := lineages.VersionRef(ctx, w.tx.Reader, w.Lineage, label)
	if err != nil {
		return err
	}
	proposal := evolution.Proposal{
		Mutation: p.ID, Named: true, Parents: parents, ParentMutations: births, Child: child, Operator: cmp.Or(p.Operator, "unknown"), Risk: evolution.Medium, Source: w.options.Source,
		Origin: w.origin(evolution.Origin{Generation: p.Generation, Iteration: p.Iteration, Island: p.Island, Cell: p.Cell, Feedback: p.Feedback, Digest: p.Digest}),
	}
	known, err := lineages.FindProposed(ctx, w.tx.Reader, w.Lineage, proposal)
	switch {
	case errors.Is(err, track.ErrConflict):
		w.summary.Conflicts = append(w.summary.Conflicts, p.ID)
		delete(w.births, p.ID)
		return nil
	case err != nil || known != nil:
		return err
	}
	proposal.Note, _ = w.executions.Texts().Text(cmp.Or(p.Title, noteOf(w.run.Minibatches[p.ID])))
	at := p.At
	if at.IsZero() {
		at = w.options.At
	}
	if _, _, err = lineages.AddMutation(ctx, w.tx, &w.Lineage, proposal, at); err == nil {
		w.summary.Mutations++
	}
	return err
}

// origin returns what the source says about a mutation; nil if it says nothing.
func (w *programsWriter) origin(o evolution.Origin) *evolution.Origin {
	o.Feedback, _ = w.executions.Texts().Text(o.Feedback)
	if o == (evolution.Origin{}) {
		return nil
	}
	return &o
}

// evaluation records what the source measured of a program: an execution with its score and all measurements or, if
// it has scores on single tasks, one for each task besides.
func (w *programsWriter) evaluation(ctx context.Context, p importer.Program, label string) error {
	e := track.Execution{
		Lineage: w.Name, Version: label, Source: w.options.Source, Key: p.ID, Task: evolution.TaskEvaluation, Status: statusOf(p.Failed), Message: p.Message, StartedAt: p.At, Truths: p.Metrics,
	}
	if p.Score != nil && p.Trials == nil {
		e.Score = w.scored(p.Score)
	}
	if err := w.execution(ctx, e, p.Failed != ""); err != nil {
		return err
	}
	for _, t := range p.Trials {
		w.tasks[t.Task] = true
		one := track.Execution{Lineage: w.Name, Version: label, Source: w.options.Source, Key: p.ID + "/" + t.Task, Task: t.Task, Status: track.ExecutionOK, StartedAt: p.At}
		if one.Score = w.scored(t.Score); t.Score == nil {
			one.Status, one.Message = track.ExecutionInvalid, "no number as score"
		}
		if err := w.execution(ctx, one, t.Score == nil); err != nil {
			return err
		}
	}
	if batch, found := w.run.Minibatches[p.ID]; found {
		return w.minibatch(ctx, p.ID, label, batch)
	}
	return nil
}

// minibatch records the test of a proposal as measurements, and not as scores: those of a version are on other tasks.
func (w *programsWriter) minibatch(ctx context.Context, id, label string, b importer.Minibatch) error {
	truths := map[string]float64{}
	for name, scores := range map[string][]float64{"before": b.Before, "after": b.After} {
		for i, score := range scores {
			truths[b.Tasks[i]+", "+name] = score
			truths["sum "+name] += score
		}
	}
	return w.execution(ctx, track.Execution{
		Lineage: w.Name, Version: label, Source: w.options.Source, Key: id + "/minibatch", Task: evolution.TaskMinibatch, Status: track.ExecutionOK, Truths: truths,
	}, false)
}

func (w *programsWriter) scored(score *float64) *float64 {
	if score == nil {
		return nil
	}
	value := w.score(*score)
	return &value
}

func statusOf(failed string) track.ExecutionStatus {
	switch failed {
	case "":
		return track.ExecutionOK
	case importer.FailedTimeout:
		return track.ExecutionTimeout
	case importer.FailedInvalid:
		return track.ExecutionInvalid
	}
	return track.ExecutionError
}

// execution records an execution.
func (w *programsWriter) execution(ctx context.Context, e track.Execution, failed bool) error {
	prepared, err := w.executions.Identify(e, false)
	if err != nil {
		return err
	}
	if err := w.executions.Complete(&prepared, false); err != nil {
		return err
	}
	result, err := w.executions.Add(ctx, w.tx, prepared)
	w.answers = append(w.answers, answerOf(kindExecution, result.Disposition, nil))
	switch {
	case err != nil:
		return err
	case result.Disposition == track.Duplicate:
		w.summary.Duplicates++
	case result.Disposition == track.Conflict:
		w.summary.Conflicts = append(w.summary.Conflicts, e.Key)
	default:
		w.summary.Executions++
		if failed {
			w.summary.Failed++
		}
	}
	return nil
}

// rejected records a proposal that the source rejected: a mutation to a version without content, which is withdrawn.
func (w *programsWriter) rejected(ctx context.Context, r importer.RejectedProgram) error {
	if err := w.tx.AddVersionName(w.ID, r.ID); err != nil {
		return err
	}
	parents, births, err := w.parentsOf(ctx, importer.Program{ID: r.ID, Parents: r.Parents})
	if err != nil {
		return err
	}
	batch := *cmp.Or(r.Minibatch, new(importer.Minibatch))
	proposal := evolution.Proposal{
		Mutation: r.ID, Named: true, Parents: parents, ParentMutations: births, Child: evolution.VersionRef{Label: r.ID}, Operator: cmp.Or(r.Operator, "unknown"),
		Risk: evolution.Medium, Source: w.options.Source, Note: noteOf(batch), Origin: w.origin(evolution.Origin{Iteration: &r.Iteration, Feedback: r.Feedback}),
	}
	known, err := lineages.FindProposed(ctx, w.tx.Reader, w.Lineage, proposal)
	switch {
	case errors.Is(err, track.ErrConflict):
		w.summary.Conflicts = append(w.summary.Conflicts, r.ID)
		return nil
	case err != nil:
		return err
	case known == nil:
		if _, _, err := lineages.AddMutation(ctx, w.tx, &w.Lineage, proposal, w.options.At); err != nil {
			return err
		}
		w.summary.Mutations++
		m, err := w.tx.Mutation(ctx, w.Evolving, r.ID)
		if err != nil {
			return err
		}
		if _, err := lineages.TakeBack(w.tx, &w.Lineage, m, "rejected by "+w.options.Source+" after a "+cmp.Or(noteOf(batch), "test"), w.options.At); err != nil {
			return err
		}
	}
	if r.Minibatch == nil {
		return nil
	}
	return w.minibatch(ctx, r.ID, r.ID, batch)
}

// rejectedBefore records the first of the rejected proposals, those before an iteration, and returns the others.
func (w *programsWriter) rejectedBefore(ctx context.Context, iteration int, list []importer.RejectedProgram) ([]importer.RejectedProgram, error) {
	for ; len(list) > 0 && list[0].Iteration < iteration; list = list[1:] {
		if err := w.rejected(ctx, list[0]); err != nil {
			return nil, fmt.Errorf("proposal %s: %w", list[0].ID, err)
		}
	}
	return list, nil
}

// noteOf says how a proposal did in its test; empty if it had none.
func noteOf(b importer.Minibatch) string {
	if len(b.Tasks) == 0 {
		return ""
	}
	const named = 8
	tasks := slices.Clone(b.Tasks[:min(named, len(b.Tasks))])
	if more := len(b.Tasks) - len(tasks); more > 0 {
		tasks = append(tasks, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("minibatch of %s: sum of scores %s before, %s after", strings.Join(tasks, ", "), sumText(b.Before), sumText(b.After))
}

func sumText(list []float64) string {
	if len(list) == 0 {
		return "unknown"
	}
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return fmt.Sprintf("%.6g", sum)
}
