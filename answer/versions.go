package answer

import (
	"fmt"
	"math"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
	"track/scoring/rubric"
)

// VersionPlace says where a version stands in its lineage.
type VersionPlace string

// The places. Versions are never deleted: archived versions are only no longer among the kept ones, the newest and
// the best.
const (
	VersionActive    VersionPlace = "active"    // is active: the head of the lineage
	VersionKept      VersionPlace = "kept"      // was active, and is one of the newest or the best
	VersionArchived  VersionPlace = "archived"  // was active, long ago
	VersionCandidate VersionPlace = "candidate" // was never active
)

// Version is a version of a lineage with its fitness.
type Version struct {
	Version  string       `json:"version"`
	Place    VersionPlace `json:"place"` // empty if the lineage has no ledger
	Best     bool         `json:"best"`  // the best fitness of the versions that were ever active
	Parent   string       `json:"parent"`
	Operator string       `json:"operator"`
	Fitness  *float64     `json:"fitness"` // null if no trial has a score, or there is a problem
	// Measure says how the fitness was computed: the mean over tasks, or the weighted mean of the newest trials.
	Measure       rubric.Measure `json:"measure,omitempty"`
	NTasks        int            `json:"n_tasks,omitzero"` // over which the fitness is a mean
	N             int            `json:"n"`                // trials with a score
	NFailed       int            `json:"n_failed"`
	ContentSHA256 string         `json:"content_sha256"`
	Problem       string         `json:"problem,omitempty"` // why its trials cannot be aggregated, such as scores under several rubrics
	Status        string         `json:"status,omitempty"`  // in the words of its source
	SourceScore   *float64       `json:"source_score,omitempty"`
	CreatedAt     time.Time      `json:"created_at"`
}

// versionsTable returns versions as rows.
func versionsTable(numbers Numbers, list ...Version) Table {
	t := Table{Name: "versions", Columns: columns("version", "place", "parent", "operator", "fitness", "n", "failed", "content").drop("content", "failed", "operator", "parent")}
	t.Columns[6].Name, t.Columns[6].Head = "n_failed", "failed"
	t.Columns[7].Name, t.Columns[7].Head = "content_sha256", "content"
	t.Notes = fitnessNotes(list)
	for _, v := range list {
		place := string(v.Place)
		if v.Best {
			place += ", best"
		}
		fitness := optionalCell(v.Fitness, numbers.Score)
		if v.Problem != "" {
			fitness = "mixed rubrics"
		}
		t.Rows = append(t.Rows, []any{v.Version, place, v.Parent, v.Operator, fitness, v.N, v.NFailed, hashCell(v.ContentSHA256)})
	}
	return t
}

// fitnessNotes say how the fitness of versions was computed if it is not from the newest trials alone.
func fitnessNotes(list []Version) []Sentence {
	least, most, byTask, rated := math.MaxInt, 0, 0, 0
	for _, v := range list {
		if v.Measure == rubric.ByTask {
			least, most, byTask = min(least, v.NTasks), max(most, v.NTasks), byTask+1
		}
		if v.Fitness != nil {
			rated++
		}
	}
	if byTask == 0 {
		return nil
	}
	tasks := fmt.Sprintf("%d tasks", most)
	if least < most {
		tasks = fmt.Sprintf("%d to %d tasks", least, most)
	}
	text := "fitness: mean over " + tasks + " of the mean score of each"
	if byTask < rated {
		text += fmt.Sprintf("; of %s: the weighted mean of the newest trials", format.CountedOf(rated-byTask, rated, "version"))
	}
	return []Sentence{{Kind: Note, Text: text}}
}

// Versions are the versions of a lineage, the newest first.
type Versions struct {
	Lineage       string           `json:"lineage"`
	Scale         *evolution.Scale `json:"scale,omitempty"` // of the scores; none for 0 to 100
	List[Version] `json:",embed"`
}

func (Versions) Lead() []Sentence { return nil }

func (a Versions) Tables() []Table {
	numbers := Numbers{a.Scale}
	t := versionsTable(numbers, a.Items...)
	t.Notes = numbers.notes(t.Notes, Numbers.scoreUnit)
	t.Empty = "lineage " + a.Lineage + " has no version yet"
	return []Table{t}
}

// VersionSelector names a version of a lineage: LINEAGE@VERSION.
type VersionSelector struct{ Lineage, Version string }

