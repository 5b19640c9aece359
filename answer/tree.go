package answer

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"track/evolution"
	"track/scoring/format"
)

// TreeVersion is a version in the tree of its lineage.
type TreeVersion struct {
	Number     int                     `json:"number"` // in the order in which versions were recorded, from 1
	Version    string                  `json:"version"`
	Parents    []string                `json:"parents"`             // the one that it is compared with first; none for a root
	Inferred   bool                    `json:"inferred,omitzero"`   // its source does not say all of them
	Mutation   string                  `json:"mutation,omitempty"`  // that made it
	State      evolution.MutationState `json:"state,omitempty"`     // of that mutation
	Operator   string                  `json:"operator,omitempty"`  // of that mutation
	Generation *int                    `json:"generation,omitzero"` // according to another evolver
	Island     *int                    `json:"island,omitzero"`     // the same
	Place      VersionPlace            `json:"place,omitempty"`
	Root       bool                    `json:"root"`      // the lineage began with it
	OnPath     bool                    `json:"on_path"`   // it is active, or led from the root to the active version
	Unchanged  bool                    `json:"unchanged"` // its content is that of its first parent
	Fitness    *float64                `json:"fitness"`   // null if no trial has a score, or they cannot be aggregated
	N          int                     `json:"n"`         // trials with a score
	NFailed    int                     `json:"n_failed"`
	Delta      *float64                `json:"delta"` // of the last decision
	CreatedAt  time.Time               `json:"created_at"`
}

// stateText says what became of a version.
func (v TreeVersion) stateText() string {
	switch {
	case v.State != "":
		return string(v.State)
	case v.Root:
		return "root"
	}
	return ""
}

// LineageTree is all versions of a lineage, the oldest first, each with those that it was made from.
type LineageTree struct {
	Lineage           string           `json:"lineage"`
	Head              string           `json:"head"`            // the active version; empty for none
	Scale             *evolution.Scale `json:"scale,omitempty"` // of the scores; none for 0 to 100
	ScoreBasis        `json:",embed"`
	List[TreeVersion] `json:",embed"`
}

func (a LineageTree) Lead() []Sentence {
	states := map[string]int{}
	path, unchanged, inferred := 0, 0, 0
	for _, v := range a.Items {
		states[v.stateText()]++
		if v.OnPath {
			path++
		}
		if v.Unchanged {
			unchanged++
		}
		if v.Inferred {
			inferred++
		}
	}
	text := format.Counted(len(a.Items), "version")
	sep := ": "
	for _, state := range append(mutationStates(), "root", "") {
		if states[state] > 0 {
			text += fmt.Sprintf("%s%d %s", sep, states[state], cmp.Or(state, "without a mutation"))
			sep = ", "
		}
	}
	lead := []Sentence{{Kind: Heading, Text: "tree of " + a.Lineage}, {Kind: Note, Joined: true, Text: text}}
	if path > 0 {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: fmt.Sprintf("path from the root to the active version %s: %s", a.Head, format.Counted(path, "version"))})
	}
	if unchanged > 0 {
		text := fmt.Sprintf("%s the content of %s parent", format.Counted(unchanged, "version")+" "+format.Verb(unchanged, "has", "have"), format.Verb(unchanged, "its", "their"))
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: text})
	}
	if inferred > 0 {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: fmt.Sprintf("of %s a parent was inferred, as the source does not say it", format.Counted(inferred, "version"))})
	}
	return lead
}

func (a LineageTree) Tables() []Table {
	numbers := Numbers{a.Scale}
	t := Table{Name: "versions", Empty: "lineage " + a.Lineage + " has no version yet", Columns: Columns{
		{Name: "number", Head: "#"}, {Name: "version"}, {Name: "state"}, {Name: "parents"}, {Name: "operator"}, {Name: "generation"}, {Name: "island"}, {Name: "fitness"}, {Name: "n"},
		{Name: "n_failed", Head: "failed"}, {Name: "delta"}, {Name: "place"}, {Name: "on_path", Head: "path"}, {Name: "unchanged"}, {Name: "mutation", For: ForData},
		{Name: "created_at", Head: "created", For: ForData},
	}.drop("unchanged", "n_failed", "generation", "island", "place", "n", "operator", "on_path", "parents")}
	for _, v := range a.Items {
		t.Rows = append(t.Rows, []any{
			v.Number, v.Version, v.stateText(), parentsText(v), v.Operator, whole(v.Generation), whole(v.Island), optionalCell(v.Fitness, numbers.Score), v.N,
			v.NFailed, numbers.gainCell(v.Delta), string(v.Place), marked(v.OnPath, "path"), marked(v.Unchanged, "unchanged"), v.Mutation, timeCell(v.CreatedAt),
		})
	}
	if len(a.Items) > 0 {
		text := "n counts all trials with a score"
		if a.ScoreFrom != "" {
			text = "n counts all trials with the " + a.scoreText()
		}
		text += ". The report of the lineage leaves out the trials that the active version was chosen by, if there are later ones."
		t.Notes = numbers.notes([]Sentence{{Kind: Note, Text: text}}, Numbers.Units)
	}
	return []Table{t}
}

func parentsText(v TreeVersion) Cell {
	names := strings.Join(v.Parents, " ")
	if v.Inferred {
		return Cell{names + " (inferred)", names}
	}
	return Cell{names, names}
}

// whole returns a cell with a whole number; nothing if there is none.
func whole(n *int) any {
	if n == nil {
		return nil
	}
	return *n
}

// marked returns a cell that says a word to people if something is true, and nothing if it is not.
func marked(is bool, word string) Cell {
	if !is {
		word = ""
	}
	return Cell{word, is}
}
