package admission

import "strings"

// Alike reports whether two texts, each masked by some rules, can be the same text. Both are masked by today's rules
// first. A mask stands for a part of a word, so the words are compared one by one.
func (r *Rules) Alike(a, b string) bool {
	if a == b {
		return true
	}
	a, _ = r.Text(a)
	b, _ = r.Text(b)
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && !alikeWords(x[i], y[i]) {
			return false
		}
	}
	return true
}

// alikeWords reports whether there is a word that both can be masked from: what stands before the first mask in both,
// and behind the last, does not contradict the other.
func alikeWords(a, b string) bool {
	beforeA, behindA, maskedA := aroundMasks(a)
	beforeB, behindB, maskedB := aroundMasks(b)
	switch {
	case maskedA && maskedB:
		return (strings.HasPrefix(beforeA, beforeB) || strings.HasPrefix(beforeB, beforeA)) &&
			(strings.HasSuffix(behindA, behindB) || strings.HasSuffix(behindB, behindA))
	case maskedA:
		return len(b) > len(beforeA)+len(behindA) && strings.HasPrefix(b, beforeA) && strings.HasSuffix(b, behindA)
	case maskedB:
		return len(a) > len(beforeB)+len(behindB) && strings.HasPrefix(a, beforeB) && strings.HasSuffix(a, behindB)
	}
	return false
}

const mask = "[masked:"

// aroundMasks returns what stands before the first mask of a word, and behind the last.
func aroundMasks(word string) (before, behind string, masked bool) {
	first, last := strings.Index(word, mask), strings.LastIndex(word, mask)
	if first < 0 {
		return word, "", false
	}
	_, behind, masked = strings.Cut(word[last:], "]")
	return word[:first], behind, masked
}