// parseVersionSelector reads LINEAGE@VERSION.
func parseVersionSelector(text string) (VersionSelector, error) {
	lineage, version, found := strings.Cut(text, "@")
	if !found || lineage == "" || version == "" {
		return VersionSelector{}, fmt.Errorf("%q is not LINEAGE@VERSION, as in %s@v002", text, lineage)
	}
	return VersionSelector{lineage, version}, nil
}

// String writes the selector as [parseVersionSelector] reads it.
func (s VersionSelector) String() string {
	if s == (VersionSelector{}) {
		return ""
	}
	return s.Lineage + "@" + s.Version
}

// VersionName returns the version that VERSION or LINEAGE@VERSION names in a lineage.
func VersionName(lineage, text string) (string, error) {
	of, name, long := strings.Cut(text, "@")
	switch {
	case !long:
		return text, nil
	case of == lineage && name != "":
		return name, nil
	}
	return "", fmt.Errorf("%s is not a version of lineage %s: give VERSION, or %s@VERSION", text, lineage, lineage)
}

// VersionQuestion asks for a version.
type VersionQuestion struct{ Of VersionSelector }

func (q *VersionQuestion) Params() param.List { return param.List{versionParam(&q.Of)} }

func versionParam(of *VersionSelector) param.Param {
	return param.Param{Name: "version", Arg: true, Required: true, Unit: "LINEAGE@VERSION", Help: "choose the version", Value: param.Parsed(of, parseVersionSelector, VersionSelector.String)}
}

// VersionDetail is a version with its content.
type VersionDetail struct {
	Lineage   string `json:"lineage"`
	Version   `json:",embed"`
	Scale     *evolution.Scale `json:"scale,omitempty"`     // of the scores; none for 0 to 100
	Mutations []string         `json:"mutations,omitempty"` // that made it, the first one first
	Content   *string          `json:"content"`             // null if it is not known
}

func (VersionDetail) Lead() []Sentence { return nil }

func (a VersionDetail) Tables() []Table {
	t := versionsTable(Numbers{a.Scale}, a.Version)
	text := "its content is not recorded"
	if a.Content != nil {
		text = strings.TrimSuffix(*a.Content, "\n")
	}
	t.Notes = append(t.Notes, Sentence{Kind: Note, Text: text})
	return []Table{t}
}

// VersionDiffQuestion asks for the difference of two versions.
type VersionDiffQuestion struct {
	Of VersionSelector
	To string // another version of the lineage; empty to compare Of with its parent
}

func (q *VersionDiffQuestion) Params() param.List {
	return param.List{versionParam(&q.Of), {Name: "to", Arg: true, Unit: "VERSION", Help: "choose the newer version; without it, the version is compared with its parent", Value: param.Text(&q.To)}}
}

func (q *VersionDiffQuestion) Check() error {
	if q.To == "" {
		return nil
	}
	if _, err := VersionName(q.Of.Lineage, q.To); err != nil {
		return &param.Error{Param: "to", Message: err.Error()}
	}
	return nil
}

// VersionDiff is the difference of two versions.
type VersionDiff struct {
	Lineage string `json:"lineage"`
	From    string `json:"from"` // empty for nothing
	To      string `json:"to"`
	Added   int    `json:"added"` // lines
	Removed int    `json:"removed"`
	Diff    string `json:"diff"` // unified; empty for none
}

func (a VersionDiff) Lead() []Sentence {
	if a.Diff == "" {
		return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s and %s are identical", a.From, a.To)}}
	}
	return []Sentence{{Kind: Diff, Text: strings.TrimSuffix(a.Diff, "\n")}}
}

func (a VersionDiff) Tables() []Table {
	return []Table{{Name: "diff", ForPrograms: true, Columns: columns("lineage", "from", "to", "added", "removed"),
		Rows: [][]any{{a.Lineage, a.From, a.To, a.Added, a.Removed}}}}
}

// VersionContent is the content of a version.
type VersionContent struct {
	Lineage string `json:"lineage"`
	Version string `json:"version"`
	Content string `json:"content"`
}

func (a VersionContent) Lead() []Sentence { return []Sentence{{Kind: Note, Text: a.Content}} }

func (a VersionContent) Tables() []Table { return nil }

// NoContent returns an error for a version whose content nobody recorded.
func NoContent(v VersionSelector) error {
	err := fmt.Errorf("content of %s: %w: nobody recorded it", v, track.ErrNotFound)
	return track.WithHint(err, track.NewHint("record a content", "mutation propose").With("lineage", v.Lineage).With("child", "FILE"))
}
