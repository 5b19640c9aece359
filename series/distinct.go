package series

import (
	"math/bits"
	"slices"
)

// wordSet numbers distinct words. It is a hash table with open addressing: a map takes several times as long.
type wordSet struct {
	words []uint64
	slots []int32 // 1 + index in words; 0 is free
	shift int
}

// newWordSet makes a set for up to n words.
func newWordSet(n int) *wordSet {
	size := bits.Len(uint(2 * n))
	return &wordSet{words: make([]uint64, 0, n), slots: make([]int32, 1<<size), shift: 64 - size}
}

// slot returns where word is, or belongs.
func (s *wordSet) slot(word uint64) int {
	const golden = 0x9E3779B97F4A7C15 // 2⁶⁴ over the golden ratio (Knuth 6.4)
	at := int((word ^ word>>32) * golden >> s.shift)
	for s.slots[at] != 0 && s.words[s.slots[at]-1] != word {
		at = (at + 1) & (len(s.slots) - 1)
	}
	return at
}

// add reports whether the word is in the set, or there was still room for it.
func (s *wordSet) add(word uint64) bool {
	at := s.slot(word)
	if s.slots[at] != 0 {
		return true
	}
	if len(s.words) == cap(s.words) {
		return false
	}
	s.words = append(s.words, word)
	s.slots[at] = int32(len(s.words))
	return true
}

// distinct returns the distinct words in ascending order, and for each word its place in it; false if there are more
// than limit, which is at most 256.
func (e *encoding) distinct(limit int) (ascending []uint64, places []byte, ok bool) {
	set := newWordSet(limit)
	for _, word := range e.words {
		if !set.add(word) {
			return nil, nil, false
		}
	}
	ascending = slices.Sorted(slices.Values(set.words))
	rank := make([]byte, len(ascending)) // of each word of the set
	for i, word := range ascending {
		rank[set.slots[set.slot(word)]-1] = byte(i)
	}
	places = make([]byte, len(e.words))
	for i, word := range e.words {
		places[i] = rank[set.slots[set.slot(word)]-1]
	}
	return ascending, places, true
}

// repeats reports whether at least a quarter of the words occurred before.
func (e *encoding) repeats() bool {
	set := newWordSet(len(e.words) * 3 / 4)
	for _, word := range e.words {
		if !set.add(word) {
			return false
		}
	}
	return true
}
