package programs

import "strings"

// lines counts the lines of a text, each without the white space around it; blank ones do not count.
type lines struct {
	counts map[string]int
	total  int
}

func linesOf(text string) *lines {
	l := &lines{counts: map[string]int{}}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			l.counts[line]++
			l.total++
		}
	}
	return l
}

// without returns the lines that another text has not, or not as often.
func (l *lines) without(other *lines) *lines {
	rest := &lines{counts: map[string]int{}}
	for line, n := range l.counts {
		if n -= other.counts[line]; n > 0 {
			rest.counts[line] = n
			rest.total += n
		}
	}
	return rest
}

// closeness is the part of their lines that two texts share (Dice's coefficient of multisets), from 0 to 1.
func (l *lines) closeness(other *lines) float64 {
	if l.total+other.total == 0 {
		return 0
	}
	shared := 0
	for line, n := range l.counts {
		shared += min(n, other.counts[line])
	}
	return 2 * float64(shared) / float64(l.total+other.total)
}

// code returns the lines of a program, which it keeps.
func (d *Draft) code() *lines {
	if d.lines == nil {
		d.lines = linesOf(d.Content)
	}
	return d.lines
}

// closest returns the program that shares most lines with a text; nil where none shares any. Of equals it takes the
// latest, then the one with the smaller id.
func closest(text *lines, among []*Draft) (best *Draft) {
	most := 0.0
	for _, d := range among {
		switch closeness := text.closeness(d.code()); {
		case closeness > most, closeness == most && best != nil && d.after(best):
			best, most = d, closeness
		}
	}
	return best
}

// after says whether a program came later than another, or neither and has the smaller id.
func (d *Draft) after(other *Draft) bool {
	if other.before(d) || d.before(other) {
		return other.before(d)
	}
	return d.ID < other.ID
}
