package lineages

import (
	"fmt"
	"strconv"

	"track/answer"
)

// planned returns the trials that a decision to continue asks for: first those whose partner was run.
func (r DecideResult) planned() []answer.PlannedTrial {
	need := r.Record.Decision.Need
	if need == nil {
		return nil
	}
	prefix := ""
	if need.Measure {
		prefix = MeasuredPrefix
	}
	free := r.freeKeys(max(need.Child-len(need.ChildKeys), need.Parent-len(need.ParentKeys), 0))
	var list []answer.PlannedTrial
	for _, side := range [...]struct {
		name, version string
		n             int
		keys          []string
	}{{SideChild, r.Mutation.Child, need.Child, need.ChildKeys}, {SideParent, r.Parent, need.Parent, need.ParentKeys}} {
		keys := append(side.keys[:min(side.n, len(side.keys)):min(side.n, len(side.keys))], free...)
		for _, key := range keys[:min(side.n, len(keys))] {
			list = append(list, answer.PlannedTrial{Side: prefix + side.name, Version: side.version, Key: key})
		}
	}
	return list
}

// wanted returns in words how many trials a decision to continue asks for.
func (r DecideResult) wanted() string {
	need, text := r.Record.Decision.Need, ""
	if need.Child > 0 {
		text = fmt.Sprintf("%d more of %s", need.Child, r.Mutation.Child)
	}
	if need.Parent > 0 && text != "" {
		return text + fmt.Sprintf(" and %d of %s", need.Parent, r.Parent)
	}
	if need.Parent > 0 {
		return fmt.Sprintf("%d more of %s", need.Parent, r.Parent)
	}
	return text
}

// freeKeys returns n keys for trials of any task: empty for an agent, and seeds that neither side has for a simulation.
func (r DecideResult) freeKeys(n int) []string {
	keys := make([]string, n)
	next, numbers := uint64(0), true
	for _, side := range r.Sides {
		for _, t := range side.Trials {
			seed, err := strconv.ParseUint(t.Key, 10, 64)
			numbers = numbers && err == nil
			next = max(next, seed+1) // beyond the last seed it begins at 0 again
		}
	}
	if !r.seeds || !numbers {
		return keys
	}
	for i := range keys {
		for next++; r.lineage.holds(strconv.FormatUint(next-1, 10)); next++ {
		}
		keys[i] = strconv.FormatUint(next-1, 10)
	}
	return keys
}
