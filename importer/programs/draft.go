package programs

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"track/importer"
)

// Draft is a program as one file tells of it, before anything is known of the others.
type Draft struct {
	importer.Program

	// ParentField is where the source names the parent, for what is said of it.
	ParentField string
	// Candidates are programs any of which may be the parent. Where Parents is not empty, the source picked one.
	Candidates []string
	// Crossover says that there is a second parent. Where Parents does not name it, it is one of Inspirations.
	Crossover    bool
	Inspirations []string
	// Migrant says that the program is a copy of its parent on another island.
	Migrant bool
	// Measured holds all that was measured of the program, ParentMeasured what the source says was measured of its
	// parent, in one form.
	Measured, ParentMeasured string

	lines *lines // of Content, once they were looked at
}

// says compares what two drafts of a program say, wherever they stand.
func (d *Draft) says(other *Draft) bool {
	a, b := *d, *other
	for _, one := range []*Draft{&a, &b} {
		one.File, one.Line, one.lines = "", 0, nil
	}
	return reflect.DeepEqual(a, b)
}

// size is about how many bytes the program holds.
func (d *Draft) size() int { return len(d.Content) + len(d.Measured) + len(d.ParentMeasured) }

// compare puts programs in the order in which they were made, as far as they tell.
func (d *Draft) compare(other *Draft) int {
	return cmp.Or(
		compareKnown(d.Iteration, other.Iteration), compareKnown(d.Generation, other.Generation), d.At.Compare(other.At),
		cmp.Compare(d.ID, other.ID),
	)
}

// compareKnown puts what is unknown first.
func compareKnown(a, b *int) int {
	value := func(n *int) int {
		if n == nil {
			return -1
		}
		return *n
	}
	return cmp.Compare(value(a), value(b))
}

// before says whether a program is known to have been made before another.
func (d *Draft) before(other *Draft) bool {
	switch {
	case d.Iteration != nil && other.Iteration != nil:
		return *d.Iteration < *other.Iteration
	case !d.At.IsZero() && !other.At.IsZero():
		return d.At.Before(other.At)
	case d.Generation != nil && other.Generation != nil:
		return *d.Generation < *other.Generation
	}
	return false
}

// dropParents takes parents away of which drop says so.
func (d *Draft) dropParents(drop func(id string) bool) {
	d.Parents = slices.DeleteFunc(slices.Clone(d.Parents), drop)
	if len(d.Parents) == 0 {
		d.Parents = nil
	}
}

// OperatorName makes the name of an operator of what a source calls it: small letters, no spaces.
func OperatorName(text string) string {
	return strings.Join(strings.Fields(importer.Name(strings.ToLower(text))), "_")
}

// Title makes a title of the parts that are not empty: one line each, as long as a name may be.
func Title(parts ...string) string {
	var lines []string
	for _, part := range parts {
		line, _, _ := strings.Cut(strings.TrimSpace(part), "\n")
		if line = importer.Name(line); line != "" {
			lines = append(lines, line)
		}
	}
	return importer.Name(strings.Join(lines, ": "))
}

// TellsTimeout says whether the message of a failure speaks of a timeout.
func TellsTimeout(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "timeout") || strings.Contains(message, "timed out") || strings.Contains(message, "time limit")
}
