package lines

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// AppendExecution appends an execution as a line, which [parseExecution] reads as the same execution. A
// source that is not a format of logs is left out.
func AppendExecution(b []byte, e track.Execution) ([]byte, error) {
	l := executionLine{
		Kind: "execution", Key: e.Key, Lineage: e.Lineage, Version: e.Version, Task: e.Task, TaskType: e.TaskType, Complexity: string(e.Complexity), Trial: e.Trial,
		Session: e.Session, Status: string(e.Status), Message: e.Message, Prompt: e.Prompt, Output: e.Output, Truncated: e.Truncated, Corrections: e.Corrections, Model: e.Model,
		Tokens: (*tokens)(e.Tokens), CostUSD: e.CostUSD, Priced: e.Priced, StartedAt: timeText(e.StartedAt), Duration: seconds(e.Duration), Score: e.Score, Judge: (*judge)(e.Judge), Holdout: e.Holdout, Truths: e.Truths,
	}
	if e.Source != importer.JSONL && CarriesSource(e.Source) {
		l.Source = e.Source
	}
	for _, c := range e.Calls {
		written := call{
			Key: c.Key, Tool: c.Tool, Command: c.Command, Exit: c.Exit, Error: c.Error, Answered: &c.Answered, Rejected: c.Rejected, Output: c.Output, Whole: c.WholeOutput,
			StartedAt: timeText(c.StartedAt), Duration: seconds(c.Duration), Request: c.Request,
		}
		if c.Input != "" {
			var err error
			if written.Input = jsontext.Value(c.Input); !written.Input.IsValid() || l.Source != "" && written.Input.Kind() == '"' {
				if written.Input, err = json.Marshal(c.Input, jsontext.AllowInvalidUTF8(true)); err != nil {
					return b, err
				}
			}
		}
		l.Calls = append(l.Calls, written)
	}
	for _, r := range e.Requests {
		l.Requests = append(l.Requests, request{r.Message, r.ID, r.Model, (*tokens)(r.Tokens)})
	}
	for _, f := range e.Files {
		l.Files = append(l.Files, file(f))
	}
	text, err := json.Marshal(l, json.OmitZeroStructFields(true), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return append(append(b, text...), '\n'), err
}

func seconds(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	s := d.Seconds()
	return &s
}
