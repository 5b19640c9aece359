package answer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"track"
	"track/scoring/format"
)

// Merged says what became of the databases that were to be merged.
type Merged struct {
	DryRun bool         `json:"dry_run"`
	Files  []MergedFile `json:"files"`
}

// Err returns an error that says what was left out; nil for nothing.
func (a Merged) Err() error {
	conflicts, refused := 0, 0
	var hint *track.Hint
	for _, f := range a.Files {
		hint = cmp.Or(hint, f.Hint)
		conflicts, refused = conflicts+f.N-f.Rejected, refused+f.Rejected
	}
	switch {
	case refused > 0 && hint != nil:
		return track.WithHint(fmt.Errorf("merge: %w: %s refused; all the rest is merged", track.ErrInvalid, format.Counted(refused, "record")), *hint)
	case refused > 0:
		return fmt.Errorf("merge: %w: %s refused; all the rest is merged", track.ErrInvalid, format.Counted(refused, "record"))
	case conflicts > 0:
		return fmt.Errorf("merge: %w: %s left out; what is here stays, all the rest is merged", track.ErrConflict, format.Counted(conflicts, "record"))
	}
	return nil
}

// Count counts records of one kind.
type Count struct {
	Recorded  int `json:"recorded"`
	Known     int `json:"known"`
	Conflicts int `json:"conflicts"`
}

// MergeCounts counts what became of records, by kind.
type MergeCounts struct {
	Configurations Count          `json:"configurations"`
	Specs          Count          `json:"specs"`
	Seeds          Count          `json:"seeds"`
	Baselines      Count          `json:"baselines"`
	Annotations    Count          `json:"annotations"` // notes and tags that were added or removed
	Withdrawals    Count          `json:"withdrawals"` // and restorations
	Looks          Count          `json:"looks"`
	Sweeps         Count          `json:"sweeps"`
	Versions       Count          `json:"versions"`
	Entries        Count          `json:"entries"` // of ledgers; a ledger that diverges is one conflict
	Executions     Count          `json:"executions"`
	Forgotten      Count          `json:"forgotten"`             // executions that were forgotten
	Uncompared     int            `json:"n_uncompared,omitzero"` // texts of known executions that other rules masked and that are not kept
	Unjudged       map[string]int `json:"unjudged"`              // by scenario: new seeds that are not judged under its newest spec
}

// NewMergeCounts returns counts of nothing.
func NewMergeCounts() MergeCounts { return MergeCounts{Unjudged: map[string]int{}} }

// Clone returns an independent copy.
func (c MergeCounts) Clone() MergeCounts {
	c.Unjudged = maps.Clone(c.Unjudged)
	return c
}

// MergeConflict is a record that was left out.
type MergeConflict struct {
	Kind    string `json:"kind"` // as lines name it
	Name    string `json:"name"`
	Reason  string `json:"reason"`
	Refused bool   `json:"refused,omitzero"` // it cannot be recorded at all
}

// MergedFile says what became of one file.
type MergedFile struct {
	File        string `json:"file"`
	MergeCounts `json:",embed"`
	N           int             `json:"n_conflicts"` // records that were left out
	Rejected    int             `json:"rejected"`    // those of them that were refused
	Conflicts   []MergeConflict `json:"conflicts"`
	Hint        *track.Hint     `json:"-"` // what helps against the first that was refused; nil for none
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

func (a Merged) Lead() []Sentence {
	if !a.DryRun {
		return nil
	}
	return []Sentence{{Kind: Heading, Text: "dry run, nothing recorded; each file as if it were the only one"}}
}

func (a Merged) Tables() []Table {
	t := Table{Name: "files", Columns: Columns{
		{Name: "file"}, {Name: "seeds"}, {Name: "known", Head: "seeds known"}, {Name: "conflicts", Head: "seed conflicts"}, {Name: "executions"},
		{Name: "known executions", Head: "executions known"}, {Name: "conflicting executions", Head: "execution conflicts"},
		{Name: "entries", Head: "ledger entries"}, {Name: "conflicts in all", For: ForData},
	}.drop("known executions", "known", "entries", "conflicting executions", "executions").wrap("file")}
	for _, f := range a.Files {
		t.Rows = append(t.Rows, []any{
			f.File, f.Seeds.Recorded, f.Seeds.Known, f.Seeds.Conflicts, f.Executions.Recorded, f.Executions.Known, f.Executions.Conflicts, f.Entries.Recorded, f.N,
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
		what := "conflict"
		if c.Refused {
			what = "refused"
		}
		note("%s: %s %s: %s", what, c.Kind, c.Name, c.Reason)
	}
	if f.Uncompared > 0 {
		note("%d texts not compared: other rules masked them, and they are not kept", f.Uncompared)
	}
	for _, scenario := range slices.Sorted(maps.Keys(f.Unjudged)) {
		note("%s of %s not judged under the newest spec", format.Counted(f.Unjudged[scenario], "seed"), scenario)
		hint := track.NewHint("judge the seeds", "rescore", scenario)
		list[len(list)-1].Hint = &hint
	}
	return list
}

// LinesExported counts the lines that a database was written as.
type LinesExported struct {
	File  string        `json:"file,omitempty"`
	Kinds []SentRecords `json:"kinds"` // in the order of the file
}

// Text says what the lines hold.
func (a LinesExported) Text() string {
	n, parts := 0, []string{}
	for _, k := range a.Kinds {
		n += k.N
		parts = append(parts, format.Counted(k.N, k.Kind))
	}
	text := format.Counted(n, "record")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if a.File != "" {
		text = a.File + ": " + text
	}
	return text
}

func (a LinesExported) Lead() []Sentence { return []Sentence{{Kind: Heading, Text: a.Text()}} }

func (a LinesExported) Tables() []Table {
	t := Table{Name: "kinds", ForPrograms: true, Columns: columns("kind", "n")}
	for _, k := range a.Kinds {
		t.Rows = append(t.Rows, []any{k.Kind, k.N})
	}
	return []Table{t}
}
