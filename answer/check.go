package answer

import (
	"fmt"
	"slices"
	"strings"

	"track"
	"track/answer/param"
	"track/scoring/format"
)

// CheckQuestion asks whether a database is damaged.
type CheckQuestion struct{}

func (q *CheckQuestion) Params() param.List {
	return nil
}

// DatabaseCheck says whether a database holds what was recorded.
type DatabaseCheck struct {
	Database    string           `json:"database"`
	Sound       bool             `json:"sound"`
	Bytes       int64            `json:"bytes"` // of the database
	Seeds       int              `json:"seeds"`
	Values      int              `json:"values"`
	Assessments int              `json:"assessments"`
	Results     int              `json:"results"`
	Hashed      int              `json:"hashed"` // specs, configurations, texts and series compared with their hashes
	Lineages    int              `json:"lineages"`
	Entries     int              `json:"entries"` // of ledgers
	Damage      []DamagedRecords `json:"damage"`
	Foreign     []string         `json:"foreign"`     // tables and views that track did not make and never reads
	NotChecked  []string         `json:"not_checked"` // what was left out
}

// DamagedRecords are the records of a table that are damaged alike.
type DamagedRecords struct {
	Table   string   `json:"table"` // empty if the file as a whole is meant
	Problem string   `json:"problem"`
	N       int      `json:"n"`
	Records []string `json:"records"` // the first few
	Rescue  string   `json:"rescue"`  // what can be saved, and how
}

// example returns the first record.
func (d DamagedRecords) example() string {
	if len(d.Records) == 0 {
		return ""
	}
	return d.Records[0]
}

func (a DatabaseCheck) Conclusion() Conclusion {
	if a.Sound {
		return Done
	}
	return FoundDamage
}

// Err returns the damage as an error; nil if there is none.
func (a DatabaseCheck) Err() error {
	if a.Sound {
		return nil
	}
	if len(a.Damage) == 0 {
		return track.ErrDamaged
	}
	d := a.Damage[0]
	text := strings.TrimPrefix(d.Table+": "+d.Problem, ": ")
	text += " (" + d.example() + ")"
	if n := a.nDamaged() - 1; n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	return fmt.Errorf("%w: %s", track.ErrDamaged, text)
}

func (a DatabaseCheck) nDamaged() (n int) {
	for _, d := range a.Damage {
		n += d.N
	}
	return n
}

func (a DatabaseCheck) Lead() []Sentence {
	state := "sound"
	if !a.Sound {
		state = fmt.Sprintf("damaged: %s", format.Counted(a.nDamaged(), "problem"))
	}
	lead := []Sentence{
		{Kind: Heading, Text: a.Database + ": " + state},
		{Kind: Note, Text: fmt.Sprintf("read %s with %s, %s with %s, %s, and %s with %s of ledgers", format.Counted(a.Seeds, "seed"), format.Counted(a.Values, "value"),
			format.Counted(a.Assessments, "assessment"), format.Counted(a.Results, "result"), format.Counted(a.Hashed, "hashed text"),
			format.Counted(a.Lineages, "lineage"), entriesText(a.Entries))},
	}
	if len(a.Foreign) > 0 {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: "not made by track, and never read: " + strings.Join(a.Foreign, ", ")})
	}
	if len(a.NotChecked) > 0 {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: "not checked: " + strings.Join(a.NotChecked, ", ")})
	}
	if !a.Sound {
		lead = append(lead, Sentence{Kind: Note, Text: "restore a backup if you have one; docs/how-to/repair.md says what else can be saved"})
	}
	return lead
}

func (a DatabaseCheck) Tables() []Table {
	damage := Table{Name: "damage", HiddenIfEmpty: true, Main: true, Columns: Columns{
		{Name: "table"}, {Name: "problem"}, {Name: "n"}, {Name: "record", Head: "for example", For: ForPeople}, {Name: "records", For: ForData},
		{Name: "rescue", For: ForData},
	}.drop("record").wrap("problem", "record")}
	for _, d := range a.Damage {
		damage.Rows = append(damage.Rows, []any{d.Table, d.Problem, d.N, d.example(), strings.Join(d.Records, "; "), d.Rescue})
		if !slices.ContainsFunc(damage.Notes, func(s Sentence) bool { return s.Text == d.Rescue }) {
			damage.Notes = append(damage.Notes, Sentence{Kind: Note, Text: d.Rescue, Joined: len(damage.Notes) > 0})
		}
	}
	return []Table{damage, {
		Name: "check", ForPrograms: true,
		Columns: columns("database", "sound", "bytes", "seeds", "values", "assessments", "results", "hashed", "lineages", "entries", "foreign", "not_checked"),
		Rows: [][]any{{a.Database, a.Sound, a.Bytes, a.Seeds, a.Values, a.Assessments, a.Results, a.Hashed, a.Lineages, a.Entries,
			strings.Join(a.Foreign, "; "), strings.Join(a.NotChecked, "; ")}},
	}}
}
