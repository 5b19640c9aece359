package codex

import "track"

// tokenCount adds up how totals grow.
type tokenCount struct {
	last tokenUsage // of the session
	sum  tokenUsage // of the execution
	any  bool
}

// add takes the totals of the session. Totals that are smaller than before began anew, in a session that was resumed.
func (t *tokenCount) add(total tokenUsage) {
	if !total.sane() {
		return
	}
	before := t.last
	if total.Input < before.Input || total.Output < before.Output {
		before = tokenUsage{}
	}
	t.sum.Input += max(0, total.Input-before.Input)
	t.sum.Cached += max(0, total.Cached-before.Cached)
	t.sum.Output += max(0, total.Output-before.Output)
	t.sum.Reasoning += max(0, total.Reasoning-before.Reasoning)
	t.last, t.any = total, true
}

func (u tokenUsage) sane() bool {
	const most = 1 << 50
	for _, n := range [...]int64{u.Input, u.Cached, u.Output, u.Reasoning} {
		if n < 0 || n > most {
			return false
		}
	}
	return true
}

// take returns the tokens of the execution that ends, and begins the next.
func (t *tokenCount) take() *track.Tokens {
	sum, known := t.sum, t.any
	t.sum, t.any = tokenUsage{}, false
	if !known {
		return nil
	}
	input := max(0, sum.Input-sum.Cached)
	return &track.Tokens{Input: &input, Output: &sum.Output, CacheRead: &sum.Cached, Reasoning: &sum.Reasoning}
}
