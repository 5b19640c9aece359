package chart

// Status is what became of a metric, or of a seed. Others than these are taken for [unmeasured].
type Status int8 // a report has one for each metric of each seed

// The statuses, in the order of legends and columns.
const (
	unmeasured Status = iota
	Pass
	Warn
	Fail
	Broken   // the seed has no result
	Unscored // the seed was never scored
	Absent   // there is no such seed
	nStatuses
)

// statuses are how they look: each differs from the others by colour, by how dark it is, and by a shape.
var statuses = [nStatuses]struct {
	name   string
	cell   style // of a heat map
	marker shape
	ink    ink
}{
	unmeasured: {"no value", style{}, diamond, dim},
	Pass:       {"PASS", style{fill: blue, opacity: 0.25}, disk, blue},
	Warn:       {"WARN", style{fill: orange, opacity: 0.6}, upward, orange},
	Fail:       {"FAIL", style{fill: vermillion}, square, vermillion},
	Broken:     {"failed seed", style{fill: gridInk}, square, dim},
	Unscored:   {"not scored", style{}, diamond, dim},
	Absent:     {"no seed", style{}, diamond, dim},
}

func (s Status) known() Status {
	if s < 0 || s >= nStatuses {
		return unmeasured
	}
	return s
}

// tally counts by status.
type tally [nStatuses]int

func (t tally) sum() (n int) {
	for _, k := range t {
		n += k
	}
	return n
}

// judged are the statuses that are always named, even if there are none.
var judged = [...]Status{Pass, Warn, Fail}

// named returns the statuses that are named: those that are judged, and others if there are any.
func (t tally) named() []Status {
	list := judged[:len(judged):len(judged)]
	for _, status := range [...]Status{Broken, unmeasured, Unscored, Absent} {
		if t[status] > 0 {
			list = append(list, status)
		}
	}
	return list
}

// String writes "PASS 540, WARN 100, FAIL 20, no value 3".
func (t tally) String() string {
	s := ""
	for _, status := range t.named() {
		s += ", " + statuses[status].name + " " + whole(t[status])
	}
	return s[len(", "):]
}
