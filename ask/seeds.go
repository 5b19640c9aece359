package ask

import (
	"track/answer"
	"track/tracker/seeds"
)

// Seeds asks which seeds are recorded.
func Seeds() Def[answer.SeedsQuestion, answer.Seeds] {
	return Def[answer.SeedsQuestion, answer.Seeds]{
		Name: "seeds", Scope: ScopeRead, Help: "list recorded seeds, the newest first",
		About:  "Status and score are those under the newest version of the spec that the seed was assessed under.",
		Params: (*answer.SeedsQuestion).Params, Read: seeds.ListSeeds,
	}
}
