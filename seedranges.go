package track

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

// SeedRange is the seed numbers from First to Last, both included.
type SeedRange struct{ First, Last SeedNumber }

// ParseSeedRanges reads a list of seed numbers and ranges such as "0..99,200,300..399".
func ParseSeedRanges(s string) ([]SeedRange, error) {
	var ranges []SeedRange
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		first, last, isRange := strings.Cut(part, "..")
		if !isRange {
			last = first
		}
		from, err := ParseSeedNumber(first)
		if err != nil {
			return nil, fmt.Errorf("seeds %q: %w", s, err)
		}
		to, err := ParseSeedNumber(last)
		if err != nil {
			return nil, fmt.Errorf("seeds %q: %w", s, err)
		}
		if to < from {
			return nil, fmt.Errorf("seeds %q: %s ends before it begins", s, part)
		}
		ranges = append(ranges, SeedRange{from, to})
	}
	return ranges, nil
}

// Contains reports whether n lies in the range.
func (r SeedRange) Contains(n SeedNumber) bool { return r.First <= n && n <= r.Last }

// SeedRanges are seed numbers in ascending order: ranges that do not touch.
type SeedRanges []SeedRange

// NewSeedRanges puts ranges in order, each number once.
func NewSeedRanges(ranges ...SeedRange) SeedRanges {
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b SeedRange) int { return cmp.Compare(a.First, b.First) })
	var list SeedRanges
	for _, r := range sorted {
		last := len(list) - 1
		if last < 0 || r.First > list[last].Last && r.First-list[last].Last > 1 {
			list = append(list, r)
			continue
		}
		list[last].Last = max(list[last].Last, r.Last)
	}
	return list
}

// String writes the ranges as [ParseSeedRanges] reads them: 0..99,200.
func (s SeedRanges) String() string {
	words := make([]string, len(s))
	for i, r := range s {
		if words[i] = r.First.String(); r.Last > r.First {
			words[i] += ".." + r.Last.String()
		}
	}
	return strings.Join(words, ",")
}

// Len counts the numbers; what does not fit is math.MaxInt.
func (s SeedRanges) Len() int {
	n := 0
	for _, r := range s {
		if span := uint64(r.Last - r.First); span >= uint64(math.MaxInt-n) {
			return math.MaxInt
		}
		n += int(r.Last-r.First) + 1
	}
	return n
}

// All visits the numbers.
func (s SeedRanges) All() iter.Seq[SeedNumber] {
	return func(yield func(SeedNumber) bool) {
		for _, r := range s {
			for n := r.First; ; n++ {
				if !yield(n) {
					return
				}
				if n == r.Last {
					break
				}
			}
		}
	}
}

// Intersect returns the numbers that are in both.
func (s SeedRanges) Intersect(other SeedRanges) (both SeedRanges) {
	for i, k := 0, 0; i < len(s) && k < len(other); {
		if first, last := max(s[i].First, other[k].First), min(s[i].Last, other[k].Last); first <= last {
			both = append(both, SeedRange{first, last})
		}
		if s[i].Last < other[k].Last {
			i++
		} else {
			k++
		}
	}
	return both
}

// Minus returns the numbers that are not in other.
func (s SeedRanges) Minus(other SeedRanges) (rest SeedRanges) {
	k := 0
	for _, r := range s {
		for ; k < len(other) && other[k].Last < r.First; k++ {
		}
		from, done := r.First, false
		for i := k; i < len(other) && other[i].First <= r.Last; i++ {
			if other[i].First > from {
				rest = append(rest, SeedRange{from, other[i].First - 1})
			}
			if done = other[i].Last >= r.Last; done {
				break
			}
			from = other[i].Last + 1
		}
		if !done {
			rest = append(rest, SeedRange{from, r.Last})
		}
	}
	return rest
}

// Contains reports whether n is one of the numbers.
func (s SeedRanges) Contains(n SeedNumber) bool {
	i, found := slices.BinarySearchFunc(s, n, func(r SeedRange, n SeedNumber) int {
		switch {
		case r.Last < n:
			return -1
		case r.First > n:
			return 1
		}
		return 0
	})
	return found && s[i].Contains(n)
}

// Slice returns the numbers at the positions from, …, to-1; there are fewer where the ranges end before.
func (s SeedRanges) Slice(from, to int) (part SeedRanges) {
	at := 0 // position of the first number of r
	for _, r := range s {
		n := SeedRanges{r}.Len()
		first, last := max(from-at, 0), min(to-at, n) // within r
		if first < last {
			part = append(part, SeedRange{r.First + SeedNumber(first), r.First + SeedNumber(last-1)})
		}
		if at += n; at >= to || at < 0 {
			break
		}
	}
	return part
}
