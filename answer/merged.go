package answer

import (
	"fmt"
	"maps"
	"slices"

	"track"
	"track/scoring/format"
)

// Merged says what became of the databases that were to be merged.
type Merged struct {
	DryRun bool         `json:"dry_run"`
	Files  []MergedFile `json:"files"`
}

// MergeState says what became of a file that was to be merged.
type MergeState string

// The states.
const (
	MergeDone    MergeState = "merged"
	MergeRead    MergeState = "read"    // in a dry run
	MergeInPart  MergeState = "in part" // it failed after some records were stored
	MergeRefused MergeState = "refused"
	MergeUntried MergeState = "not tried" // merging the file before it failed for another reason than that file
)

// Count counts records of one kind.
type Count struct {
	Recorded  int `json:"recorded"`
	Known     int `json:"known"`
	Conflicts int `json:"conflicts"`
}

// All returns the number of records.
func (c Count) All() int { return c.Recorded + c.Known + c.Conflicts }

// MergeCounts counts what became of records, by kind.
type MergeCounts struct {
	Scenarios      Count          `json:"scenarios"`
	Specs          Count          `json:"specs"`
	Configurations Count          `json:"configurations"`
	Seeds          Count          `json:"seeds"`
	Baselines      Count          `json:"baselines"`
	Annotations    Count          `json:"annotations"` // notes and tags that were added or removed
	Looks          Count          `json:"looks"`
	Sweeps         Count          `json:"sweeps"`
	Repetitions    Count          `json:"repetitions"`
	Versions       Count          `json:"versions"`
	Executions     Count          `json:"executions"`
	Lineages       []MergedLedger `json:"lineages"`
	Superseded     int            `json:"superseded"`            // seeds that another one has replaced
	Withdrawn      int            `json:"withdrawn"`             // seeds here that were withdrawn elsewhere
	Restored       int            `json:"restored"`              // withdrawn seeds here that were restored elsewhere
	Completed      int            `json:"completed"`             // executions that had come further elsewhere
	Uncompared     int            `json:"n_uncompared,omitzero"` // texts of known executions that other rules masked and that are not kept
	Forgotten      int            `json:"forgotten"`             // executions whose texts were removed elsewhere, and now here
	Assessments    int            `json:"assessments"`           // judgements of known seeds, under specs that they had not been judged under here
	Scores         int            `json:"scores"`                // scores of known executions, under rubrics that they had not been scored under here
	Unpruned       int            `json:"n_unpruned,omitzero"`   // contents of series and files of known seeds that were pruned here, and are back: each once
	Unjudged       map[string]int `json:"unjudged"`              // by scenario: new seeds that are not judged under its newest spec
}

// NewMergeCounts returns counts of nothing.
func NewMergeCounts() MergeCounts {
	return MergeCounts{Lineages: []MergedLedger{}, Unjudged: map[string]int{}}
}

// Clone returns an independent copy.
func (c MergeCounts) Clone() MergeCounts {
	c.Lineages, c.Unjudged = slices.Clone(c.Lineages), maps.Clone(c.Unjudged)
	return c
}

// NConflicts counts what was left out, since something else stands in its place.
func (c MergeCounts) NConflicts() int {
	n := c.Specs.Conflicts + c.Seeds.Conflicts + c.Versions.Conflicts + c.Executions.Conflicts
	for _, l := range c.Lineages {
		if l.Conflict {
			n++
		}
	}
	return n
}

// entries counts the entries of ledgers that were added.
func (c MergeCounts) entries() (added int) {
	for _, l := range c.Lineages {
		added += l.Entries
	}
	return added
}

// Records counts the seeds, executions and entries of ledgers that were added.
func (c MergeCounts) Records() int { return c.Seeds.Recorded + c.Executions.Recorded + c.entries() }

// MergedLedger says what became of the ledger of a lineage.
type MergedLedger struct {
	Lineage  string `json:"lineage"`
	Entries  int    `json:"entries"` // added
	Known    int    `json:"known"`
	Conflict bool   `json:"conflict"`
}

// MergeConflict is a record that was left out.
type MergeConflict struct {
	Kind          string `json:"kind"` // spec, version, seed, execution or lineage
	Scenario      string `json:"scenario,omitempty"`
	Lineage       string `json:"lineage,omitempty"`
	Name          string `json:"name,omitempty"`
	Label         string `json:"label,omitempty"`
	Configuration string `json:"configuration,omitempty"`
	Reason        string `json:"reason"`
}

// MergedFile says what became of one file.
type MergedFile struct {
	File        string     `json:"file"`
	State       MergeState `json:"state"`
	Error       string     `json:"error,omitempty"`
	MergeCounts `json:",embed"`
	N           int             `json:"n_conflicts"`
	Conflicts   []MergeConflict `json:"conflicts"`
}

// NewMergedFile returns what is known of a file before it is merged.
func NewMergedFile(file string) MergedFile {
	return MergedFile{File: file, MergeCounts: NewMergeCounts(), Conflicts: []MergeConflict{}}
}

// Len returns the number of files.
func (a Merged) Len() int { return len(a.Files) }

// Item returns a file.
func (a Merged) Item(i int) any { return a.Files[i] }

// NextPage implements [Listing]: there is one page.
func (a Merged) NextPage() string { return "" }

