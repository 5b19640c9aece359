package answer

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
	"track/internal/shell"
	"track/scoring/format"
)

// SweepsQuestion asks which sweeps are recorded.
type SweepsQuestion struct {
	Scenario string // empty for all
	Page     Page
}

func (q *SweepsQuestion) Params() param.List {
	return append(param.List{
		{Name: "scenario", Arg: true, Unit: "SCENARIO", Help: "list only sweeps of this scenario", Value: param.Name(&q.Scenario)},
	}, q.Page.Params(0)...)
}

// RecordedSweep is a sweep as a list shows it.
type RecordedSweep struct {
	ID             string                 `json:"id"` // ULID
	Scenario       string                 `json:"scenario"`
	Command        []string               `json:"command"` // with placeholders
	Shard          int                    `json:"shard,omitzero"`
	NShards        int                    `json:"n_shards,omitzero"`
	StartedAt      time.Time              `json:"started_at"`
	EndedAt        time.Time              `json:"ended_at,omitzero"` // missing while it runs, and if it was killed
	Ending         track.SweepEnding      `json:"ending"`            // empty while it runs, and if it was killed
	IsRunning      bool                   `json:"running,omitzero"`  // a process of this database runs it now
	CodeChanged    bool                   `json:"code_changed"`      // while it ran, or it may have
	Withdrawn      *track.Withdrawal      `json:"withdrawn,omitempty"`
	NRuns          int                    `json:"n_runs"`      // seeds that it ran, also those that were withdrawn
	NFailed        int                    `json:"n_failed"`    // of these
	NWithdrawn     int                    `json:"n_withdrawn"` // of these, withdrawn later
	Configurations []PlannedConfiguration `json:"configurations"`
}

// PlannedConfiguration is a configuration with the seeds that a sweep planned for it.
type PlannedConfiguration struct {
	track.RecordedConfiguration `json:",embed"`

	Planned  string `json:"planned"` // ranges, as in 0..99,200
	NPlanned int    `json:"n_planned"`
}

// Sweeps are recorded sweeps, the newest first.
type Sweeps struct {
	List[RecordedSweep] `json:",embed"`
}

func (Sweeps) Lead() []Sentence { return nil }

func (a Sweeps) Tables() []Table { return []Table{sweepTable(a.Items)} }

func sweepTable(sweeps []RecordedSweep) Table {
	t := Table{Name: "sweeps", Empty: "no sweeps", Columns: columns("sweep", "scenario", "started", "configurations", "planned", "ran", "failed", "ending", "command").drop("started", "configurations", "planned", "scenario", "command").wrap("ending", "command")}
	for _, s := range sweeps {
		planned := 0
		for _, c := range s.Configurations {
			planned = max(planned, planned+c.NPlanned) // the sum may be too large for an int
		}
		t.Rows = append(t.Rows, []any{
			Cell{track.ShortID(s.ID), s.ID}, s.Scenario, timeCell(s.StartedAt), len(s.Configurations), planned, s.NRuns, s.NFailed, s.endingText(), commandText(s.Command),
		})
	}
	return t
}

// State says how the sweep ended, or what is known of one that has not. One without a process was killed, or records
// elsewhere first.
func (s RecordedSweep) State() string {
	switch {
	case s.Ending != "":
		return string(s.Ending)
	case s.IsRunning:
		return "running"
	}
	return "running, or killed"
}

func (s RecordedSweep) endingText() string {
	text := s.State()
	if s.CodeChanged {
		text += ", the code may have changed"
	}
	switch {
	case s.Withdrawn != nil:
		text += ", withdrawn: " + s.Withdrawn.Reason
	case s.NWithdrawn > 0:
		text += fmt.Sprintf(", %d of %s withdrawn", s.NWithdrawn, format.Counted(s.NRuns, "seed"))
	}
	if s.NShards > 0 {
		text += fmt.Sprintf(", shard %d of %d", s.Shard, s.NShards)
	}
	return text
}

// CommandLine returns the command as a shell reads it.
func (s RecordedSweep) CommandLine() string { return commandText(s.Command) }

// commandText writes the words of a command as a shell reads them. The braces of placeholders are not quoted.
func commandText(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		bare := strings.NewReplacer("{", "", "}", "").Replace(word)
		if list[i] = word; bare == "" || shell.Word(bare) != bare {
			list[i] = shell.Word(word)
		}
	}
	return strings.Join(list, " ")
}

// SweepQuestion asks for a sweep with its provenance.
type SweepQuestion struct{ ID string }

func (q *SweepQuestion) Params() param.List {
	return param.List{{Name: "sweep", Arg: true, Required: true, Unit: "SWEEP", Help: "show the sweep with this id, or whose id ends so", Value: param.Text(&q.ID)}}
}

// Sweep is a sweep with its provenance. Recognized secrets in its texts are masked.
type Sweep struct {
	RecordedSweep `json:",embed"`
	Environment   map[string]string `json:"environment,omitempty"`
	Plan          jsontext.Value    `json:"plan,omitempty"`
	Changes       string            `json:"changes,omitempty"`   // of the code since its commit, as a diff
	Libraries     string            `json:"libraries,omitempty"` // what the command printed that lists them
	Progress      SweepProgress     `json:"progress"`
}

func (Sweep) Lead() []Sentence { return nil }

func (a Sweep) Tables() []Table {
	facts := Table{Name: "facts", Columns: columns("what", "value").wrap("value"), Rows: [][]any{
		{"id", a.ID}, {"scenario", a.Scenario}, {"command", commandText(a.Command)}, {"started", timeCell(a.StartedAt)}, {"ended", timeCell(a.EndedAt)},
		{"ending", a.endingText()}, {"ran", a.NRuns}, {"failed", a.NFailed},
	}}
	for _, name := range slices.Sorted(maps.Keys(a.Environment)) {
		facts.Rows = append(facts.Rows, []any{name, a.Environment[name]})
	}
	configurations := Table{Name: "configurations", Title: "configurations", Columns: columns("configuration", "label", "parameters", "commit", "planned", "n_planned").drop("n_planned", "commit", "label", "parameters").wrap("parameters", "planned")}
	for _, c := range a.Configurations {
		configurations.Rows = append(configurations.Rows, []any{
			hashCell(c.Hash), c.Label, ParamsText(c.Params), revisionText(c.Revision), c.Planned, c.NPlanned,
		})
	}
	for _, part := range []struct{ title, text string }{{"changes of the code since its commit", a.Changes}, {"libraries", a.Libraries}} {
		if part.text != "" {
			size := fmt.Sprintf("%s: %s, %d lines; the JSON has them", part.title, format.Counted(len(part.text), "byte"), strings.Count(part.text, "\n"))
			configurations.Notes = append(configurations.Notes, Sentence{Kind: Note, Text: size})
		}
	}
	return []Table{facts, a.Progress.table(), configurations}
}

// ParamsText writes parameters for people: theta=14,name=x.
func ParamsText(p track.Params) string {
	return strings.NewReplacer(`{`, "", `}`, "", `"`, "", ":", "=").Replace(ShortParams(p))
}

// longString is a string of JSON whose end people need not read.
var longString = regexp.MustCompile(`"((?:[^"\\]|\\.){60})(?:[^"\\]|\\.)+"`)

// ShortParams returns parameters as JSON for people: long texts end in an ellipsis, and so does the whole.
func ShortParams(p track.Params) string {
	const longest = 400
	text := longString.ReplaceAllString(string(p.JSON()), `"$1…"`)
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}

func revisionText(r track.Revision) string {
	if r.Commit == "" && r.Unknown == "" {
		return "no commit"
	}
	return r.String()
}
