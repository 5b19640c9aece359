package loop

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
	"track/evolution"
	"track/importer/lines"
	"track/internal/jsonio"
	"track/internal/process"
	"track/store"
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

// source is the source of the executions that loops record.
const source = "evolve"

// sideActive is the side of trials of the active version on its own; the others are those of a mutation.
const sideActive = "active"

// trial is a trial that is to be run. Its key follows from what it is for and its number, so that whoever runs it after
// an interruption, or at the same time, means the same trial.
type trial struct {
	Key, Version, Mutation, Side, Task string
	Number                             int // of the side, from 1
}

func newTrial(of, side, version, task string, number int) trial {
	t := trial{Key: of + "/" + side + "/" + strconv.Itoa(number), Version: version, Side: side, Task: task, Number: number}
	if side != sideActive {
		t.Mutation = of
	}
	return t
}

// planTrials returns the trials that a step asks for, in the order in which they start. It depends on what is recorded,
// and on nothing else.
func (l *loop) planTrials(ctx context.Context, step answer.Next) ([]trial, error) {
	if step.Action == answer.ActionWait {
		return l.planActive(ctx, step.Head, step.Executions)
	}
	history, err := lineages.ShowMutation(ctx, l.store.Reader, answer.MutationQuestion{Mutation: step.Mutation, Lineage: l.options.Lineage})
	if err != nil {
		return nil, err
	}
	recorded, err := l.recordedKeys(ctx, history.Child, history.Parents[0])
	if err != nil {
		return nil, err
	}
	if len(step.Trials) > 0 && strings.HasPrefix(step.Trials[0].Side, lineages.MeasuredPrefix) {
		return l.planMeasurement(ctx, step, recorded)
	}
	order := history.Tasks
	if order == nil { // it was proposed before the tasks were known
		tasks, err := l.decidingTasks(ctx)
		if err != nil {
			return nil, err
		}
		order = &evolution.TaskOrder{Tasks: tasks}
	}
	return planPairs(step, *order, history.Child, history.Parents[0], recorded), nil
}

// planPairs plans what a step asks for: the missing halves of pairs of which one side was run already, and the next
// pairs, each on its task and in its order. If a half is of a task that is not in the list, a whole pair takes its
// place.
func planPairs(step answer.Next, order evolution.TaskOrder, child, parent string, recorded map[string]bool) (planned []trial) {
	half := func(side string, pair int) trial {
		version := child
		if side == lineages.SideParent {
			version = parent
		}
		return newTrial(step.Mutation, side, version, order.Task(pair), pair)
	}
	taken := map[string]bool{}
	missing := map[string]int{}
	for _, t := range step.Trials {
		place := slices.Index(order.Tasks, t.Key) + 1
		switch {
		case t.Key == "":
			missing[t.Side]++
		case place == 0:
			missing[lineages.SideChild]++
			missing[lineages.SideParent]++
		default:
			for recorded[half(t.Side, place).Key] || taken[half(t.Side, place).Key] {
				place += len(order.Tasks)
			}
			planned = append(planned, half(t.Side, place))
			taken[half(t.Side, place).Key] = true
		}
	}
	for pair := 1; missing[lineages.SideChild]+missing[lineages.SideParent] > 0; pair++ {
		halves := []trial{half(lineages.SideChild, pair), half(lineages.SideParent, pair)}
		if order.ParentFirst(pair) {
			slices.Reverse(halves)
		}
		for _, t := range halves {
			if missing[t.Side] > 0 && !recorded[t.Key] && !taken[t.Key] {
				missing[t.Side]--
				planned = append(planned, t)
			}
		}
	}
	return planned
}

// planMeasurement plans the run of both sides on all tasks, task by task, with the sides in turn.
func (l *loop) planMeasurement(ctx context.Context, step answer.Next, recorded map[string]bool) (planned []trial, err error) {
	lineage, err := lineages.Load(ctx, l.store.Reader, l.options.Lineage)
	if err != nil {
		return nil, err
	}
	for i, task := range lineage.Settings.Measurement().Tasks {
		halves := slices.DeleteFunc(slices.Clone(step.Trials), func(t answer.PlannedTrial) bool { return t.Key != task })
		if i%2 == 1 {
			slices.Reverse(halves)
		}
		for _, half := range halves {
			if t := newTrial(step.Mutation, half.Side, half.Version, task, i+1); !recorded[t.Key] {
				planned = append(planned, t)
			}
		}
	}
	return planned, nil
}

// planActive plans n trials of the active version on its own.
func (l *loop) planActive(ctx context.Context, version string, n int) (planned []trial, err error) {
	tasks, err := l.decidingTasks(ctx)
	if err != nil {
		return nil, err
	}
	recorded, err := l.recordedKeys(ctx, version)
	for number := 1; len(planned) < n; number++ {
		t := newTrial(version, sideActive, version, tasks[(number-1)%len(tasks)], number)
		if !recorded[t.Key] {
			planned = append(planned, t)
		}
	}
	return planned, err
}

