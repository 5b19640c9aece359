package answer

import (
	"fmt"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
)

// NewLineageQuestion asks to begin the ledger of a lineage.
type NewLineageQuestion struct {
	Lineage     string
	Seed        *uint64 // of all draws; nil for a random one
	Policy      evolution.Policy
	Root        *string // content of the first active version
	Head        string  // name of a recorded version, instead of Root
	Subject     string
	Operators   []evolution.Operator
	KeepSecrets bool
	Unbounded   bool             // scores are any numbers, and not from 0 to 100
	Minimize    bool             // less is better, which makes the scale unbounded unless Scale has ends
	Scale       *evolution.Scale // of the scores; nil for 0 to 100
	Score       ScoreSettings
	New         bool
	At          time.Time // zero for now
}

func (q *NewLineageQuestion) Params() param.List {
	q.Subject = "agent"
	return append(param.List{
		namedLineage(&q.Lineage),
		{Name: "seed", Unit: "NUMBER", Help: "derive all draws from this whole `NUMBER` from 0 to 18446744073709551615", Value: param.Seed(&q.Seed)},
		policyParam("policy", "decide by this policy", &q.Policy),
		{Name: "root", Unit: "FILE", Help: "begin with this content; of a simulation, the JSON object of its parameters",
			FileHelp: "begin with this version: a `FILE`, - for standard input, or for a simulation the JSON object itself", Value: param.Content(&q.Root)},
		{Name: "head", Unit: "VERSION", Help: "make this recorded `VERSION` active, instead of giving a root", Value: param.Text(&q.Head)},
		{Name: "subject", Unit: "SUBJECT", Help: "say what evolves: `SUBJECT` is agent, or scenario:NAME", Value: param.Text(&q.Subject)},
		{Name: "operators", Unit: "FILE", Help: `begin with these operators: [{"name": "rephrase", "risk": "LOW"}]`,
			FileHelp: `read the operators from a ` + "`FILE`" + ` with [{"name": "rephrase", "risk": "LOW"}]`, Value: param.Parsed(&q.Operators, ParseOperators, operatorsText)},
		{Name: "keep-secrets", Help: "record a root in which something looks like a secret", Value: param.Switch(&q.KeepSecrets)},
		{Name: "unbounded", Help: "let scores be any numbers, instead of 0 to 100", Value: param.Switch(&q.Unbounded)},
		{Name: "minimize", Help: "let scores be any numbers, of which less is better", Value: param.Switch(&q.Minimize)},
		{Name: "scale", Unit: "RANGE", Help: "let scores be in this `RANGE`, as 0-1 or -1..1, which is 100 points of a policy's parameters; or any numbers, of which one unit is so many points",
			Value: param.Parsed(&q.Scale, parseScale, rangeText)},
		{Name: "new", Help: "take a name that is not known although names like it are", Value: param.Switch(&q.New)},
		atParam(&q.At),
	}, q.Score.params()...)
}

func (q *NewLineageQuestion) Check() error {
	if q.Root != nil && q.Head != "" {
		return &param.Error{Param: "root", Message: "root and head both name the first active version: give one of them"}
	}
	return nil
}

// LineageCreated says that a lineage has a ledger.
type LineageCreated struct {
	Lineage  string             `json:"lineage"`
	Created  bool               `json:"created"` // false if it existed with the same options
	Seed     string             `json:"seed"`
	Subject  string             `json:"subject"`
	Head     string             `json:"head"`
	Settings evolution.Settings `json:"settings"`
	End      evolution.Head     `json:"end"`
	NoSpec   bool               `json:"no_spec,omitzero"` // the scenario has no spec, so its seeds have no score
}

func (a LineageCreated) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s: a lineage of %s, seed %s, policy %s; active: %s",
		a.Lineage, subjectName(a.Subject), a.Seed, a.Settings.Policy, orNoVersion(a.Head))}}
	if !a.Created {
		lead = append(lead, Sentence{Kind: Note, Text: "it already exists; nothing was changed", Joined: true})
	}
	if a.NoSpec {
		hint := track.NewHint("add one", "spec add", "FILE")
		lead = append(lead, Sentence{Kind: Warning, Text: "warning: the scenario has no spec yet, so its seeds have no score and nothing can be decided", Hint: &hint})
	}
	return lead
}

func (a LineageCreated) Tables() []Table {
	return []Table{{Name: "lineage", ForPrograms: true, Columns: columns("lineage", "seed", "subject", "policy", "head"),
		Rows: [][]any{{a.Lineage, a.Seed, a.Subject, a.Settings.Policy, a.Head}}}}
}
