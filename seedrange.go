package track

import (
	"fmt"
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

// Contains says whether n lies in the range.
func (r SeedRange) Contains(n SeedNumber) bool { return r.First <= n && n <= r.Last }
