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

// ImportCounts counts what became of what logs hold. Calls, tokens and the like are those of the executions that were
// recorded or replaced, or would have been in a dry run.
type ImportCounts struct {
	Executions int          `json:"executions"` // recorded
	Replaced   int          `json:"replaced"`   // recorded before their source was complete, and completed now
	Duplicates int          `json:"duplicates"`
	Conflicts  int          `json:"conflicts"`
	Repeated   int          `json:"n_repeated,omitzero"` // requests and tool calls that another execution of the lineage has: not counted again
	Equal      int          `json:"n_equal,omitzero"`    // lines without a key that say the same as an earlier one of the input
	Early      int          `json:"before_since"`        // started before the time that was asked for
	GoOn       int          `json:"n_go_on,omitzero"`    // left out, because their logs go on: a server takes only what has ended
	Subagents  int          `json:"subagents"`
	Calls      int          `json:"calls"`
	Failed     int          `json:"failed_calls"`
	Unknown    int          `json:"unknown_calls"`         // whose outcome the log does not tell
	Masked     int          `json:"n_masked"`              // secrets
	Forgotten  int          `json:"n_forgotten,omitzero"`  // executions whose texts are not stored, because they were forgotten earlier
	Uncompared int          `json:"n_uncompared,omitzero"` // texts of known executions that other rules masked and that are not kept
	Versions   int          `json:"versions"`              // recorded, or recorded with something new
	Events     int          `json:"events"`                // what the source says of its versions; only what describes a version is kept
	Skipped    int          `json:"n_skipped"`             // parts of the source that were left out
	Tokens     track.Tokens `json:"tokens"`
	// Prices is the date of the table of prices that costs were computed by, if logs give none.
	Prices         string   `json:"prices,omitzero"`
	Priced         int      `json:"n_priced,omitzero"`             // executions with a computed cost
	Unpriced       int      `json:"n_unpriced,omitzero"`           // executions whose tokens are known and whose cost is not
	UnpricedModels []string `json:"models_without_price,omitzero"` // of them
	Suspicions     `json:",embed"`
}

// Imported says what became of the logs of agents.
type Imported struct {
	DryRun              bool `json:"dry_run"`
	Files               int  `json:"files"`
	ImportCounts        `json:",embed"`
	Problems            []ImportProblem `json:"skipped"`
	ProblemsOmitted     int             `json:"skipped_omitted,omitzero"` // beyond [maxProblems]
	SkippedFiles        []SkippedFile   `json:"skipped_files"`
	SkippedFilesOmitted int             `json:"skipped_files_omitted,omitzero"`
}

// ImportProblem says why a part of a source was left out.
type ImportProblem struct {
	File   string      `json:"file"`
	Line   *int        `json:"line"` // null if the source has no lines
	Reason string      `json:"reason"`
	Hint   *track.Hint `json:"hint,omitzero"` // what would help
}

// SkippedFile is a file that is of no known format.
type SkippedFile struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// AddProblem lists a problem.
func (a *Imported) AddProblem(p ImportProblem) {
	if len(a.Problems) == maxProblems {
		a.ProblemsOmitted++
		return
	}
	a.Problems = append(a.Problems, p)
}

// AddSkippedFile lists a file.
func (a *Imported) AddSkippedFile(f SkippedFile) {
	if len(a.SkippedFiles) == maxProblems {
		a.SkippedFilesOmitted++
		return
	}
	a.SkippedFiles = append(a.SkippedFiles, f)
}

