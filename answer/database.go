package answer

import (
	"fmt"
	"time"

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
