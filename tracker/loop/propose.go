package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/jsonio"
	"track/internal/process"
	"track/scoring/format"
	"track/store"
	"track/tracker/lineages"
)

// proposal is what the propose command is told.
type proposal struct {
	Lineage     string             `json:"lineage"`
	Version     string             `json:"version"` // the parent
	ContentFile string             `json:"content_file"`
	ChildFile   string             `json:"child_file"` // to be written, unless the child is printed
	Operator    evolution.Operator `json:"operator"`
	Number      int                `json:"number"`  // of the mutation
	Attempt     int                `json:"attempt"` // from 1
	Problem     string             `json:"problem,omitempty"`
	Fitness     *float64           `json:"fitness"`   // of the parent
	Best        *bestVersion       `json:"best"`      // nil if no version has a score
	Trials      []seenTrial        `json:"trials"`    // of the parent, the newest first
	Mutations   []answer.Mutation  `json:"mutations"` // of the lineage, the newest first
}

type bestVersion struct {
	Version     string   `json:"version"`
	Fitness     *float64 `json:"fitness"`
	ContentFile string   `json:"content_file"`
}

// seenTrial is evidence and feedback.
type seenTrial struct {
	Task    string                `json:"task"`
	Status  track.ExecutionStatus `json:"status"`
	Score   *float64              `json:"score"`
	Message string                `json:"message,omitempty"`
	Key     string                `json:"key"`
}

// The numbers of trials and mutations that a proposal is told of.
const (
	mostTrials    = 20
	mostMutations = 10
)

// madeChild is what a propose command made.
type madeChild struct {
	content string
	note    string
	costUSD *float64
}

// mutate has a child proposed, unless another process does so. The parent is tried first: a command that cannot
// evaluate it shows that before a child is paid for.
func (l *loop) mutate(ctx context.Context, step answer.Next, ahead lineages.Outlook) error {
	if ahead.Missing > 0 {
		return l.runTrials(ctx, answer.Next{Action: answer.ActionWait, Head: step.Head, Executions: ahead.Missing})
	}
	const name = "propose"
	claimed, err := l.claims.TakeStep(l.options.Lineage, name)
	if err != nil {
		return err
	}
	if !claimed {
		return l.await(ctx)
	}
	l.waiting = false
	still, err := l.isStill(ctx, step)
	if err == nil && still {
		err = l.propose(ctx, step)
	}
	if releaseErr := l.claims.ReleaseStep(l.options.Lineage, name); err == nil {
		err = releaseErr
	}
	return err
}

// propose runs the propose command until it makes a child that can be recorded, a few times.
func (l *loop) propose(ctx context.Context, step answer.Next) error {
	problem, cost := "", (*float64)(nil)
	for attempt := 1; attempt <= 1+l.options.Retries; attempt++ {
		child, failure, err := l.proposeChild(ctx, step, attempt, problem)
		if err != nil {
			return err
		}
		if child.costUSD != nil {
			total := *child.costUSD
			if cost != nil {
				total += *cost
			}
			cost = &total
		}
		if failure == "" {
			if failure, err = l.register(ctx, step, child, cost); err != nil || failure == "" {
				return err
			}
		}
		l.notice("no child by %s: %s", step.Operator, failure)
		problem = failure
	}
	l.end(answer.EvolveFailed, "the propose command made no child: "+problem)
	return nil
}

