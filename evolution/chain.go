package evolution

import (
	"cmp"
	"slices"
	"strconv"
)

// Head is the end of a chain as it is known from elsewhere, such as a report; the zero Head where it is not.
type Head struct {
	Number int    `json:"number"`
	Hash   string `json:"hash"`
}

// ReplayChain replays all decisions of one lineage and follows their chain. Besides what [Replay] finds, it names a record that is missing, stands there twice
// or belongs to another lineage, an attempt whose predecessor is missing, and a chain that does not end in the head. Records missing at the
// end can only be found by the head.
func ReplayChain(records []Record, head Head) []Difference {
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b Record) int { return cmp.Compare(a.Number, b.Number) })
	var list []Difference
	last := Record{}
	attempts := map[string]int{}
	for i, r := range sorted {
		p := replay{record: r}
		if i > 0 && r.Lineage != last.Lineage {
			p.differs("lineage", r.Lineage, last.Lineage)
		}
		if r.Number != last.Number+1 {
			p.differs("number", strconv.Itoa(r.Number), strconv.Itoa(last.Number+1))
		}
		if r.Prev != last.Hash {
			p.differs("prev", r.Prev, last.Hash)
		}
		if next := attempts[r.Mutation]; r.Attempt != next {
			p.differs("attempt", strconv.Itoa(r.Attempt), strconv.Itoa(next))
		}
		attempts[r.Mutation] = r.Attempt + 1
		list, last = append(append(list, p.list...), Replay(r)...), r
	}
	if head != (Head{}) && (head.Number != last.Number || head.Hash != last.Hash) {
		p := replay{record: last}
		p.differs("head", strconv.Itoa(last.Number)+" "+last.Hash, strconv.Itoa(head.Number)+" "+head.Hash)
		list = append(list, p.list...)
	}
	return list
}
