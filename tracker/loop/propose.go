package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/jsonio"
	"track/scoring/format"
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
