package claudecode

import "track"

// recentMessages bounds how many messages a count remembers. The lines of one message stand close together.
const recentMessages = 4096

// tokenCount adds up the usage of messages, each once.
type tokenCount struct {
	sum     usage
	current map[string]usage // of the messages that were seen last, by id
	before  map[string]usage
}

// add notes the usage that stands on a line of a message. That of a message without an id counts as it is.
func (t *tokenCount) add(id string, u usage) {
	if id == "" {
		t.sum = t.sum.plus(u)
		return
	}
	if _, known := t.before[id]; known {
		t.before[id] = u
		return
	}
	if t.current == nil {
		t.current = map[string]usage{}
	}
	t.current[id] = u
	if len(t.current) < recentMessages {
		return
	}
	for _, old := range t.before {
		t.sum = t.sum.plus(old)
	}
	t.before, t.current = t.current, nil
}

// total returns the sum of all messages; nil where none had a usage.
func (t *tokenCount) total() *track.Tokens {
	sum := t.sum
	for _, messages := range []map[string]usage{t.before, t.current} {
		for _, u := range messages {
			sum = sum.plus(u)
		}
	}
	if sum == (usage{}) {
		return nil
	}
	return &track.Tokens{Input: sum.Input, Output: sum.Output, CacheRead: sum.CacheRead, CacheWrite: sum.CacheWrite}
}

func (u usage) plus(v usage) usage {
	return usage{
		Input: plus(u.Input, v.Input), Output: plus(u.Output, v.Output),
		CacheRead: plus(u.CacheRead, v.CacheRead), CacheWrite: plus(u.CacheWrite, v.CacheWrite),
	}
}

// plus adds counts of which one may be unknown. A count that is no count is taken as unknown.
func plus(a, b *int64) *int64 {
	const most = 1 << 50
	if b == nil || *b < 0 || *b > most {
		return a
	}
	sum := *b
	if a != nil {
		sum += *a
	}
	if sum > most {
		return a
	}
	return &sum
}
