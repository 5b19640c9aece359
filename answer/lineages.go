package answer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
	"track/scoring/stats"
)

// LineagesQuestion asks which lineages there are.
type LineagesQuestion struct {
	Standing bool // also say how far each has come, and whether its ledger replays
}

func (q *LineagesQuestion) Params() param.List {
	return param.List{{Name: "standing", Help: "also show the gain of the active version over the root, and replay ledgers that are short", Value: param.Switch(&q.Standing)}}
}

// LineageInfo describes a lineage in a list.
type LineageInfo struct {
	Lineage     string    `json:"lineage"`
	NVersions   int       `json:"n_versions"`
	NExecutions int       `json:"n_executions"`
	KeepText    bool      `json:"keep_text"`
	Last        time.Time `json:"last,omitzero"`     // execution
	Subject     string    `json:"subject,omitempty"` // of a lineage with a ledger
	Head        string    `json:"head,omitempty"`
	NMutations  int       `json:"n_mutations,omitzero"`
	// Standing is there if it was asked for, of lineages with a ledger: of the [MostStanding] with the newest executions.
	Standing *LineageStanding `json:"standing,omitempty"`
}

// LineageStanding is how far a lineage has come, and whether its ledger replays.
type LineageStanding struct {
	Scale *evolution.Scale `json:"scale,omitempty"` // of the scores; none for 0 to 100
	Root  string           `json:"root,omitempty"`  // the first active version
	Gain  *float64         `json:"gain"`            // of the mean score of the active version over that of the root; null if one of them has no score
	CI    *stats.Interval  `json:"ci"`              // of Gain, Welch's; null if there are too few scores
	NHead int              `json:"n_head"`          // scores of the active version that count
	NRoot int              `json:"n_root"`
	// Replayed says that the ledger was replayed. A list replays ledgers of at most [MostReplayed] entries.
	Replayed    bool   `json:"replayed"`
	Decisions   int    `json:"decisions"`
	Verified    int    `json:"verified"`
	Differences int    `json:"differences"`
	Problem     string `json:"problem,omitempty"` // why this is not known
}

// What a list of lineages says of their standing is bounded, so that it is quick.
const (
	MostReplayed = 500 // entries of a ledger that is replayed
	MostStanding = 30  // lineages, those with the newest executions
)

// replayText says what the replay found.
func (s LineageStanding) replayText() string {
	switch {
	case s.Problem != "":
		return s.Problem
	case !s.Replayed:
		return "not replayed here"
	case s.Differences > 0:
		return format.Counted(s.Differences, "difference")
	case s.Decisions == 0:
		return "no decisions"
	}
	return fmt.Sprintf("%d of %d verified", s.Verified, s.Decisions)
}

// cells returns the cells of a lineage in a list.
func (s LineageStanding) cells() []any {
	numbers := Numbers{s.Scale}
	cells := []any{numbers.gainCell(s.Gain), nil, nil, s.replayText()}
	if s.CI != nil {
		cells[1] = intervalCell(*s.CI, numbers.Gain)
	}
	if s.Gain != nil {
		cells[2] = Cell{Text: fmt.Sprintf("%d and %d", s.NHead, s.NRoot), Exact: s.NHead}
	}
	return cells
}

// Lineages are all lineages, by name.
type Lineages struct {
	List[LineageInfo] `json:",embed"`
}

func (a Lineages) Lead() []Sentence {
	if len(a.Items) > 0 {
		return nil
	}
	hint := track.NewHint("begin one", "lineage new", "NAME").With("root", "FILE")
	return []Sentence{{Kind: Note, Text: "there is no lineage yet", Hint: &hint}}
}