// Lead implements [Answer].
func (a Merged) Lead() []Sentence {
	if !a.DryRun {
		return nil
	}
	return []Sentence{{Kind: Heading, Text: "dry run, nothing recorded; each file as if it were the only one"}}
}

// Tables implements [Answer].
func (a Merged) Tables() []Table {
	t := Table{Name: "files", Columns: Columns{
		{Name: "file"}, {Name: "seeds"}, {Name: "known", Head: "seeds known"}, {Name: "conflicts", Head: "seed conflicts"}, {Name: "executions"},
		{Name: "known executions", Head: "executions known"}, {Name: "conflicting executions", Head: "execution conflicts"},
		{Name: "entries", Head: "ledger entries"}, {Name: "conflicts in all", For: ForData}, {Name: "state"},
	}.drop("known executions", "known", "entries", "conflicting executions", "executions").wrap("file", "state")}
	for _, f := range a.Files {
		t.Rows = append(t.Rows, []any{
			f.File, f.Seeds.Recorded, f.Seeds.Known, f.Seeds.Conflicts, f.Executions.Recorded, f.Executions.Known, f.Executions.Conflicts, f.entries(), f.N,
			string(f.State),
		})
		t.Notes = append(t.Notes, f.notes()...)
	}
	return []Table{t}
}

// conflictsShown is how many conflicts of a file people are shown.
const conflictsShown = 20

// notes are what people should know of a file beyond its counts.
func (f MergedFile) notes() (list []Sentence) {
	note := func(text string, args ...any) {
		list = append(list, Sentence{Kind: Note, Text: f.File + ": " + fmt.Sprintf(text, args...)})
	}
	for i, c := range f.Conflicts {
		if i == conflictsShown {
			note("%s: the JSON lists all", moreOf(len(f.Conflicts)-conflictsShown, "conflict"))
			break
		}
		note("conflict: %s", c.text())
	}
	for _, what := range []struct {
		n    int
		text string
	}{
		{f.Superseded, "superseded, as there"}, {f.Withdrawn, "withdrawn, as there"}, {f.Restored, "restored, as there"},
		{f.Completed, "completed: the record there had come further"},
		{f.Uncompared, "texts not compared: other rules masked them, and they are not kept"}, {f.Forgotten, "forgotten, as there"},
		{f.Unpruned, "series and files that were pruned here are back, because they are kept there"},
	} {
		if what.n > 0 {
			note("%d %s", what.n, what.text)
		}
	}
	for _, scenario := range slices.Sorted(maps.Keys(f.Unjudged)) {
		note("%s of %s not judged under the newest spec", format.Counted(f.Unjudged[scenario], "seed"), scenario)
		hint := track.NewHint("judge the seeds", "rescore", scenario)
		list[len(list)-1].Hint = &hint
	}
	return list
}

func (c MergeConflict) text() string {
	what := c.Kind + " " + c.Name
	switch c.Kind {
	case "seed":
		what = "seed " + c.Name + " of " + c.Scenario + "@" + track.ShortHash(c.Configuration)
		if c.Label != "" {
			what += " (" + c.Label + ")"
		}
	case "spec":
		what = "spec " + c.Scenario + "@" + c.Name
	case "version":
		what = "version " + c.Name + " of lineage " + c.Lineage
	case "lineage":
		what = "lineage " + c.Lineage
	case "execution":
		what = "execution " + c.Name + " of lineage " + c.Lineage
	}
	return what + ": " + c.Reason
}

// BundleContents counts what a bundle holds.
type BundleContents struct {
	File       string `json:"file"`
	Scenarios  int    `json:"scenarios"`
	Specs      int    `json:"specs"`
	Seeds      int    `json:"seeds"`
	Superseded int    `json:"superseded"`
	Series     int    `json:"series"`
	Sweeps     int    `json:"sweeps"`
	Lineages   int    `json:"lineages"`
	Entries    int    `json:"entries"`
	Executions int    `json:"executions"`
	First      string `json:"first,omitempty"` // when the first seed or execution was recorded
	Last       string `json:"last,omitempty"`
}

// Text says what the bundle holds.
func (a BundleContents) Text() string {
	text := fmt.Sprintf("%s: %s with %s and %s, %d superseded; %s with %s of ledgers and %s", a.File, format.Counted(a.Scenarios, "scenario"),
		format.Counted(a.Specs, "spec"), format.Counted(a.Seeds, "seed"), a.Superseded, format.Counted(a.Lineages, "lineage"), entriesText(a.Entries),
		format.Counted(a.Executions, "execution"))
	if a.First != "" {
		text += "; recorded from " + a.First + " to " + a.Last
	}
	return text
}

func entriesText(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// Lead implements [Answer].
func (a BundleContents) Lead() []Sentence { return []Sentence{{Kind: Heading, Text: a.Text()}} }

// Tables implements [Answer].
func (a BundleContents) Tables() []Table {
	return []Table{{
		Name: "bundle", ForPrograms: true,
		Columns: columns("file", "scenarios", "specs", "seeds", "superseded", "series", "sweeps", "lineages", "entries", "executions"),
		Rows:    [][]any{{a.File, a.Scenarios, a.Specs, a.Seeds, a.Superseded, a.Series, a.Sweeps, a.Lineages, a.Entries, a.Executions}},
	}}
}
