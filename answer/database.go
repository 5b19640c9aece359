package answer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/scoring/format"
)

// DatabaseCreated says that there is a database.
type DatabaseCreated struct {
	Database string `json:"database"` // its path
	Created  bool   `json:"created"`  // false if it existed
}

func (a DatabaseCreated) Lead() []Sentence {
	if !a.Created {
		return []Sentence{{Kind: Heading, Text: a.Database + " already exists"}}
	}
	return []Sentence{{Kind: Heading, Text: "created " + a.Database}}
}

func (a DatabaseCreated) Tables() []Table {
	return []Table{{Name: "database", ForPrograms: true, Columns: columns("database", "created"), Rows: [][]any{{a.Database, a.Created}}}}
}

// DatabaseMigrated says that the schema of a database is the one of this program.
type DatabaseMigrated struct {
	Database string `json:"database"`
	Changed  bool   `json:"changed"`
	Backup   string `json:"backup,omitempty"` // path of the database as it was; empty if nothing had to be done, and for one on a server
}

func (a DatabaseMigrated) Lead() []Sentence {
	text := a.Database + " is up to date; nothing was changed"
	switch {
	case a.Changed && a.Backup == "":
		text = a.Database + " is brought up to date"
	case a.Changed:
		text = fmt.Sprintf("%s is up to date; the old database is kept as %s", a.Database, a.Backup)
	}
	return []Sentence{{Kind: Heading, Text: text}}
}

func (a DatabaseMigrated) Tables() []Table {
	return []Table{{Name: "database", ForPrograms: true, Columns: columns("database", "changed", "backup"), Rows: [][]any{{a.Database, a.Changed, a.Backup}}}}
}

// DatabaseBackedUp says that a copy of a database was written and checked.
type DatabaseBackedUp struct {
	Database   string  `json:"database"`
	File       string  `json:"file"` // path of the copy
	Bytes      int64   `json:"bytes"`
	Seeds      int     `json:"n_seeds"`      // superseded ones included
	Executions int     `json:"n_executions"` // in the copy
	Duration   float64 `json:"duration_s"`
}

func (a DatabaseBackedUp) Lead() []Sentence {
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s holds a copy of %s: %d bytes, %s, %s", a.File, a.Database, a.Bytes,
		format.Counted(a.Seeds, "seed"), format.Counted(a.Executions, "execution"))}}
}

func (a DatabaseBackedUp) Tables() []Table {
	return []Table{{Name: "backup", ForPrograms: true, Columns: columns("database", "file", "bytes", "n_seeds", "n_executions", "duration_s"),
		Rows: [][]any{{a.Database, a.File, a.Bytes, a.Seeds, a.Executions, a.Duration}}}}
}

// Pruning says which seeds lose what takes most space.
type Pruning struct {
	OlderThan time.Duration // recorded longer ago than this; 0 for any age
	Keep      int           // newest seeds of each scenario that keep it; 0 for none
	DryRun    bool
}

// params declares the parameters; what is "series" or "files".
func (q *Pruning) params(what string) param.List {
	return param.List{
		{Name: "older-than", Unit: "AGE", Help: "prune " + what + " of seeds recorded longer ago than this `AGE`, such as 90d or 12h", Value: param.Age(&q.OlderThan)},
		{Name: "keep", Unit: "N", Help: "keep the " + what + " of the newest `N` seeds of each scenario", Value: param.Whole(&q.Keep, 1)},
		{Name: "dry-run", Help: "report what would be freed, and delete nothing", Value: param.Switch(&q.DryRun)},
	}
}

func (q *Pruning) Check() error {
	if q.OlderThan == 0 && q.Keep == 0 {
		return &param.Error{Param: "older-than", Message: "say what to prune, by its age or by the number of seeds to keep"}
	}
	return nil
}

// PruneSeriesQuestion asks to delete the numbers of old series.
type PruneSeriesQuestion struct{ Pruning }

func (q *PruneSeriesQuestion) Params() param.List { return q.params("series") }

// PrunedSeries says what deleting the numbers of series freed.
type PrunedSeries struct {
	DryRun    bool  `json:"dry_run"`
	NSeeds    int   `json:"n_seeds"`
	NContents int   `json:"n_contents"` // different ones
	Bytes     int64 `json:"bytes"`
}

func (a PrunedSeries) Lead() []Sentence {
	return a.lead(fmt.Sprintf("%d different series", a.NContents))
}