// register records the mutation to a child. It returns why the child is none if another one may be.
func (l *loop) register(ctx context.Context, step answer.Next, child madeChild, cost *float64) (failure string, err error) {
	made, err := lineages.ProposeMutation(ctx, l.store, answer.ProposeQuestion{
		Lineage: l.options.Lineage, Child: &child.content, Parents: []string{step.Head}, Operator: step.Operator, Note: child.note, CostUSD: cost,
	})
	if errors.Is(err, track.ErrInvalid) || errors.Is(err, track.ErrConflict) {
		return err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	l.result.NProposed++
	if l.refused++; made.State != evolution.MutationRefused {
		l.refused = 0
	} else if l.result.NRefused++; l.refused > l.options.Retries {
		l.end(answer.EvolveFailed, fmt.Sprintf("the lineage refused the child of each of the last %s", format.Counted(l.refused, "proposal")))
	}
	if l.observer.Proposed != nil {
		l.observer.Proposed(made)
	}
	return "", nil
}

// makeChild runs the propose command once. failure says why it made no child.
func (l *loop) makeChild(ctx context.Context, step answer.Next, attempt int, problem string) (child madeChild, failure string, err error) {
	dir, content, err := l.folder(ctx, "proposal", step.Head)
	if err != nil {
		return child, "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	request := proposal{
		Lineage: l.options.Lineage, Version: step.Head, ContentFile: content, ChildFile: filepath.Join(dir, "child"), Operator: evolution.Operator{Name: step.Operator, Risk: step.Risk}, Attempt: attempt,
		Problem: problem,
	}
	if err := l.describe(ctx, dir, &request); err != nil {
		return child, "", err
	}
	if l.observer.Running != nil {
		l.observer.Running("propose", true)
		defer l.observer.Running("propose", false)
	}
	f, err := l.runCommand(ctx, call{
		name: "propose", line: l.options.Propose, dir: dir, request: request,
		variables: []string{
			"TRACK_VERSION=" + step.Head, "TRACK_CONTENT=" + content, "TRACK_CHILD=" + request.ChildFile, "TRACK_OPERATOR=" + step.Operator,
			"TRACK_RISK=" + string(step.Risk), "TRACK_NUMBER=" + strconv.Itoa(request.Number), "TRACK_ATTEMPT=" + strconv.Itoa(attempt),
		},
	})
	if err != nil {
		return child, "", err
	}
	if _, failure = l.failure(f); failure != "" {
		return child, failure, nil
	}
	return readChild(request.ChildFile, f)
}

// readChild returns the child that a command wrote to a file, or printed. With a file, the last line of standard output
// may be an object with a note and the cost.
func readChild(file string, f finished) (child madeChild, failure string, err error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		text, whole := f.Stdout.Whole()
		if !whole {
			return child, fmt.Sprintf("standard output is longer than %d MiB", keptStdout>>20), nil
		}
		return madeChild{content: string(text)}, "", nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > keptStdout {
		return child, fmt.Sprintf("the file of the child is no regular file of at most %d MiB", keptStdout>>20), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return child, "", err
	}
	child.content = string(text)
	line, _ := f.Stdout.LastLine()
	if !strings.HasPrefix(string(line), "{") {
		return child, "", nil
	}
	var said struct {
		Note    string   `json:"note"`
		CostUSD *float64 `json:"cost_usd"`
	}
	if err := json.Unmarshal(line, &said); err != nil {
		return child, "the last line of standard output: " + jsonio.FieldError(err).Shorten().Error(), nil
	}
	child.note, child.costUSD = said.Note, said.CostUSD
	return child, "", nil
}

// describe fills in what is known: the best version, and how the parent and the last mutations did.
func (l *loop) describe(ctx context.Context, dir string, p *proposal) error {
	n, err := l.mutations(ctx)
	if err != nil {
		return err
	}
	p.Number = n + 1
	shown, err := lineages.ShowLineage(ctx, l.store.Reader, answer.LineageQuestion{Lineage: p.Lineage})
	if err != nil {
		return err
	}
	for _, v := range shown.Versions {
		if v.Version == p.Version {
			p.Fitness = v.Fitness
		}
		if v.Best {
			p.Best = &bestVersion{v.Version, v.Fitness, filepath.Join(dir, "best")}
			if err := l.writeContent(ctx, p.Best.ContentFile, v.Version); err != nil {
				return err
			}
		}
	}
	trials, err := lineages.Feedback(ctx, l.store.Reader, p.Lineage, p.Version, mostTrials)
	p.Trials = []seenTrial{}
	for _, e := range trials {
		p.Trials = append(p.Trials, seenTrial{e.Task, e.Status, e.Score, e.Message, e.Key})
	}
	if err != nil {
		return err
	}
	limit := mostMutations
	recent, err := lineages.ListMutations(ctx, l.store.Reader, answer.MutationsQuestion{Lineage: p.Lineage, Page: answer.Page{Limit: limit}})
	p.Mutations = recent.Items
	return err
}

const (
	keptStdout = 16 << 20 // the content of a child, or the last line with a result
	keptStderr = 64 << 10
)

// finished is a command that came to an end of its own, or was ended by its timeout.
type finished struct {
	process.Ending
	*process.Process
	took time.Duration
}

// call is a line of shell with what it is told.
type call struct {
	name, line, dir string
	request         any      // JSON on standard input
	variables       []string // of its environment
}

// runCommand runs a command to its end. An error is not the command's, but says that none can be run, or that ctx has
// ended.
func (l *loop) runCommand(ctx context.Context, c call) (f finished, err error) {
	request := filepath.Join(c.dir, "request.json")
	text, err := json.Marshal(c.request, jsontext.WithIndent("  "))
	if err != nil {
		return f, err
	}
	if err := os.WriteFile(request, append(text, '\n'), 0o600); err != nil {
		return f, err
	}
	stdin, err := os.Open(request)
	if err != nil {
		return f, err
	}
	defer func() { _ = stdin.Close() }()
	cmd := exec.Command("sh", "-c", c.line)
	cmd.Stdin = stdin
	cmd.Env = append(append(process.Environment(), "TRACK_LINEAGE="+l.options.Lineage, "TRACK_REQUEST="+request), c.variables...)
	f.Process = process.New(cmd, process.Options{Guard: l.guard, Timeout: l.options.Timeout, KeptStdout: keptStdout, KeptStderr: keptStderr})
	started := time.Now()
	f.Ending = f.Run(ctx)
	f.took = time.Since(started).Round(time.Microsecond)
	if ctx.Err() != nil {
		return f, context.Cause(ctx)
	}
	return f, l.cannotRun(c, f)
}

// cannotRun returns an error if a command could not be found or started: that is no failure of what it was to do.
func (l *loop) cannotRun(c call, f finished) error {
	const notExecutable, notFound = 126, 127 // exit codes of a shell
	switch {
	case f.Err != nil:
		return fmt.Errorf("%s: the command cannot be started: %w", c.name, f.Err)
	case f.ExitCode != nil && (*f.ExitCode == notFound || *f.ExitCode == notExecutable):
		err := fmt.Errorf("%w: %s: exit code %d: %s", track.ErrInvalid, c.name, *f.ExitCode, l.secrets.LastWords(&f.Stderr))
		return track.WithHint(err, track.Hint{Text: "the shell cannot run a program of this command; nothing was recorded of it"})
	}
	return nil
}

// failure returns how a command failed and why; ok if it did not.
func (l *loop) failure(f finished) (status track.ExecutionStatus, message string) {
	switch {
	case f.TimedOut:
		status, message = track.ExecutionTimeout, fmt.Sprintf("no end after %v", l.options.Timeout)
	case f.Signal != "":
		status, message = track.ExecutionError, "killed by "+f.Signal
	case f.ExitCode == nil || *f.ExitCode != 0:
		status, message = track.ExecutionError, "exit code "+strconv.Itoa(*f.ExitCode)
	default:
		return track.ExecutionOK, ""
	}
	if words := l.secrets.LastWords(&f.Stderr); words != "" {
		message += ": " + words
	}
	return status, message
}

// folder makes a folder with the content of a version in a file.
func (l *loop) folder(ctx context.Context, name, version string) (dir, content string, err error) {
	if dir, err = os.MkdirTemp(l.dir, name+"-"); err != nil {
		return "", "", err
	}
	content = filepath.Join(dir, "content")
	return dir, content, l.writeContent(ctx, content, version)
}

// writeContent writes the content of a version to a file.
func (l *loop) writeContent(ctx context.Context, file, version string) error {
	content, err := l.store.Content(ctx, l.options.Lineage, version)
	if err != nil {
		return err
	}
	if content == nil {
		return fmt.Errorf("%w: the content of %s@%s was never recorded", track.ErrInvalid, l.options.Lineage, version)
	}
	return os.WriteFile(file, []byte(*content), 0o600)
}

const (
	unchecked   = 2   // trials without a score that are recorded in a row before the evaluate command is checked again
	searchedFor = 200 // newest trials among which there may be one to check the evaluate command by
)

// isSound reports whether the evaluate command works, so that a trial without a score says something about its version.
// It tries another version that had a score before, on the same task as then. If that fails as well, the loop ends: the
// failed trials are not recorded, and nothing is decided on them. Before any version has a score, it cannot tell.
func (l *loop) isSound(ctx context.Context, failed trial) (bool, error) {
	switch {
	case l.broken:
		return false, nil
	case l.proven && l.failures < unchecked:
		return true, nil
	}
	check, err := l.checkTrial(ctx, failed.Version)
	if check == nil || err != nil {
		return err == nil, err
	}
	started := l.startTime()
	e, err := l.evaluateTrial(ctx, *check)
	e.StartedAt = started
	switch {
	case ctx.Err() != nil: // the failed trial runs again in the next loop
		return false, nil
	case err != nil:
		return false, err
	case e.Status != track.ExecutionOK:
		l.broken = true
		l.end(answer.EvolveFailed, fmt.Sprintf("the evaluate command gives no score to %s, nor to %s, which had one before: %s; nothing was decided on it",
			failed.Version, check.Version, e.Message))
		return false, l.claims.ReleaseStep(l.options.Lineage, check.Key)
	}
	if err := l.add(context.WithoutCancel(ctx), ran{trial: *check, execution: e}); err != nil {
		return false, err
	}
	return true, l.claims.ReleaseStep(l.options.Lineage, check.Key)
}

// checkTrial returns a trial of a version that had a score before: of the active one, or else of the newest other one.
// It returns nil if there is none.
func (l *loop) checkTrial(ctx context.Context, failed string) (*trial, error) {
	list, err := l.store.Trials(ctx, l.options.Lineage, store.TrialFilter{Ended: true, Newest: searchedFor})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(t store.Trial) bool {
		_, has := l.tasks.inputs[t.Task]
		return t.Version == failed || t.Source != source || t.Score == nil || t.Holdout || len(l.tasks.names) > 0 && !has
	})
	if len(list) == 0 {
		return nil, nil
	}
	evolving, err := l.store.Evolving(ctx, l.options.Lineage)
	if err != nil {
		return nil, err
	}
	known := list[max(0, slices.IndexFunc(list, func(t store.Trial) bool { return t.Version == evolving.Head }))]
	check, err := l.nextActive(ctx, known.Version, known.Task)
	if err != nil {
		return nil, err
	}
	for {
		if claimed, err := l.claim(ctx, check); claimed || err != nil {
			return &check, err
		}
		check = newTrial(known.Version, sideActive, known.Version, known.Task, check.Number+1)
	}
}

// startTime returns when a trial starts. Trials start one after the other, so that their order is known.
func (l *loop) startTime() time.Time {
	started := l.store.Now()
	if !started.After(l.last) {
		started = l.last.Add(time.Microsecond)
	}
	l.last = started
	return started
}
