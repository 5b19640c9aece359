package codex

import "track"

// tokenCount adds up how totals grow.
type tokenCount struct {
	last  tokenUsage // of the session
	sum   tokenUsage // of the execution
	any   bool
	begun bool // last is known
}

// add takes the totals of the session and the usage of the last request, and returns how the totals have grown. Totals
// that are smaller than before began anew, in a session that was resumed. The first may include those of the session
// that this one was forked from.
func (t *tokenCount) add(total tokenUsage, last *tokenUsage) (grown tokenUsage, isMore bool) {
	if !total.sane() {
		return grown, false
	}
	before := t.last
	if !t.begun && last != nil && last.sane() {
		before = total.minus(*last)
	}
	if total.Input < before.Input || total.Output < before.Output {
		before = tokenUsage{}
	}
	grown = total.minus(before)
	t.sum.Input += grown.Input
	t.sum.Cached += grown.Cached
	t.sum.Output += grown.Output
	t.sum.Reasoning += grown.Reasoning
	t.last, t.any, t.begun = total, true, true
	return grown, grown != (tokenUsage{})
}

// minus returns the difference, at least 0.
func (u tokenUsage) minus(v tokenUsage) tokenUsage {
	return tokenUsage{
		Input: max(0, u.Input-v.Input), Cached: max(0, u.Cached-v.Cached), Output: max(0, u.Output-v.Output), Reasoning: max(0, u.Reasoning-v.Reasoning),
	}
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
	return sum.tokens()
}

func (u tokenUsage) tokens() *track.Tokens {
	input := max(0, u.Input-u.Cached)
	return &track.Tokens{Input: &input, Output: &u.Output, CacheRead: &u.Cached, Reasoning: &u.Reasoning}
}
