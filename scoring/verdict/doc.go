// Package verdict decides what the scores of seeds show: whether a configuration is stable, whether a candidate is
// better than its baseline, whether a gate is passed; and how often such a decision is a matter of luck.
//
// Every decision rests on an interval or a test of package stats and comes with its n, its method and what would
// change it. Where the seeds do not decide, the verdict is INCONCLUSIVE and nothing else.
package verdict

// Warning is a reason to trust an answer less: a stable code, and a sentence for people.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}
