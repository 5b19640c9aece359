package exchange

import (
	"context"

	"track"
	"track/evolution"
	"track/importer"
)

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