func (a Imported) Lead() []Sentence {
	text := fmt.Sprintf("%s: %s, %d duplicate, %d conflicting, %d skipped", format.Counted(a.Files, "file"), format.Counted(a.Executions, "execution"),
		a.Duplicates, a.Conflicts, a.Skipped)
	if a.DryRun {
		text = "dry run, nothing recorded: " + text
	}
	if a.Replaced > 0 {
		text += fmt.Sprintf(", %d completed", a.Replaced)
	}
	if a.GoOn > 0 {
		text += fmt.Sprintf(", %d left out because their logs go on", a.GoOn)
	}
	if a.Early > 0 {
		text += fmt.Sprintf(", %d before the given time", a.Early)
	}
	calls := callsText(a.Calls, a.Failed, a.Unknown)
	if a.Subagents > 0 {
		calls += fmt.Sprintf("; %s of subagents", format.Counted(a.Subagents, "execution"))
	}
	if a.Repeated > 0 {
		calls += fmt.Sprintf("; %s of requests and calls, counted once", format.Counted(a.Repeated, "repeat"))
	}
	if a.Versions > 0 {
		calls += "; " + format.Counted(a.Versions, "version")
	}
	if a.Masked > 0 {
		calls += fmt.Sprintf("; %s masked", format.Counted(a.Masked, "secret"))
	}
	if a.Forgotten > 0 {
		calls += fmt.Sprintf("; %s without texts, which were forgotten earlier", format.Counted(a.Forgotten, "execution"))
	}
	if a.Uncompared > 0 {
		calls += fmt.Sprintf("; %s not compared: other rules masked them, and they are not kept", format.Counted(a.Uncompared, "text"))
	}
	lead := []Sentence{{Kind: Heading, Text: text}, {Kind: Note, Text: calls, Joined: true}}
	if a.Equal > 0 {
		lead = append(lead, Sentence{Kind: Note, Text: EqualLinesText(a.Equal), Joined: true})
	}
	if a.Priced > 0 {
		lead = append(lead, Sentence{Kind: Note, Text: fmt.Sprintf("cost of %s computed by the prices of %s", format.Counted(a.Priced, "execution"), a.Prices), Joined: true})
	}
	if a.Unpriced > 0 {
		text := fmt.Sprintf("cost of %s unknown: the prices of %s do not cover what they used of %s", format.Counted(a.Unpriced, "execution"), a.Prices, someNames(a.UnpricedModels))
		lead = append(lead, Sentence{Kind: Note, Text: text, Joined: true})
	}
	return append(lead, a.Suspicions.Warnings()...)
}

// EqualLinesText says that lines were taken as one, and how to tell repetitions apart.
func EqualLinesText(n int) string {
	return fmt.Sprintf("%s without a key %s an earlier one and not recorded again: give repetitions of a task a trial (1, 2, ...) or a key",
		format.Counted(n, "line"), format.Verb(n, "equals", "equal"))
}

// callsText says how many calls there were, and how many of them failed. A call of unknown outcome may have failed too.
func callsText(n, failed, unknown int) string {
	text := fmt.Sprintf("%s, %d failed", format.Counted(n, "tool call"), failed)
	if unknown > 0 {
		text += fmt.Sprintf(", %d of unknown outcome", unknown)
	}
	return text
}

