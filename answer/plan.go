package answer

import (
	"fmt"

	"track"
	"track/answer/param"
	"track/evolution"
)

// PlanQuestion asks which trials a policy needs before it decides a mutation.
type PlanQuestion struct {
	Mutation string
	Lineage  string           // empty for the only lineage that has the mutation
	Policy   evolution.Policy // nil for the policy of the lineage
}

func (q *PlanQuestion) Params() param.List {
	return append(ofMutation(&q.Mutation, &q.Lineage), policyParam("policy", "plan for this policy instead of the lineage's", &q.Policy))
}

// Plan says which trials a policy needs before it decides a mutation.
type Plan struct {
	Lineage  string           `json:"lineage"`
	Mutation string           `json:"mutation"`
	State    evolution.State  `json:"state"` // continue; else what would be decided now
	Need     *MissingEvidence `json:"need"`
	Decision Decision         `json:"decision"` // as it would be made now
}

func (a Plan) Lead() []Sentence {
	if a.Need != nil {
		return []Sentence{{Kind: Heading, Text: a.Need.sentence(a.Decision.Policy, a.Decision.Child, a.Decision.Parent)}}
	}
	hint := track.NewHint("decide it", "mutation decide", a.Mutation).With("lineage", a.Lineage)
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s has enough evidence: %s would %s it", a.Mutation, a.Decision.Policy, a.State), Hint: &hint}}
}

func (a Plan) Tables() []Table {
	if a.Need == nil {
		return trialTables(nil)
	}
	return trialTables(a.Need.Trials)
}

// trialTables returns planned trials, for people those of any task together.
func trialTables(trials []PlannedTrial) []Table {
	people := Table{Name: "trials", HiddenIfEmpty: true, Columns: []Column{{Name: "side"}, {Name: "version"}, {Name: "key", Head: "task or seed"}, {Name: "n"}}}
	data := Table{Name: "trials", ForPrograms: true, Main: true, Columns: columns("side", "version", "key")}
	for i := 0; i < len(trials); {
		n := 1
		for i+n < len(trials) && trials[i] == trials[i+n] {
			n++
		}
		key := trials[i].Key
		if key == "" {
			key = "any"
		}
		people.Rows = append(people.Rows, []any{trials[i].Side, trials[i].Version, key, n})
		i += n
	}
	for _, t := range trials {
		data.Rows = append(data.Rows, []any{t.Side, t.Version, t.Key})
	}
	return []Table{people, data}
}