func (a Lineages) Tables() []Table {
	t := Table{Name: "lineages", HiddenIfEmpty: true, Columns: Columns{
		{Name: "lineage"}, {Name: "n_versions", Head: "versions"}, {Name: "n_executions", Head: "executions"}, {Name: "keep_text", Head: "keeps text"},
		{Name: "last"}, {Name: "head"}, {Name: "n_mutations", Head: "mutations"},
	}.drop("keep_text", "last", "n_mutations")}
	standing := slices.ContainsFunc(a.Items, func(l LineageInfo) bool { return l.Standing != nil })
	if standing {
		t.Columns = append(t.Columns, Column{Name: "gain"}, Column{Name: "gain_interval", Head: format.Confidence(evolution.Confidence) + " Welch interval", For: ForPeople}, Column{Name: "gain_n", Head: "n"}, Column{Name: "replay"})
	}
	for _, l := range a.Items {
		var head, mutations any
		if l.Subject != "" {
			head, mutations = l.Head, l.NMutations
		}
		row := []any{l.Lineage, l.NVersions, l.NExecutions, l.KeepText, timeCell(l.Last), head, mutations}
		switch {
		case l.Standing != nil:
			row = append(row, l.Standing.cells()...)
		case standing:
			row = append(row, nil, nil, nil, nil)
		}
		t.Rows = append(t.Rows, row)
	}
	return []Table{t}
}

// LineageQuestion asks about a lineage with a ledger.
type LineageQuestion struct{ Lineage string }

func (q *LineageQuestion) Params() param.List { return param.List{ofLineage(&q.Lineage)} }

// OptionalLineageQuestion asks about a lineage with a ledger, which may be left out if there is only one.
type OptionalLineageQuestion struct{ Lineage string }

func (q *OptionalLineageQuestion) Params() param.List { return param.List{ofLineage(&q.Lineage)} }

// Lineage is where a lineage with a ledger stands.
type Lineage struct {
	Lineage   string                          `json:"lineage"`
	Subject   string                          `json:"subject"` // agent, or scenario:NAME
	Seed      string                          `json:"seed"`
	Head      string                          `json:"head"` // the active version; empty for none
	End       evolution.Head                  `json:"end"`  // of the ledger: keep it elsewhere, and a replay finds what is truncated
	Mutations map[evolution.MutationState]int `json:"mutations"`
	Versions  []Version                       `json:"versions"`   // that were ever active and are kept, the newest first; of at most 20, all
	NArchived int                             `json:"n_archived"` // archived versions that are not in Versions
	Settings  evolution.Settings              `json:"settings"`
}

func (a Lineage) Lead() []Sentence {
	var states []string
	for _, state := range mutationStates() {
		if n := a.Mutations[evolution.MutationState(state)]; n > 0 {
			states = append(states, fmt.Sprintf("%d %s", n, state))
		}
	}
	if len(states) == 0 {
		states = []string{"none yet"}
	}
	return []Sentence{
		{Kind: Heading, Text: fmt.Sprintf("%s, a lineage of %s; active: %s", a.Lineage, subjectName(a.Subject), orNoVersion(a.Head))},
		{Kind: Note, Text: "mutations: " + strings.Join(states, ", "), Joined: true},
		{Kind: Note, Text: fmt.Sprintf("ledger: %s, seed %s", entries(a.End.Number), a.Seed), Joined: true},
	}
}

func (a Lineage) Tables() []Table {
	numbers := Numbers{a.Settings.Scale}
	versions := versionsTable(numbers, a.Versions...)
	if a.NArchived > 0 {
		hint := track.NewHint("list all", "version list", a.Lineage)
		versions.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("%s not shown", format.Counted(a.NArchived, "archived version")), Hint: &hint}}
	}
	versions.Notes = numbers.notes(versions.Notes, Numbers.Units)
	return []Table{versions, settingsTable(a.Settings)}
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// subjectName returns the subject of a lineage for people.
func subjectName(subject string) string {
	if subject == "agent" {
		return "an agent"
	}
	return "the parameters of " + subject
}

// Head is the active version of a lineage.
type Head struct {
	Lineage  string         `json:"lineage"`
	Head     string         `json:"head"`
	Content  string         `json:"content_sha256"` // empty if the content is not known
	Since    time.Time      `json:"since,omitzero"`
	By       evolution.Kind `json:"by,omitempty"`       // the entry that made it active
	Mutation string         `json:"mutation,omitempty"` // that was accepted
}

func (a Head) Lead() []Sentence { return []Sentence{{Kind: Heading, Text: a.Head}} }

func (a Head) Tables() []Table {
	return []Table{{Name: "head", ForPrograms: true, Columns: columns("lineage", "head"), Rows: [][]any{{a.Lineage, a.Head}}}}
}
