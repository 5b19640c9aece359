package programs

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/internal/jsonio"
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
}

// says compares what two drafts of a program say, wherever they stand.
func (d *Draft) says(other *Draft) bool {
	a, b := *d, *other
	for _, one := range []*Draft{&a, &b} {
		one.File, one.Line = "", 0
	}
	return reflect.DeepEqual(a, b)
}

// size is about how many bytes the program holds.
func (d *Draft) size() int { return len(d.Content) }

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

// Object is a JSON object of a source. Its fields are read one by one: what is wrong with one is noted, and does not
// take the others with it. A field that is missing and one that is null are the same.
type Object struct {
	fields map[string]jsontext.Value
	path   string // of the object, with a dot behind it; empty at the top
	note   func(field, reason string)
}

// parseObject reads an object of which note is told what is wrong with its fields.
func parseObject(text []byte, note func(field, reason string)) (Object, *track.FieldError) {
	var fields map[string]jsontext.Value
	// Texts may hold what is no UTF-8 where nobody looks; a name that stands twice makes all of them doubtful.
	quoted, _ := jsonio.QuoteNonFiniteIn(text)
	if err := json.Unmarshal(quoted, &fields, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Object{}, jsonio.FieldError(err).Shorten()
	}
	if fields == nil {
		return Object{}, &track.FieldError{Message: "must be an object, not null"}
	}
	return Object{fields: fields, note: note}, nil
}

// Note says what is wrong with a field; with the object where none is named.
func (o Object) Note(field, reason string) { o.note(strings.TrimSuffix(o.path+field, "."), reason) }

// Has says whether all of the fields are there, whatever they hold.
func (o Object) Has(names ...string) bool {
	for _, name := range names {
		if _, is := o.fields[name]; !is {
			return false
		}
	}
	return true
}

// Or returns the one of two objects that has a field: the other only where this has it not.
func (o Object) Or(other Object, name string) Object {
	if o.Kind(name) == 'n' && other.Kind(name) != 'n' {
		return other
	}
	return o
}

// Names returns the names of the fields, sorted.
func (o Object) Names() []string { return slices.Sorted(maps.Keys(o.fields)) }

// Kind returns what a field holds, as [jsontext.Value.Kind] does; 'n' where it is missing.
func (o Object) Kind(name string) jsontext.Kind {
	if value, is := o.fields[name]; is {
		return value.Kind()
	}
	return 'n'
}

// Canonical returns a field in one form for all ways to write it; the empty string where there is none.
func (o Object) Canonical(name string) string {
	if o.Kind(name) == 'n' {
		return ""
	}
	return importer.Canonical(o.fields[name])
}

// read returns a field; nil where there is none, or something else.
func read[T any](o Object, name string) *T {
	if o.Kind(name) == 'n' {
		return nil
	}
	var value T
	if err := json.Unmarshal(o.fields[name], &value); err != nil {
		failure := jsonio.FieldError(err).Shorten()
		if failure.Field != "" {
			name += "." + failure.Field
		}
		o.Note(name, failure.Message)
		return nil
	}
	return &value
}

// Text returns a text; the empty string where there is none.
func (o Object) Text(name string) string {
	if text := read[string](o, name); text != nil {
		return *text
	}
	return ""
}

// Needs says whether a text or id that a program cannot be without is there, and notes where it is not.
func (o Object) Needs(name, value string) bool {
	switch {
	case value != "":
		return true
	case o.Kind(name) == 'n':
		o.Note(name, "missing: the program was left out")
	case o.Canonical(name) == `""`:
		o.Note(name, "empty: the program was left out")
	} // else it was noted what is wrong with it
	return false
}

// NeedsCode says whether a program has code, or does not say any, and notes where it says none that can be used.
func (o Object) NeedsCode(name, value string) bool {
	return o.Kind(name) == 'n' || o.Needs(name, value)
}

// Digest returns a SHA-256 in hexadecimal; the empty string where there is none.
func (o Object) Digest(name string) string {
	text := strings.ToLower(o.Text(name))
	if len(text) != 64 || strings.Trim(text, "0123456789abcdef") != "" {
		return ""
	}
	return text
}

// Count returns a whole number from 0.
func (o Object) Count(name string) *int {
	count := read[int](o, name)
	if count != nil && *count < 0 {
		o.Note(name, fmt.Sprintf("%d is below 0", *count))
		return nil
	}
	return count
}

