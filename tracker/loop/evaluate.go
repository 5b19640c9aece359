package loop

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/internal/process"
	"track/tracker/lineages"
)

// evaluation is what the evaluate command is told.
type evaluation struct {
	Lineage     string         `json:"lineage"`
	Version     string         `json:"version"`
	ContentFile string         `json:"content_file"`
	Task        string         `json:"task"`
	Input       jsontext.Value `json:"input,omitzero"` // the object of the task
	Number      int            `json:"number"`         // of the trial
	Key         string         `json:"key"`
	Mutation    string         `json:"mutation,omitempty"`
	Side        string         `json:"side"`
}

// ran is a trial that came to its end.
type ran struct {
	trial
	execution track.Execution
	err       error
}

// start runs a trial in the background.
func (l *loop) start(ctx context.Context, t trial) {
	started := l.startTime()
	l.running[t.Key] = t
	go func() {
		if l.observer.Running != nil {
			l.observer.Running(t.name(), true)
			defer l.observer.Running(t.name(), false)
		}
		execution, err := l.evaluateTrial(ctx, t)
		execution.StartedAt = started
		l.results <- ran{t, execution, err}
	}()
}

// name is what people read of a running trial.
func (t trial) name() string { return t.Version + " " + t.Task }

// evaluate runs the evaluate command once.
func (l *loop) evaluate(ctx context.Context, t trial) (e track.Execution, err error) {
	dir, content, err := l.folder(ctx, "trial", t.Version)
	if err != nil {
		return e, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	f, err := l.runCommand(ctx, call{
		name: "evaluate", line: l.options.Evaluate, dir: dir,
		request: evaluation{l.options.Lineage, t.Version, content, t.Task, l.tasks.inputs[t.Task], t.Number, t.Key, t.Mutation, t.Side},
		variables: []string{
			"TRACK_VERSION=" + t.Version, "TRACK_CONTENT=" + content, "TRACK_TASK=" + t.Task, "TRACK_NUMBER=" + strconv.Itoa(t.Number),
			"TRACK_KEY=" + t.Key, "TRACK_MUTATION=" + t.Mutation, "TRACK_SIDE=" + t.Side,
		},
	})
	if err != nil {
		return e, err
	}
	return l.judge(t, f), nil
}

// judge returns the execution that a command was.
func (l *loop) judge(t trial, f finished) track.Execution {
	e, problem := parseResult(&f.Stdout)
	if problem == nil {
		problem = t.contradiction(e, l.options.Lineage)
	}
	status, message := l.failure(f)
	switch {
	case status != track.ExecutionOK: // what it has cost is known all the same
		e = track.Execution{Tokens: e.Tokens, CostUSD: e.CostUSD, Model: e.Model, Status: status, Message: message}
	case problem != nil:
		e = track.Execution{Status: track.ExecutionInvalid, Message: l.secrets.Mask(problem.Error())}
	case e.Status != track.ExecutionOK:
		e.Score = nil
	}
	e.Lineage, e.Version, e.Task, e.Key, e.Source = l.options.Lineage, t.Version, t.Task, t.Key, source
	e.Duration = cmp.Or(e.Duration, &f.took)
	return e
}

// parseResult reads the last line of standard output: a score, or an execution as a JSON object.
func parseResult(stdout *process.Tail) (track.Execution, *track.FieldError) {
	const place = "the last line of standard output"
	line, whole := stdout.LastLine()
	text := strings.TrimSpace(string(line))
	switch score, err := strconv.ParseFloat(text, 64); {
	case !whole:
		return track.Execution{}, &track.FieldError{File: place, Message: "is too long"}
	case strings.HasPrefix(text, "{"):
		e, problem := lines.ParseResult([]byte(text))
		if problem != nil {
			problem.File = place
		}
		return e, problem
	case err == nil && !math.IsNaN(score) && !math.IsInf(score, 0):
		return track.Execution{Status: track.ExecutionOK, Score: &score}, nil
	case text == "":
		return track.Execution{}, &track.FieldError{File: place, Message: "is missing: print a score, or a JSON object with a score"}
	}
	problem := &track.FieldError{File: place, Message: fmt.Sprintf("%q is neither a score nor a JSON object", text)}
	return track.Execution{}, problem.Shorten()
}

// contradiction returns an error if what a command says of its trial differs from what is recorded of it.
func (t trial) contradiction(e track.Execution, lineage string) *track.FieldError {
	for _, c := range [...]struct{ field, said, is string }{
		{"lineage", e.Lineage, lineage}, {"version", e.Version, t.Version}, {"task", e.Task, t.Task}, {"key", e.Key, t.Key},
	} {
		if c.said != "" && c.said != c.is {
			return &track.FieldError{Field: c.field, Message: fmt.Sprintf("%q differs from what is recorded: this trial has %s; leave it out", c.said, c.is)}
		}
	}
	return nil
}

// receive waits for a trial, and records it.
func (l *loop) receive(ctx context.Context) error {
	l.waiting = false
	r := <-l.results
	delete(l.running, r.Key)
	var err error
	switch {
	case r.err == nil:
		err = l.record(ctx, r)
	case ctx.Err() == nil:
		err = r.err
	}
	return cmp.Or(err, l.claims.ReleaseStep(l.options.Lineage, r.Key))
}

// drain waits for all trials that run.
func (l *loop) drain(ctx context.Context) (err error) {
	for len(l.running) > 0 {
		err = cmp.Or(err, l.receive(ctx))
	}
	return err
}

// record records a trial, unless it failed because the evaluate command does not work.
func (l *loop) record(ctx context.Context, r ran) error {
	if r.execution.Status != track.ExecutionOK {
		if sound, err := l.isSound(ctx, r.trial); err != nil || !sound {
			return err
		}
	}
	return l.add(context.WithoutCancel(ctx), r)
}

// add records a trial, and ends the loop if too many have no score.
func (l *loop) add(ctx context.Context, r ran) error {
	results, err := l.recorder.Record(ctx, []track.Execution{r.execution}, false)
	if err != nil {
		return fmt.Errorf("trial %s: %w", r.Key, err)
	}
	if results[0].Disposition != track.Recorded { // on systems without claims another process may be first
		return nil
	}
	l.result.Spent.Trials++
	if l.result.NTrials++; r.execution.Status != track.ExecutionOK {
		l.result.NFailed++
	}
	if l.observer.Ran != nil {
		l.observer.Ran(r.execution, l.result)
	}
	counts, err := l.counts(ctx, r.execution)
	if l.failures++; counts {
		l.failures, l.proven = 0, true
	}
	if err == nil && l.failures >= l.options.MaxFailures && l.result.Ending == "" {
		l.end(answer.EvolveFailed, fmt.Sprintf("%d trials in a row have no score", l.failures))
	}
	return err
}

// counts reports whether an execution has a score that counts in the lineage.
func (l *loop) counts(ctx context.Context, e track.Execution) (bool, error) {
	if e.Status != track.ExecutionOK {
		return false, nil
	}
	counts, err := lineages.IsEvidence(ctx, l.store.Reader, e)
	if err == nil && !counts && l.failures == 0 && l.observer.Notice != nil {
		hint := track.NewHint("take the scores that the command prints", "lineage set", e.Lineage).With("score-from", track.RubricOwn)
		l.observer.Notice(answer.Sentence{Kind: answer.Warning, Text: fmt.Sprintf("trial %s has no score of the kind that counts in lineage %s", e.Key, e.Lineage), Hint: &hint})
	}
	return counts, err
}