func (a PrunedSeries) lead(what string) []Sentence {
	verb := "freed"
	if a.DryRun {
		verb = "would free"
	}
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s %d bytes: %s of %s", verb, a.Bytes, what, format.Counted(a.NSeeds, "seed"))}}
}

func (a PrunedSeries) Tables() []Table {
	return []Table{{Name: "pruned", ForPrograms: true, Columns: columns("dry_run", "n_seeds", "n_contents", "bytes"),
		Rows: [][]any{{a.DryRun, a.NSeeds, a.NContents, a.Bytes}}}}
}

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

// PruneQuestion asks to delete the large contents of old records: series and files of seeds, and texts of executions.
type PruneQuestion struct {
	OlderThan time.Duration // recorded longer ago than this
	Keep      []Retention   // whose contents are kept whatever their age
	DryRun    bool
}

// Retention names records that keep their contents whatever their age.
type Retention string

// The records that a question can name.
const (
	RetainBaseline Retention = "baseline" // seeds of configurations that are pinned now
	RetainHead     Retention = "head"     // executions of active versions and of their ancestors
)

func (q *PruneQuestion) Params() param.List {
	q.Keep = []Retention{RetainBaseline, RetainHead}
	return param.List{
		{Name: "older-than", Unit: "AGE", Help: "prune contents of records that were recorded longer ago than this `AGE`, such as 90d or 12h", Value: param.Age(&q.OlderThan)},
		{Name: "keep", Unit: "KINDS", Help: "keep also those of these `KINDS`, separated by commas: baseline, head, or none", Value: param.Parsed(&q.Keep, parseRetention, formatRetention)},
		{Name: "dry-run", Help: "report what would go and what is kept, and delete nothing", Value: param.Switch(&q.DryRun)},
	}
}

const retainNone = "none"

func parseRetention(text string) (list []Retention, err error) {
	if text == retainNone {
		return nil, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		kind := Retention(strings.TrimSpace(name))
		if kind != RetainBaseline && kind != RetainHead {
			return nil, fmt.Errorf("%q is not one of baseline, head; or write none alone", kind)
		}
		if !slices.Contains(list, kind) {
			list = append(list, kind)
		}
	}
	return list, nil
}

func formatRetention(list []Retention) string {
	if len(list) == 0 {
		return retainNone
	}
	return joinNames(list)
}

func (q *PruneQuestion) Check() error {
	if q.OlderThan == 0 {
		return &param.Error{Param: "older-than", Message: "say from which age on contents are pruned, such as 90d"}
	}
	return nil
}

// Pruned says which contents of old records were deleted, and what was kept.
type Pruned struct {
	DryRun      bool         `json:"dry_run"`
	Before      time.Time    `json:"before"` // recorded then or later is kept
	Series      PrunedSeries `json:"series"`
	Artifacts   PrunedSeries `json:"artifacts"`
	NExecutions int          `json:"n_executions"` // whose texts were removed
	Kept        []KeptRecord `json:"kept"`
}

// KeptRecord counts records that keep their contents for a reason. Of several reasons, the first counts.
type KeptRecord struct {
	Kind   string `json:"kind"`   // seeds or executions
	Reason string `json:"reason"` // recent, sweep, open, decision, baseline or head
	N      int    `json:"n"`
}

func (a Pruned) Lead() []Sentence {
	verb := "pruned"
	if a.DryRun {
		verb = "would prune"
	}
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s %d bytes of series of %s, %d bytes of files of %s, and texts of %s", verb,
		a.Series.Bytes, format.Counted(a.Series.NSeeds, "seed"), a.Artifacts.Bytes, format.Counted(a.Artifacts.NSeeds, "seed"), format.Counted(a.NExecutions, "execution"))}}
}

func (a Pruned) Tables() []Table {
	t := Table{Name: "kept", Title: "kept", HiddenIfEmpty: true, Columns: columns("kind", "n", "reason", "why")}
	for _, k := range a.Kept {
		t.Rows = append(t.Rows, []any{k.Kind, k.N, k.Reason, k.why()})
	}
	return []Table{t}
}

func (k KeptRecord) why() string {
	switch k.Reason {
	case "recent":
		return "recorded later than the age says"
	case "sweep":
		return "their sweep has no end"
	case "open":
		return "more of them may come"
	case "decision":
		if k.Kind == "seeds" {
			return "a lineage evolves their scenario"
		}
		return "a decision rests on them"
	case "baseline":
		return "their configuration is pinned"
	}
	return "their version is active, or an ancestor of the active one"
}