// Flag returns a boolean, which may be written as 0 or 1; nil where there is none.
func (o Object) Flag(name string) *bool {
	if o.Kind(name) != '0' {
		return read[bool](o, name)
	}
	number := read[float64](o, name)
	if number == nil {
		return nil
	}
	if *number != 0 && *number != 1 {
		o.Note(name, fmt.Sprintf("must be true or false, not %v", *number))
		return nil
	}
	flag := *number == 1
	return &flag
}

// Time reads seconds since 1970, in UTC, to the microsecond; the zero time of what is no time until 9999.
func (o Object) Time(name string) time.Time {
	const year9999 = 253402300799
	seconds := read[float64](o, name)
	if seconds == nil {
		return time.Time{}
	}
	if !(*seconds >= 0 && *seconds <= year9999) {
		o.Note(name, fmt.Sprintf("%v is not a number of seconds since 1970", *seconds))
		return time.Time{}
	}
	whole, part := math.Modf(*seconds)
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000).UTC()
}

// Objects returns the objects of a list within the object; none where there is no such list.
func (o Object) Objects(name string) (list []Object) {
	if o.Kind(name) != '[' {
		return nil
	}
	var values []jsontext.Value
	if err := json.Unmarshal(o.fields[name], &values); err != nil {
		return nil
	}
	for i, value := range values {
		if parsed, failure := parseObject(value, o.note); failure == nil {
			parsed.path = fmt.Sprintf("%s%s[%d].", o.path, name, i)
			list = append(list, parsed)
		}
	}
	return list
}

// Child returns an object within the object, which may stand as JSON in a text, as databases keep it. Where there is
// none it is empty.
func (o Object) Child(name string) Object {
	child := Object{path: o.path + name + ".", note: o.note}
	value := o.fields[name]
	switch o.Kind(name) {
	case 'n':
		return child
	case '"':
		if value = jsontext.Value(o.Text(name)); len(value) == 0 {
			return child
		}
	}
	parsed, failure := parseObject(value, o.note)
	if failure != nil {
		o.Note(name, failure.Message)
		return child
	}
	child.fields = parsed.fields
	return child
}

// linker finds the parents of the programs of a run.
type linker struct {
	*Collector
	ranked []*Draft // in the order in which they were made
}

func (l linker) link() {
	lost := map[string]bool{}
	for _, d := range l.ranked {
		l.unlinkSelf(d)
		l.choose(d)
		l.second(d)
		for _, id := range d.Parents {
			if l.drafts[id] == nil {
				lost[id] = true
			}
		}
	}
	for id := range lost {
		l.run.Lost = append(l.run.Lost, id)
	}
	slices.Sort(l.run.Lost)
}

// unlinkSelf takes parents away that name the program itself, or stand there twice.
func (l linker) unlinkSelf(d *Draft) {
	seen := map[string]bool{d.ID: true}
	d.dropParents(func(id string) bool {
		again := seen[id]
		seen[id] = true
		if again && id == d.ID {
			l.Skip(d.File, d.Line, d.ParentField, "is the program itself, which cannot be its own parent: it is taken as unknown")
		}
		return again
	})
}

// choose deals with a parent that is one of several.
func (l linker) choose(d *Draft) {
	if len(d.Parents) > 0 && len(d.Candidates) > 1 {
		l.run.Picked++
	}
	if len(d.Parents) > 0 || len(d.Candidates) == 0 {
		return
	}
	l.run.Ambiguous++
	l.Skip(d.File, d.Line, d.ParentField, "the source does not say which of these is the parent: "+strings.Join(d.Candidates, ", "))
}

// second finds the second parent of a crossover: the only inspiration.
func (l linker) second(d *Draft) {
	if !d.Crossover || len(d.Parents) > 1 {
		return
	}
	var inspirations []string
	for _, id := range d.Inspirations {
		if id != d.ID && !slices.Contains(d.Parents, id) && !slices.Contains(inspirations, id) {
			inspirations = append(inspirations, id)
		}
	}
	switch {
	case len(d.Parents) == 0: // a second without a first would pass for it
	case len(inspirations) == 1:
		d.Parents = append(slices.Clone(d.Parents), inspirations[0])
		return
	}
	l.run.SecondUnknown++
}

// opened says that a circle of parents was opened.
func (l linker) opened(d, parent *Draft) {
	l.Skip(d.File, d.Line, d.ParentField, fmt.Sprintf("%q descends from this program %q, and cannot be its parent: it is taken as unknown", parent.ID, d.ID))
}
