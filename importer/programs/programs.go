package programs

import (
	"container/heap"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/internal/jsonio"
)

const databaseMagic = "SQLite format 3\x00"

// refuseDatabase is the error of a database, as Shinka keeps its programs in. The hint exports its table.
func refuseDatabase(file string) error {
	err := &track.FieldError{File: file, Message: "is a database, which is not read: a run is read from one JSON object a line"}
	fields := []string{
		"id", "parent_id", "archive_inspiration_ids", "top_k_inspiration_ids", "generation", "timestamp", "code", "combined_score", "correct", "public_metrics", "metadata",
	}
	var pairs []string
	for _, field := range fields {
		pairs = append(pairs, fmt.Sprintf("'%s',%s", field, field))
	}
	export := fmt.Sprintf(`sqlite3 %s "SELECT json_object(%s) FROM programs" > programs.jsonl`, path.Base(filepath.ToSlash(file)), strings.Join(pairs, ","))
	return track.WithHint(err, track.NewHint(export+", then import the lines", "import shinka", "programs.jsonl").With("lineage", "NAME"))
}

// Metric returns a measurement. A boolean is 1 or 0, as in Python. What is there and is none has a problem.
func (o Object) Metric(name string) (value float64, ok bool, problem string) {
	switch o.Kind(name) {
	case 'n':
		return 0, false, ""
	case 't':
		return 1, true, ""
	case 'f':
		return 0, true, ""
	}
	if word := o.nonFinite(name); word != "" {
		return 0, false, "is " + word
	}
	if err := json.Unmarshal(o.fields[name], &value); err != nil {
		failure := jsonio.FieldError(err)
		if o.Kind(name) == '0' {
			failure.Message = fmt.Sprintf("%s is beyond what a number can be", o.fields[name])
		}
		return 0, false, failure.Shorten().Message
	}
	return value, true, ""
}

// Metrics returns the measurements among the fields, but for those that are named. A number that is none is noted;
// texts, lists and objects are no measurements.
func (o Object) Metrics(without ...string) map[string]float64 {
	metrics := map[string]float64{}
	for _, name := range o.Names() {
		if slices.Contains(without, name) {
			continue
		}
		value, ok, problem := o.Metric(name)
		switch err := track.CheckName(name); {
		case ok && err == nil:
			metrics[name] = value
		case ok:
			o.Note("", "the name of a measurement "+err.Error())
		case o.Kind(name) == '0' || o.nonFinite(name) != "":
			o.Note(name, problem)
		}
	}
	if len(metrics) == 0 {
		return nil
	}
	return metrics
}

// nonFinite returns NaN, Infinity or -Infinity if a field holds the text of that name; otherwise nothing.
func (o Object) nonFinite(name string) string {
	if o.Kind(name) != '"' {
		return ""
	}
	if _, err := jsonio.Number(o.fields[name]); err != nil {
		return ""
	}
	return strings.Trim(string(o.fields[name]), `"`)
}

// ID returns what names a program: a text, or a whole number in digits; the empty string where there is none, or it
// cannot be a name.
func (o Object) ID(name string) string {
	id, problem := idOf(o.fields[name])
	if problem != "" {
		o.Note(name, problem)
	}
	return id
}

