package track

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Validate returns the first error in an execution, or nil if it can be recorded.
func (e Execution) Validate() *FieldError {
	for _, check := range [...]func() *FieldError{e.checkNames, e.checkKinds, e.checkTexts, e.checkNumbers, e.checkRequests, e.checkCalls, e.checkFiles} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (e Execution) checkNames() *FieldError {
	if strings.Contains(e.Lineage, "@") {
		return &FieldError{Field: "lineage", Message: "contains @, which separates a lineage from its version"}
	}
	return checkOptionalNames(
		namedText{"key", e.Key}, namedText{"source", e.Source}, namedText{"lineage", e.Lineage}, namedText{"version", e.Version},
		namedText{"task", e.Task}, namedText{"task_type", e.TaskType}, namedText{"session", e.Session}, namedText{"model", e.Model}, namedText{"priced", e.Priced},
	)
}

type namedText struct{ field, text string }

func checkOptionalNames(names ...namedText) *FieldError {
	for _, n := range names {
		if n.text == "" {
			continue
		}
		if err := CheckName(n.text); err != nil {
			return &FieldError{Field: n.field, Message: err.Error()}
		}
	}
	return nil
}

func (e Execution) checkKinds() *FieldError {
	if e.Status == "" {
		return &FieldError{Field: "status", Message: "is empty: use ok, timeout, error or invalid"}
	}
	if _, err := ParseExecutionStatus(string(e.Status)); err != nil {
		return &FieldError{Field: "status", Message: err.Error()}
	}
	if _, err := ParseComplexity(string(e.Complexity)); err != nil {
		return &FieldError{Field: "complexity", Message: err.Error()}
	}
	return nil
}

func (e Execution) checkTexts() *FieldError {
	if !utf8.ValidString(e.Message) {
		return &FieldError{Field: "message", Message: "is not valid UTF-8"}
	}
	if e.Prompt != nil && !utf8.ValidString(*e.Prompt) {
		return &FieldError{Field: "prompt", Message: "is not valid UTF-8"}
	}
	if e.Output != nil && !utf8.ValidString(*e.Output) {
		return &FieldError{Field: "output", Message: "is not valid UTF-8"}
	}
	return nil
}

func (e Execution) checkNumbers() *FieldError {
	for _, n := range [...]struct {
		field string
		count int
	}{{"trial", e.Trial}, {"corrections", e.Corrections}} {
		if n.count < 0 {
			return &FieldError{Field: n.field, Message: fmt.Sprintf("%d is negative", n.count)}
		}
	}
	if err := checkDuration(e.Duration); err != nil {
		return &FieldError{Field: "duration_s", Message: err.Error()}
	}
	if e.CostUSD != nil && !(*e.CostUSD >= 0 && *e.CostUSD <= math.MaxFloat64) {
		return &FieldError{Field: "cost_usd", Message: fmt.Sprintf("%v must not be negative or infinite", *e.CostUSD)}
	}
	if e.Score != nil && !isFinite(*e.Score) {
		return &FieldError{Field: "score", Message: fmt.Sprintf("%v is not a score: leave it out and set the status", *e.Score)}
	}
	if e.Judge != nil {
		if err := CheckName(e.Judge.Model); err != nil {
			return &FieldError{Field: "judge.model", Message: err.Error()}
		}
		if e.Judge.Prompt == (TextDigest{}) {
			return &FieldError{Field: "judge.prompt_sha256", Message: "is missing: another prompt is another judge"}
		}
		if e.Score == nil && e.Status == ExecutionOK {
			return &FieldError{Field: "judge", Message: "gave no score: give the score, or leave the judge out"}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Truths)) {
		if err := CheckName(name); err != nil {
			return &FieldError{Field: "truths", Message: "the name of a truth " + err.Error()}
		}
		if !isFinite(e.Truths[name]) {
			return &FieldError{Field: "truths." + name, Message: fmt.Sprintf("%v is not finite: leave it out", e.Truths[name])}
		}
	}
	return e.Tokens.check()
}

func (t *Tokens) check() *FieldError {
	if t == nil {
		return nil
	}
	for _, n := range [...]struct {
		field string
		count *int64
	}{{"input", t.Input}, {"output", t.Output}, {"cache_read", t.CacheRead}, {"cache_write", t.CacheWrite}, {"reasoning", t.Reasoning}} {
		if n.count != nil && *n.count < 0 {
			return &FieldError{Field: "tokens." + n.field, Message: fmt.Sprintf("%d is negative", *n.count)}
		}
	}
	return nil
}

func (e Execution) checkRequests() *FieldError {
	for i, r := range e.Requests {
		err := checkOptionalNames(namedText{"model", r.Model}, namedText{"message_id", r.Message}, namedText{"request_id", r.ID})
		if err == nil {
			err = r.Tokens.check()
		}
		if err != nil {
			return &FieldError{Field: "requests." + strconv.Itoa(i) + "." + err.Field, Message: err.Message}
		}
	}
	return nil
}

func (e Execution) checkCalls() *FieldError {
	seen := make(map[string]bool, len(e.Calls))
	for i, call := range e.Calls {
		field := "calls." + strconv.Itoa(i) + "."
		err := call.check()
		if err == nil && call.Key != "" && seen[call.Key] {
			err = &FieldError{Field: "key", Message: fmt.Sprintf("%q is that of an earlier call", call.Key)}
		}
		if err == nil && (call.Request < 0 || call.Request > len(e.Requests)) {
			err = &FieldError{Field: "request", Message: fmt.Sprintf("%d is not the number of a request: there are %d, counted from 1", call.Request, len(e.Requests))}
		}
		if err != nil {
			return &FieldError{Field: field + err.Field, Message: err.Message}
		}
		seen[call.Key] = true
	}
	return nil
}

func (c ToolCall) check() *FieldError {
	if err := CheckName(c.Tool); err != nil {
		return &FieldError{Field: "tool", Message: err.Error()}
	}
	if err := checkOptionalNames(namedText{"key", c.Key}); err != nil {
		return err
	}
	if c.WholeOutput < 0 || c.WholeOutput > 0 && c.Output == nil {
		return &FieldError{Field: "output_whole_bytes", Message: "must be the size of the output that output is a part of"}
	}
	output := ""
	if c.Output != nil {
		output = *c.Output
	}
	for _, t := range [...]namedText{{"input", c.Input}, {"command", c.Command}, {"error", c.Error}, {"output", output}} {
		if !utf8.ValidString(t.text) {
			return &FieldError{Field: t.field, Message: "is not valid UTF-8"}
		}
	}
	if err := checkDuration(c.Duration); err != nil {
		return &FieldError{Field: "duration_s", Message: err.Error()}
	}
	if !c.Answered && c.Exit != nil {
		return &FieldError{Field: "exit", Message: "a call without a result has no exit status"}
	}
	return nil
}

func (e Execution) checkFiles() *FieldError {
	seen := map[string]bool{}
	for _, file := range e.Files {
		switch {
		case file.Name == "" || !utf8.ValidString(file.Name):
			return &FieldError{Field: "files", Message: fmt.Sprintf("%q is not a valid file name", file.Name)}
		case !utf8.ValidString(file.Content):
			return &FieldError{Field: "files." + file.Name, Message: "is not valid UTF-8"}
		case seen[file.Name]:
			return &FieldError{Field: "files." + file.Name, Message: "is duplicated"}
		}
		seen[file.Name] = true
	}
	return nil
}

func checkDuration(d *time.Duration) error {
	if d != nil && *d < 0 {
		return errors.New(d.String() + " is negative")
	}
	return nil
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