func (a Imported) Tables() []Table {
	return []Table{{
		Name: "import", ForPrograms: true,
		Columns: columns("files", "executions", "replaced", "duplicates", "conflicts", "before_since", "subagents", "calls", "failed_calls", "unknown_calls", "versions", "skipped"),
		Rows: [][]any{{
			a.Files, a.Executions, a.Replaced, a.Duplicates, a.Conflicts, a.Early, a.Subagents, a.Calls, a.Failed, a.Unknown, a.Versions, a.Skipped,
		}},
	}}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// ImportedPrograms says what became of a run of another evolver.
type ImportedPrograms struct {
	Lineage       string   `json:"lineage"`
	DryRun        bool     `json:"dry_run"`
	Created       bool     `json:"created"`
	Head          string   `json:"head"`
	HeadBefore    string   `json:"head_before,omitempty"` // if the import made a better program active
	Better        string   `json:"better,omitempty"`      // the best program, if the active version was not chosen by imports alone, and so stays
	Programs      int      `json:"programs"`
	Checkpoints   int      `json:"checkpoints"`
	Repeated      int      `json:"repeated"`  // in several checkpoints, as they were
	Differing     int      `json:"differing"` // in several checkpoints: the later counts
	Versions      int      `json:"versions"`
	SameContent   int      `json:"same_content"` // programs with the content of another program: they are one version
	Mutations     int      `json:"mutations"`
	Executions    int      `json:"executions"`
	Failed        int      `json:"failed"`
	Duplicates    int      `json:"duplicates"`
	Conflicts     []string `json:"conflicts"`
	LostParents   []string `json:"lost_parents"`
	Ambiguous     int      `json:"ambiguous"`
	SecondUnknown int      `json:"second_parent_unknown"`
	Rejected      int      `json:"rejected"` // proposals that the source rejected, and of which it has no content
	Tasks         int      `json:"tasks"`    // tasks with a score of their own
	Masked        int      `json:"n_masked"`
	Scale         *float64 `json:"scale"`       // that scores were multiplied by; null if they are as they were
	Best          []string `json:"best"`        // as the source says
	BestFailed    []string `json:"best_failed"` // those of them that failed
	LeftOut       int      `json:"left_out"`
	Skipped       []string `json:"skipped"`
	Suspicions    `json:",embed"`
}

func (a ImportedPrograms) Lead() []Sentence {
	text := fmt.Sprintf("%s: %s, %s, %s, %s (%d failed), %d recorded before", a.Lineage, format.Counted(a.Programs, "program"),
		format.Counted(a.Versions, "new version"), format.Counted(a.Mutations, "mutation"), format.Counted(a.Executions, "evaluation"), a.Failed, a.Duplicates)
	if a.DryRun {
		text = "dry run, nothing recorded: " + text
	}
	list := []Sentence{{Kind: Heading, Text: text}}
	tell := func(n int, format string, args ...any) {
		if n > 0 {
			list = append(list, Sentence{Kind: Note, Text: fmt.Sprintf(format, args...), Joined: true})
		}
	}
	tell(a.Checkpoints, "%s, %s came again unchanged, %d had changed", format.Counted(a.Checkpoints, "checkpoint"), format.Counted(a.Repeated, "program"), a.Differing)
	tell(a.SameContent, "%s with the content of another: one version, with an evaluation each", format.Counted(a.SameContent, "program"))
	tell(len(a.LostParents), "%s that the source has lost: %s", format.Counted(len(a.LostParents), "parent"), someNames(a.LostParents))
	tell(a.Ambiguous, "%s without a parent, since one of several may be it", format.Counted(a.Ambiguous, "program"))
	tell(a.SecondUnknown, "%s whose second parent the source does not name", format.Counted(a.SecondUnknown, "crossover"))
	tell(a.Tasks, "each program has a score on each of %s", format.Counted(a.Tasks, "task"))
	tell(a.Rejected, "%s that the source rejected, without a content: withdrawn", format.Counted(a.Rejected, "proposal"))
	tell(len(a.BestFailed), "the source calls best what failed: %s", someNames(a.BestFailed))
	tell(a.Masked, "%s masked", format.Counted(a.Masked, "secret"))
	tell(len(a.Conflicts), "recorded with other content before: %s", someNames(a.Conflicts))
	list = append(list, a.headSentences()...)
	return append(list, a.Suspicions.Warnings()...)
}

// headSentences say which version is active, and why.
func (a ImportedPrograms) headSentences() []Sentence {
	active := orNone(a.Head)
	if a.Head != "" && (a.Created || a.HeadBefore != "") {
		active += ", the best program of the run"
	}
	if a.HeadBefore != "" {
		active += "; before: " + a.HeadBefore
	}
	active += "; nothing was decided, since the source does not say what it did with a program"
	list := []Sentence{{Kind: Note, Text: "active version: " + active, Joined: true}}
	if a.Better != "" {
		hint := track.NewHint("make it active", "rollback", a.Lineage).With("to", a.Better)
		text := fmt.Sprintf("the best program of the run is %s now; %s stays active, since it was not chosen by imports alone", a.Better, orNone(a.Head))
		list = append(list, Sentence{Kind: Warning, Text: text, Hint: &hint})
	}
	return list
}

// someNames lists the first names, and how many more there are.
func someNames(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more: the JSON lists all", strings.Join(names[:most], ", "), len(names)-most)
}

func (a ImportedPrograms) Tables() []Table {
	return []Table{{
		Name: "programs", ForPrograms: true,
		Columns: columns("lineage", "programs", "versions", "mutations", "executions", "failed", "duplicates", "lost_parents", "same_content"),
		Rows: [][]any{{
			a.Lineage, a.Programs, a.Versions, a.Mutations, a.Executions, a.Failed, a.Duplicates, len(a.LostParents), a.SameContent,
		}},
	}}
}

func entriesText(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

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