// IDs returns a list of what names programs, which may stand as JSON in a text.
func (o Object) IDs(name string) []string {
	value := o.fields[name]
	switch o.Kind(name) {
	case 'n':
		return nil
	case '"':
		if value = jsontext.Value(o.Text(name)); len(value) == 0 {
			return nil
		}
	}
	var list []jsontext.Value
	if err := json.Unmarshal(value, &list); err != nil {
		o.Note(name, jsonio.FieldError(err).Shorten().Message)
		return nil
	}
	var ids []string
	for i, element := range list {
		id, problem := idOf(element)
		if problem != "" {
			o.Note(name+"."+strconv.Itoa(i), problem)
		}
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// ParentIDs returns the parents of a program in the order of the source: parent_id, then parent_ids and
// second_parent_id, which forks of evolvers add.
func (o Object) ParentIDs() []string {
	var ids []string
	for _, id := range append(append([]string{o.ID("parent_id")}, o.IDs("parent_ids")...), o.ID("second_parent_id")) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func idOf(value jsontext.Value) (id, problem string) {
	switch value.Kind() {
	case 0, 'n':
		return "", ""
	case '0':
		if number, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return strconv.FormatInt(number, 10), ""
		}
		return "", (&track.FieldError{Message: string(value) + " is not a whole number"}).Shorten().Message
	}
	if err := json.Unmarshal(value, &id); err != nil {
		return "", jsonio.FieldError(err).Shorten().Message
	}
	if err := track.CheckName(id); id != "" && err != nil {
		return "", (&track.FieldError{Message: err.Error()}).Shorten().Message
	}
	return id, ""
}

const (
	mostHeld  = 1 << 30 // bytes of the programs of one run
	mostSkips = 1000    // that are told one by one
)

// Collector puts together what the files of one run tell.
type Collector struct {
	run     importer.Run
	drafts  map[string]*Draft
	held    int // bytes of them
	skipped int // parts
	best    named
}

// named is a program that a file names.
type named struct{ id, file, field string }

// NewCollector returns a collector that has met nothing.
func NewCollector() *Collector { return &Collector{drafts: map[string]*Draft{}} }

// Found says how many programs there are.
func (c *Collector) Found() int { return len(c.drafts) }

// Checkpoint notes that a checkpoint was read.
func (c *Collector) Checkpoint() { c.run.Checkpoints++ }

// Skip notes a part that was not used. field is empty where the whole is meant, line is 0 where the file has none.
func (c *Collector) Skip(file string, line int, field, reason string) {
	if c.skipped++; c.skipped > mostSkips {
		return
	}
	failure := (&track.FieldError{Field: field, Message: reason}).Shorten()
	c.run.Skips = append(c.run.Skips, importer.Skip{File: file, Line: line, Field: failure.Field, Reason: failure.Message})
}

// LeaveOut notes that nothing came of a line or a file as a whole. Why was said.
func (c *Collector) LeaveOut() { c.run.LeftOut++ }

// Add takes a program. One with the same id that came before is replaced. Its error ends the reading.
func (c *Collector) Add(d *Draft) error {
	before := c.drafts[d.ID]
	if before != nil {
		c.held -= before.size()
	}
	if c.held += d.size(); c.held > mostHeld {
		err := &track.FieldError{File: d.File, Line: d.Line, Message: fmt.Sprintf("with this one the programs of the run hold more than %d GiB", mostHeld>>30)}
		return track.WithHint(err, track.Hint{Text: "import a part of the run: some of its checkpoints, or some of the lines"})
	}
	c.drafts[d.ID] = d
	switch {
	case before == nil:
	case before.says(d):
		c.run.Repeated++
	default:
		c.run.Differing++
		if before.File == d.File {
			c.Skip(before.File, before.Line, "", fmt.Sprintf("another program %q follows on line %d, and the later counts: give each an id of its own if they are two", d.ID, d.Line))
		}
	}
	return nil
}

// Best notes which program a field of a file calls the best of the run; of several the last counts.
func (c *Collector) Best(id, file, field string) {
	if id != "" {
		c.best = named{id, file, field}
	}
}

// Run makes a run of all that was met.
func (c *Collector) Run() importer.Run {
	l := linker{Collector: c, ranked: c.ranked()}
	if best := c.drafts[c.best.id]; best != nil {
		best.Best = true
	} else if c.best.id != "" {
		c.Skip(c.best.file, 0, c.best.field, fmt.Sprintf("names the program %q, which no file has", c.best.id))
	}
	l.link()
	for _, d := range l.ordered() {
		c.run.Programs = append(c.run.Programs, d.Program)
	}
	if more := c.skipped - len(c.run.Skips); more > 0 {
		last := c.run.Skips[len(c.run.Skips)-1]
		c.run.Skips = append(c.run.Skips, importer.Skip{File: last.File, Reason: fmt.Sprintf("%d more parts were not used", more)})
	}
	return c.run
}

// ranked returns the programs in the order in which they were made.
func (c *Collector) ranked() []*Draft {
	ranked := make([]*Draft, 0, len(c.drafts))
	for _, d := range c.drafts {
		ranked = append(ranked, d)
	}
	slices.SortFunc(ranked, (*Draft).compare)
	return ranked
}

// ordering puts programs behind their parents, and otherwise leaves them in the order of their ranks.
type ordering struct {
	linker
	rank     map[*Draft]int
	waiting  map[*Draft]int // for so many parents
	children map[*Draft][]*Draft
	ready    ranks
	placed   []*Draft
	isPlaced map[*Draft]bool
	next     int // of the ranks: all before it are placed
}

// ordered returns the programs, each behind its parents. Circles are opened.
func (l linker) ordered() []*Draft {
	o := ordering{linker: l, rank: map[*Draft]int{}, waiting: map[*Draft]int{}, children: map[*Draft][]*Draft{}, isPlaced: map[*Draft]bool{}}
	for rank, d := range l.ranked {
		o.rank[d] = rank
		for _, id := range d.Parents {
			if parent := l.drafts[id]; parent != nil {
				o.waiting[d]++
				o.children[parent] = append(o.children[parent], d)
			}
		}
		if o.waiting[d] == 0 {
			o.ready = append(o.ready, rank)
		}
	}
	heap.Init(&o.ready)
	for len(o.placed) < len(l.ranked) {
		if len(o.ready) == 0 {
			o.open()
			continue
		}
		o.place(l.ranked[heap.Pop(&o.ready).(int)])
	}
	return o.placed
}

func (o *ordering) place(d *Draft) {
	o.placed = append(o.placed, d)
	o.isPlaced[d] = true
	for _, child := range o.children[d] {
		o.release(child)
	}
}

// release notes that a program waits for one parent less.
func (o *ordering) release(d *Draft) {
	if o.waiting[d]--; o.waiting[d] == 0 {
		heap.Push(&o.ready, o.rank[d])
	}
}

// open opens a circle: of those in which the earliest program that waits is, or to which its parents lead. The
// earliest program in it loses its parent there.
func (o *ordering) open() {
	for o.isPlaced[o.ranked[o.next]] {
		o.next++
	}
	path, at := []*Draft{}, map[*Draft]int{}
	d := o.ranked[o.next]
	for {
		if start, is := at[d]; is {
			path = path[start:]
			break
		}
		at[d] = len(path)
		path = append(path, d)
		d = o.waitsFor(d)
	}
	earliest := 0
	for i, d := range path {
		if o.rank[d] < o.rank[path[earliest]] {
			earliest = i
		}
	}
	child, parent := path[earliest], path[(earliest+1)%len(path)]
	child.dropParents(func(id string) bool { return id == parent.ID })
	for i, d := range o.children[parent] {
		if d == child {
			o.children[parent] = append(o.children[parent][:i:i], o.children[parent][i+1:]...)
			break
		}
	}
	o.opened(child, parent)
	o.release(child)
}

// waitsFor returns a parent that is not placed yet.
func (o *ordering) waitsFor(d *Draft) *Draft {
	for _, id := range d.Parents {
		if parent := o.drafts[id]; parent != nil && !o.isPlaced[parent] {
			return parent
		}
	}
	panic("a program waits for nothing") // waiting counts exactly these
}

// ranks is a heap of ranks.
type ranks []int

func (r ranks) Len() int           { return len(r) }
func (r ranks) Less(i, j int) bool { return r[i] < r[j] }
func (r ranks) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *ranks) Push(x any)        { *r = append(*r, x.(int)) }
func (r *ranks) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
