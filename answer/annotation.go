package answer

import (
	"fmt"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/scoring/format"
)

// ConfigurationNote is a note on a configuration.
type ConfigurationNote struct {
	ID    string    `json:"id"` // ULID
	Text  string    `json:"text"`
	Actor string    `json:"actor,omitzero"`
	At    time.Time `json:"at"`
}

// Annotations are what people attached to a configuration of a scenario.
type Annotations struct {
	Tags  []string            `json:"tags,omitempty"`  // by name
	Notes []ConfigurationNote `json:"notes,omitempty"` // the oldest first
}

// TagText lists the tags; empty if there are none.
func (a Annotations) TagText() string { return strings.Join(a.Tags, ", ") }

// line shows the tags and the first note on one line; empty if there are none.
func (a Annotations) line() string {
	const most = 100
	var parts []string
	if len(a.Tags) > 0 {
		parts = append(parts, "tags: "+a.TagText())
	}
	if len(a.Notes) > 0 {
		text, _, _ := strings.Cut(a.Notes[0].Text, "\n")
		if runes := []rune(text); len(runes) > most {
			text = string(runes[:most-1]) + "…"
		}
		part := fmt.Sprintf("note: %s (%s)", text, a.Notes[0].Signature())
		if more := len(a.Notes) - 1; more > 0 {
			part += ", and " + format.Counted(more, "more note")
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// Signature says who wrote the note, and when.
func (n ConfigurationNote) Signature() string {
	text := n.At.UTC().Format(time.DateOnly)
	if n.Actor != "" {
		text = n.Actor + ", " + text
	}
	return text
}

// noteSentences show the notes of a configuration that people call name.
func (a Annotations) noteSentences(name string) (list []Sentence) {
	for _, n := range a.Notes {
		list = append(list, Sentence{Kind: Note, Text: fmt.Sprintf("note on %s: %s (%s)", name, n.Text, n.Signature()), Joined: true})
	}
	return list
}

// Author is who changes something, which is recorded without a reason.
type Author struct {
	Actor string // who asks; no parameter, because the one who is asked knows
}

// SetActor says who asks.
func (a *Author) SetActor(name string) { a.Actor = name }

// AddNoteQuestion asks to attach a note to a configuration.
type AddNoteQuestion struct {
	Of   Selector
	Text string
	Author
}

func (q *AddNoteQuestion) Params() param.List {
	return param.List{
		scenarioParam(&q.Of, "attach the note to this configuration"),
		{Name: "text", Arg: true, Required: true, Unit: "TEXT", Help: "record this note", Value: param.Text(&q.Text)},
	}
}

// RemoveNoteQuestion asks to remove a note.
type RemoveNoteQuestion struct {
	ID string
	Change
}

func (q *RemoveNoteQuestion) Params() param.List {
	return param.List{
		{Name: "id", Arg: true, Required: true, Unit: "NOTE", Help: "remove the note with this ID, or with an ID that ends so", Value: param.Text(&q.ID)},
		q.reasonParam(),
	}
}

// NotesQuestion asks for the notes on configurations.
type NotesQuestion struct{ Of Selector }

func (q *NotesQuestion) Params() param.List {
	return param.List{optionalScenarioParam(&q.Of, "list the notes of this scenario, or of this configuration alone")}
}

// optionalScenarioParam declares the argument SCENARIO[@CONFIGURATION]; without it, everything is meant.
func optionalScenarioParam(to *Selector, help string) param.Param {
	p := scenarioParam(to, help)
	p.Required = false
	return p
}

// TagQuestion asks to add tags to a configuration, or to remove them.
type TagQuestion struct {
	Of   Selector
	Tags []string
	Author
}

// AddParams declares the parameters of adding.
func (q *TagQuestion) AddParams() param.List { return q.params("add the tags to this configuration") }

// RemoveParams declares the parameters of removing.
func (q *TagQuestion) RemoveParams() param.List {
	return q.params("remove the tags from this configuration")
}

func (q *TagQuestion) params(help string) param.List {
	return param.List{
		scenarioParam(&q.Of, help),
		{Name: "tag", Arg: true, Required: true, Unit: "TAG", Help: "names, such as released or slow", Value: param.Texts(&q.Tags)},
	}
}

// TagsQuestion asks for the tags of configurations.
type TagsQuestion struct {
	Of  Selector
	Tag string
}

func (q *TagsQuestion) Params() param.List {
	return param.List{
		optionalScenarioParam(&q.Of, "list the tags of this scenario, or of this configuration alone"),
		{Name: "tag", Unit: "TAG", Help: "list only configurations with this tag", Value: param.Text(&q.Tag)},
	}
}

// NoteOn is a note with the configuration that it is on.
type NoteOn struct {
	Scenario          string                      `json:"scenario"`
	Configuration     track.RecordedConfiguration `json:"configuration"`
	ConfigurationNote `json:",embed"`
}

// Notes are notes on configurations, the oldest first.
type Notes struct {
	List[NoteOn] `json:",embed"`
}

func (a Notes) Lead() []Sentence {
	if len(a.Items) > 0 {
		return nil
	}
	hint := track.NewHint("write one", "note", "SCENARIO@CONFIGURATION", "TEXT")
	return []Sentence{{Kind: Heading, Text: "no notes", Hint: &hint}}
}

func (a Notes) Tables() []Table {
	t := Table{Name: "notes", HiddenIfEmpty: true, Columns: columns("id", "scenario", "configuration", "label", "note", "by", "at").drop("by", "at", "configuration").wrap("note")}
	for _, n := range a.Items {
		t.Rows = append(t.Rows, []any{
			Cell{track.ShortID(n.ID), n.ID}, n.Scenario, hashCell(n.Configuration.Hash), n.Configuration.Label, n.Text, n.Actor, timeCell(n.At),
		})
	}
	return []Table{t}
}

// NoteChange is a note that was added or removed.
type NoteChange struct {
	NoteOn  `json:",embed"`
	Removed bool   `json:"removed"`
	Reason  string `json:"reason,omitzero"` // of the removal
	Masked  bool   `json:"masked,omitzero"` // something in the note looked like a secret
}

func (a NoteChange) Lead() []Sentence {
	what := "recorded"
	if a.Removed {
		what = "removed"
	}
	lead := []Sentence{{Kind: Heading, Text: fmt.Sprintf("note %s on %s is %s", track.ShortID(a.ID), Side{Scenario: a.Scenario, Configuration: a.Configuration}, what)}}
	if a.Masked {
		lead = append(lead, Sentence{Kind: Note, Text: "what looked like a secret is masked: " + a.Text, Joined: true})
	}
	return lead
}

func (a NoteChange) Tables() []Table {
	t := Notes{List[NoteOn]{Items: []NoteOn{a.NoteOn}}}.Tables()[0]
	t.ForPrograms = true
	return []Table{t}
}

// Tagged is a configuration with its tags.
type Tagged struct {
	Scenario      string                      `json:"scenario"`
	Configuration track.RecordedConfiguration `json:"configuration"`
	Tags          []string                    `json:"tags"` // by name
}

// Tags are configurations that have tags, in the order in which they got the first one.
type Tags struct {
	List[Tagged] `json:",embed"`
}

func (a Tags) Lead() []Sentence {
	if len(a.Items) > 0 {
		return nil
	}
	hint := track.NewHint("add one", "tag add", "SCENARIO@CONFIGURATION", "TAG")
	return []Sentence{{Kind: Heading, Text: "no tags", Hint: &hint}}
}

func (a Tags) Tables() []Table { return []Table{tagsTable(a.Items)} }

func tagsTable(list []Tagged) Table {
	t := Table{Name: "tags", HiddenIfEmpty: true, Columns: columns("scenario", "configuration", "label", "revision", "tags").drop("revision", "configuration").wrap("tags")}
	for _, c := range list {
		t.Rows = append(t.Rows, []any{
			c.Scenario, hashCell(c.Configuration.Hash), c.Configuration.Label, c.Configuration.Revision.String(), strings.Join(c.Tags, ", "),
		})
	}
	return t
}

// TagChange is a configuration whose tags were changed.
type TagChange struct {
	Tagged  `json:",embed"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
}

func (a TagChange) Lead() []Sentence {
	side := Side{Scenario: a.Scenario, Configuration: a.Configuration}
	text := fmt.Sprintf("%s has the tags: %s", side, strings.Join(a.Tags, ", "))
	if len(a.Tags) == 0 {
		text = fmt.Sprintf("%s has no tags", side)
	}
	if len(a.Added)+len(a.Removed) == 0 {
		text += "; nothing changed"
	}
	return []Sentence{{Kind: Heading, Text: text}}
}

func (a TagChange) Tables() []Table {
	t := tagsTable([]Tagged{a.Tagged})
	t.ForPrograms = true
	return []Table{t}
}
