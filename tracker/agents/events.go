package agents

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"track"
	"track/importer"
)

// JoinExecutions makes one execution of all that a log holds, except what subagents did. file names the log in errors.
func JoinExecutions(file string, items iter.Seq2[importer.Item, error]) (whole track.Execution, err error) {
	n, used := 0, idSet{}
	for item, err := range items {
		switch {
		case err != nil:
			return whole, err
		case item.Skip != nil:
			return whole, track.WithHint(fmt.Errorf("%w: %s", track.ErrInvalid, item.Skip), track.NewHint("import a damaged log without its damaged parts", "import"))
		case item.Execution == nil || item.Subagent:
			continue
		}
		next, _ := without(*item.Execution, used)
		for _, id := range usedIDs(next) {
			used[id] = true
		}
		if n++; n == 1 {
			whole = next
		} else {
			join(&whole, next)
		}
	}
	if n == 0 {
		return whole, &track.FieldError{File: file, Message: "holds no execution"}
	}
	return whole, nil
}

// join adds what came next in the same execution. A number that is unknown of a part is unknown of the whole.
func join(e *track.Execution, next track.Execution) {
	for _, call := range next.Calls {
		if call.Request > 0 {
			call.Request += len(e.Requests)
		}
		e.Calls = append(e.Calls, call)
	}
	e.Requests = append(e.Requests, next.Requests...)
	for _, file := range next.Files {
		e.Files = append(slices.DeleteFunc(e.Files, func(f track.WrittenFile) bool { return f.Name == file.Name }), file)
	}
	e.Corrections += next.Corrections
	e.Status, e.Message, e.Output, e.Truncated, e.Model = next.Status, next.Message, next.Output, next.Truncated, cmp.Or(next.Model, e.Model)
	e.Duration, e.CostUSD = sum(e.Duration, next.Duration), sum(e.CostUSD, next.CostUSD)
	if e.Tokens == nil || next.Tokens == nil {
		e.Tokens = nil
		return
	}
	a, b := *e.Tokens, *next.Tokens
	e.Tokens = &track.Tokens{
		Input: sum(a.Input, b.Input), Output: sum(a.Output, b.Output), CacheRead: sum(a.CacheRead, b.CacheRead), CacheWrite: sum(a.CacheWrite, b.CacheWrite),
		Reasoning: sum(a.Reasoning, b.Reasoning),
	}
}

// sum returns nil if one of the numbers is unknown.
func sum[T int64 | float64 | time.Duration](a, b *T) *T {
	if a == nil || b == nil {
		return nil
	}
	total := *a + *b
	return &total
}

// FillIn adds to an execution what a log holds and the caller does not say. The format of the log decides which calls
// failed.
func FillIn(e *track.Execution, log track.Execution) {
	e.Source, e.Calls, e.Files, e.Corrections, e.Truncated, e.Output, e.Truths = log.Source, log.Calls, log.Files, log.Corrections, log.Truncated, log.Output, log.Truths
	e.Requests = log.Requests
	e.Task, e.TaskType, e.Complexity = cmp.Or(e.Task, log.Task), cmp.Or(e.TaskType, log.TaskType), cmp.Or(e.Complexity, log.Complexity)
	e.Trial, e.Model, e.Session = cmp.Or(e.Trial, log.Trial), cmp.Or(e.Model, log.Model), cmp.Or(e.Session, log.Session)
	e.Duration, e.CostUSD, e.Tokens = cmp.Or(e.Duration, log.Duration), cmp.Or(e.CostUSD, log.CostUSD), cmp.Or(e.Tokens, log.Tokens)
	if e.StartedAt.IsZero() {
		e.StartedAt = log.StartedAt
	}
}
