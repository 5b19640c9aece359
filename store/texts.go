package store

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/evolution"
	"track/internal/admission"
)

// Every text that a transaction writes passes one of these. What they do to texts was mostly done before, where an
// error can name the line, and where digests are made: then they change nothing.

// free returns a free text as it may be stored: without secrets, and NULL for an empty one.
func (t *Tx) free(text string) any {
	clean, _ := t.texts.Text(text)
	return nullText(clean)
}

// checkName returns an error if a name must not be stored.
func (t *Tx) checkName(field, name string) error {
	if problem := t.texts.Name(field, name); problem != nil {
		return problem
	}
	return nil
}

// fields are names by their fields.
type fields [][2]string

func (t *Tx) checkNames(list fields) error {
	for _, n := range list {
		if err := t.checkName(n[0], n[1]); err != nil {
			return err
		}
	}
	return nil
}

// actor returns who did something as it is stored; NULL if that is not known.
func (t *Tx) actor(name string) (any, error) {
	return nullText(name), t.checkName("actor", name)
}

// admit returns an error if a name of a fact must not be stored, and masks the rest.
func (t *Tx) admit(fact track.Fact) error {
	if _, problem := t.texts.Admit(fact); problem != nil {
		return problem
	}
	return nil
}

// freeEnvironment returns an environment without its secrets.
func (t *Tx) freeEnvironment(e track.Environment) (track.Environment, error) {
	clean := maps.Clone(e)
	for name, value := range e {
		if err := t.checkName("environment", name); err != nil {
			return nil, err
		}
		clean[name], _ = t.texts.Setting(name, value)
	}
	return clean, nil
}

// checkText returns an error for a text that cannot be masked, because its hash is recorded elsewhere, and in which
// something looks like a secret.
func (t *Tx) checkText(field, text string) error {
	if problem := t.texts.Unchanged(field, text); problem != nil {
		return problem
	}
	return nil
}

// checkEntry returns an error for an entry of a ledger in which something looks like a secret: an entry is never
// changed.
func checkEntry(rules *admission.Rules, e evolution.Entry) *track.FieldError {
	return cmp.Or(rules.Name("mutation", e.Mutation), rules.Unchanged(fmt.Sprintf("entry %d of the ledger", e.Number), string(e.Body)))
}

// freeExecution returns an execution as it may be stored: the texts that are kept without secrets.
func (t *Tx) freeExecution(e ExecutionRecord) (ExecutionRecord, error) {
	err := t.checkNames(fields{
		{"source", e.Source}, {"key", e.Key}, {"task", e.Task}, {"task_type", e.TaskType}, {"session", e.Session}, {"model", e.Model}, {"rubric", e.Rubric},
	})
	if _, unknown := track.ParseComplexity(string(e.Complexity)); unknown != nil {
		err = cmp.Or(err, error(&track.FieldError{Field: "complexity", Message: unknown.Error()}))
	}
	for _, r := range e.Requests {
		err = cmp.Or(err, t.checkName("requests.model", r.Model), t.checkName("requests.message_id", r.Message), t.checkName("requests.request_id", r.ID))
	}
	for name := range e.Truths {
		err = cmp.Or(err, t.checkName("truths", name))
	}
	e.Prompt, e.Output = admitted(t.texts, e.Prompt), admitted(t.texts, e.Output)
	inputs, outputs := make([]track.RecordedText, len(e.Inputs)), make([]*track.RecordedText, len(e.Outputs))
	for i := range e.Inputs {
		inputs[i] = *admitted(t.texts, &e.Inputs[i])
	}
	for i := range e.Outputs {
		outputs[i] = admitted(t.texts, e.Outputs[i])
	}
	e.Inputs, e.Outputs = inputs, outputs
	for _, c := range e.Calls {
		err = cmp.Or(err, t.checkName("calls.key", c.Key))
	}
	return e, err
}

// admitted returns a recorded text without secrets. Its digest and its size are those of what is left.
func admitted(rules *admission.Rules, text *track.RecordedText) *track.RecordedText {
	if text == nil || text.Text == nil {
		return text
	}
	clean, n := rules.Text(*text.Text)
	if n == 0 {
		return text
	}
	masked := track.NewRecordedText(clean, true)
	masked.WholeBytes = text.WholeBytes
	return masked
}

// freeScore returns a score whose details hold no secrets.
func (t *Tx) freeScore(s track.RecordedScore) (track.RecordedScore, error) {
	err := cmp.Or(t.checkName("rubric", s.Rubric), t.checkName("grade", s.Grade))
	for _, c := range s.Components {
		err = cmp.Or(err, t.checkName("components", c.Name))
	}
	s.Detail = jsontext.Value(t.texts.Details(string(s.Detail)))
	return s, err
}