// nextActive returns the next trial of a version on its own, on a task.
func (l *loop) nextActive(ctx context.Context, version, task string) (t trial, err error) {
	recorded, err := l.recordedKeys(ctx, version)
	for number := 1; ; number++ {
		t = newTrial(version, sideActive, version, task, number)
		if _, runs := l.running[t.Key]; !runs && !recorded[t.Key] {
			return t, err
		}
	}
}

// decidingTasks returns the tasks that decide.
func (l *loop) decidingTasks(ctx context.Context) ([]string, error) {
	lineage, err := lineages.Load(ctx, l.store.Reader, l.options.Lineage)
	if err != nil {
		return nil, err
	}
	tasks := lineage.Settings.Deciding()
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%w: all %d tasks are held out, so none can decide", track.ErrInvalid, len(l.tasks.names))
	}
	return tasks, nil
}

// recordedKeys returns the keys of the trials of versions that loops recorded.
func (l *loop) recordedKeys(ctx context.Context, versions ...string) (map[string]bool, error) {
	list, err := l.store.Trials(ctx, l.options.Lineage, store.TrialFilter{Versions: versions})
	keys := map[string]bool{}
	for _, t := range list {
		if t.Source == source {
			keys[t.Key] = true
		}
	}
	return keys, err
}

// Task is what a version is tried on.
type Task struct {
	Name  string
	Input jsontext.Value // the object that a file of tasks has; nil for a name alone
}

// ParseTasks reads tasks, one a line: a name, or a JSON object whose member task, id or name is the name. file names
// the source in errors.
func ParseTasks(file, text string) (tasks []Task, err error) {
	known := map[string]int{}
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(nil, len(text)+1)
	for number := 1; scanner.Scan(); number++ {
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		task, problem := parseTask(line)
		if before := known[task.Name]; problem == nil && before > 0 {
			problem = &track.FieldError{Message: fmt.Sprintf("task %s is duplicated: line %d has it, too", task.Name, before)}
		}
		if problem != nil {
			problem.File, problem.Line = file, number
			return nil, problem.Shorten()
		}
		known[task.Name] = number
		tasks = append(tasks, task)
	}
	if len(tasks) == 0 {
		return nil, &track.FieldError{File: file, Message: "has no task: write one a line"}
	}
	return tasks, nil
}

func parseTask(line []byte) (t Task, problem *track.FieldError) {
	t.Name = string(line)
	if line[0] == '{' {
		var names struct {
			Task string `json:"task"`
			ID   string `json:"id"`
			Name string `json:"name"`
		}
		if err := json.Unmarshal(line, &names); err != nil {
			return t, jsonio.FieldError(err)
		}
		t.Name, t.Input = cmp.Or(names.Task, names.ID, names.Name), jsontext.Value(bytes.Clone(line))
		if t.Name == "" {
			return t, &track.FieldError{Field: "task", Message: "is missing"}
		}
	}
	if err := track.CheckName(t.Name); err != nil {
		return t, &track.FieldError{Field: "task", Message: err.Error(), Hint: &track.Hint{Text: `give a long task a name: {"task": "t-17", "prompt": "…"}`}}
	}
	return t, nil
}

// numberedTasks is how many numbers are the tasks of a loop without a list: as many as pairs that decide. An accepted
// child is measured on the first half of them.
const numberedTasks = 40

// taskList is the tasks that trials may be run on.
type taskList struct {
	names    []string
	inputs   map[string]jsontext.Value
	measured int  // how many of the names an accepted child is measured on; 0 for all
	numbered bool // there is no list, and the names are numbers
}

func newTaskList(tasks []Task, measured int) taskList {
	l := taskList{inputs: map[string]jsontext.Value{}, measured: measured}
	for _, t := range tasks {
		l.names, l.inputs[t.Name] = append(l.names, t.Name), t.Input
	}
	if tasks == nil {
		for n := 1; n <= numberedTasks; n++ {
			l.names = append(l.names, strconv.Itoa(n))
		}
		l.numbered, l.measured = true, cmp.Or(measured, numberedTasks/2)
	}
	return l
}

// set makes the tasks those of the settings.
func (l taskList) set(s *evolution.Settings) error {
	s.Tasks = &evolution.TaskSettings{Names: l.names, Measured: l.measured, Numbered: l.numbered}
	if len(s.Deciding()) == 0 {
		return fmt.Errorf("%w: all %d tasks are held out, so none can decide", track.ErrInvalid, len(l.names))
	}
	return nil
}
