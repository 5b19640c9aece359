package answer

import (
	"fmt"
	"strings"
	"time"

	"track"
	"track/scoring/format"
)

// HookStatus says where hooks are installed and what arrived from them.
type HookStatus struct {
	Database  string             `json:"database"`
	Installed []HookInstallation `json:"installed"`
	Events    []HookArrival      `json:"events"`
	Open      []HookTurn         `json:"open"`
	Waiting   int                `json:"waiting"` // events that could not be recorded yet
	Log       []string           `json:"log"`     // its last lines
}

// HookInstallation is a file of settings that calls track.
type HookInstallation struct {
	File     string   `json:"file"`
	Events   []string `json:"events"`
	Commands []string `json:"commands"`
	Problem  string   `json:"problem,omitempty"` // why the file cannot be read
}

// HookArrival counts the events of a name.
type HookArrival struct {
	Name   string        `json:"name"`
	N      int           `json:"n"`
	LastAt time.Time     `json:"last_at"`
	Age    time.Duration `json:"age_s"`
}

// HookTurn is an execution that may still go on.
type HookTurn struct {
	Session string        `json:"session"`
	Agent   string        `json:"agent"` // id of a subagent; empty for the agent itself
	Lineage string        `json:"lineage"`
	Version string        `json:"version"`
	BeganAt time.Time     `json:"began_at"`
	LastAt  time.Time     `json:"last_at"`
	Age     time.Duration `json:"age_s"` // since the last event
	NCalls  int           `json:"n_calls"`
	Stopped bool          `json:"stopped"` // it waits for the next prompt
}

func (a HookStatus) Lead() []Sentence {
	if len(a.Installed) == 0 {
		hint := track.NewHint("install hooks", "hook install", "claude-code")
		return []Sentence{{Kind: Note, Text: "not installed here", Hint: &hint}}
	}
	var list []Sentence
	for i, in := range a.Installed {
		text := fmt.Sprintf("installed in %s for %s", in.File, strings.Join(in.Events, ", "))
		if in.Problem != "" {
			text = fmt.Sprintf("%s: %s", in.File, in.Problem)
		}
		list = append(list, Sentence{Kind: Note, Text: text, Joined: i > 0})
	}
	return list
}

func (a HookStatus) Tables() []Table {
	events := Table{Name: "events", Main: true, Empty: "no event has arrived yet", Columns: columns("event", "count", "last", "ago").drop("last")}
	for _, e := range a.Events {
		events.Rows = append(events.Rows, []any{e.Name, e.N, timeCell(e.LastAt), Cell{e.Age.String(), e.Age.Seconds()}})
	}
	open := Table{Name: "open", Title: "in progress", HiddenIfEmpty: true, Notes: a.problems(),
		Columns: columns("session", "subagent", "lineage", "since", "last event", "calls", "state").drop("since", "calls", "subagent", "lineage")}
	for _, t := range a.Open {
		state := "working"
		if t.Stopped {
			state = "waiting for a prompt"
		}
		open.Rows = append(open.Rows, []any{t.Session, t.Agent, lineageVersion(t.Lineage, t.Version), timeCell(t.BeganAt), t.Age.String() + " ago", t.NCalls, state})
	}
	return []Table{events, open}
}

func (a HookStatus) problems() (list []Sentence) {
	if a.Waiting > 0 {
		list = append(list, Sentence{Kind: Note, Text: format.Counted(a.Waiting, "event") + " could not be recorded yet: the next call of a hook records them"})
	}
	if len(a.Log) > 0 {
		list = append(list, Sentence{Kind: Warning, Text: "went wrong, the last at the end:\n" + strings.Join(a.Log, "\n")})
	}
	return list
}

// HookSettings says how a file of settings was changed, or would be.
type HookSettings struct {
	Agent   string `json:"agent"`
	File    string `json:"file"`
	Changed bool   `json:"changed"` // or would be, in a dry run
	DryRun  bool   `json:"dry_run"`
	Backup  string `json:"backup,omitempty"`
	Diff    string `json:"diff"` // unified
	// Warnings say why the hooks may not work.
	Warnings []string `json:"warnings,omitempty"`
}

func (a HookSettings) Lead() []Sentence {
	text := "changed " + a.File
	switch {
	case !a.Changed:
		return a.warned(Sentence{Kind: Note, Text: a.File + " is up to date; nothing was changed"})
	case a.DryRun:
		text = a.File + " would change; nothing was changed, because this was a dry run"
	case a.Backup != "":
		text += "; the original is kept as " + a.Backup
	}
	return a.warned(Sentence{Kind: Note, Text: strings.TrimSuffix(a.Diff, "\n")}, Sentence{Kind: Note, Text: text})
}

func (a HookSettings) warned(list ...Sentence) []Sentence {
	for _, text := range a.Warnings {
		list = append(list, Sentence{Kind: Warning, Text: text})
	}
	return list
}

func (a HookSettings) Tables() []Table {
	return []Table{{Name: "settings", ForPrograms: true, Columns: columns("file", "changed", "backup"), Rows: [][]any{{a.File, a.Changed, a.Backup}}}}
}
