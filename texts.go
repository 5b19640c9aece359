package track

import (
	"maps"
	"slices"
	"unicode/utf8"
)

// Fact is something that can be recorded.
type Fact interface {
	// EachText calls v with every text of the fact, and so says what each of them is. What v changes is changed in the
	// fact; lists and maps that the fact shares with others are copied first.
	EachText(v TextVisitor)
}

// TextVisitor is called with the texts of a fact. Fields are paths, as in [FieldError].
type TextVisitor interface {
	// Name is called with a text that identifies something. Masking it would merge what differs, so it never changes.
	Name(field, name string)
	// Names is called with a JSON value whose strings are names.
	Names(field, document string)
	// Free is called with a text for people, or of a program.
	Free(field string, text *string)
	// Setting is called with a text whose name says what it is, such as a variable of an environment.
	Setting(field, name string, text *string)
	// Document is called with a JSON value whose strings are free text. An array of strings may be a command.
	Document(field string, document *string)
}

// EachText implements [Fact].
func (c *Configuration) EachText(v TextVisitor) {
	v.Name("configuration.label", c.Label)
	v.Name("configuration.commit", c.Revision.Commit)
	v.Name("configuration.diff_hash", c.Revision.DiffHash)
	v.Name("configuration.files_hash", c.Revision.FilesHash)
	v.Name("configuration.state_unknown", c.Revision.Unknown)
	if c.Params != "" {
		v.Names("configuration.params", string(c.Params))
	}
}

// EachText implements [Fact].
func (s *Seed) EachText(v TextVisitor) {
	v.Name("scenario", s.Scenario)
	s.Configuration.EachText(v)
	v.Free("message", &s.Message)
	for name := range s.Values {
		v.Name("values", name)
	}
	for i := range s.Series {
		v.Name("series", s.Series[i].Name)
	}
	s.Artifacts = eachArtifact(v, s.Artifacts)
	s.Environment = s.Environment.eachText(v)
	if s.Run != nil {
		run := *s.Run
		v.Name("run.signal", run.Signal)
		v.Free("run.stderr", &run.Stderr)
		s.Run = &run
	}
}

// eachArtifact returns artifacts as v leaves them. A content that is not text stays as it is.
func eachArtifact(v TextVisitor, list []Artifact) []Artifact {
	changed := slices.Clone(list)
	for i := range changed {
		a := &changed[i]
		v.Name("artifacts", a.Name)
		v.Free("artifacts."+a.Name, &a.LeftOut)
		if utf8.ValidString(a.Content) {
			v.Free("artifacts."+a.Name, &a.Content)
		}
	}
	return changed
}

// eachText returns the environment as v leaves it.
func (e Environment) eachText(v TextVisitor) Environment {
	var changed Environment
	for name, value := range e {
		v.Name("environment", name)
		text := value
		if v.Setting("environment."+name, name, &text); text == value {
			continue
		}
		if changed == nil {
			changed = maps.Clone(e)
		}
		changed[name] = text
	}
	if changed == nil {
		return e
	}
	return changed
}

// EachText implements [Fact].
func (e *Execution) EachText(v TextVisitor) {
	for _, n := range [...]namedText{
		{"lineage", e.Lineage}, {"version", e.Version}, {"source", e.Source}, {"key", e.Key}, {"task", e.Task}, {"task_type", e.TaskType},
		{"session", e.Session}, {"model", e.Model}, {"priced", e.Priced},
	} {
		v.Name(n.field, n.text)
	}
	for _, r := range e.Requests {
		v.Name("requests.model", r.Model)
		v.Name("requests.message_id", r.Message)
		v.Name("requests.request_id", r.ID)
	}
	if e.Judge != nil {
		v.Name("judge.model", e.Judge.Model)
	}
	for name := range e.Truths {
		v.Name("truths", name)
	}
	v.Free("message", &e.Message)
	e.Prompt = eachPointer(v, "prompt", e.Prompt)
	e.Output = eachPointer(v, "output", e.Output)
	calls := make([]ToolCall, len(e.Calls))
	for i, c := range e.Calls {
		c.EachText(v)
		calls[i] = c
	}
	files := make([]WrittenFile, len(e.Files))
	for i, f := range e.Files {
		v.Free("files", &f.Name)
		v.Free("files", &f.Content)
		files[i] = f
	}
	e.Calls, e.Files = calls, files
}

// EachText implements [Fact].
func (c *ToolCall) EachText(v TextVisitor) {
	v.Name("calls.tool", c.Tool)
	v.Name("calls.key", c.Key)
	v.Free("calls.input", &c.Input)
	v.Free("calls.command", &c.Command)
	v.Free("calls.error", &c.Error)
	c.Output = eachPointer(v, "calls.output", c.Output)
}

func eachPointer(v TextVisitor, field string, text *string) *string {
	if text == nil {
		return nil
	}
	changed := *text
	v.Free(field, &changed)
	return &changed
}

// EachText implements [Fact].
func (r *Version) EachText(v TextVisitor) {
	for _, n := range [...]namedText{
		{"lineage", r.Lineage}, {"version", r.Name}, {"parent", r.Parent}, {"operator", r.Operator}, {"status", r.Status}, {"source", r.Source},
	} {
		v.Name(n.field, n.text)
	}
	r.Content = eachPointer(v, "content", r.Content)
	v.Free("note", &r.Note)
}

// EachText implements [Fact].
func (s *Sweep) EachText(v TextVisitor) {
	v.Name("scenario", s.Scenario)
	v.Document("plan", &s.Plan)
	v.Document("spec", &s.Spec)
	v.Free("changes", &s.Changes)
	v.Free("libraries", &s.Libraries)
	s.Environment = s.Environment.eachText(v)
	for i := range s.Planned {
		s.Planned[i].Configuration.EachText(v)
	}
}
