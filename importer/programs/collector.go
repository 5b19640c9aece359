package programs

import (
	"fmt"
	"slices"

	"track"
	"track/importer"
)

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
func (c *Collector) Run(options importer.ProgramOptions) importer.Run {
	l := linker{Collector: c, infer: options.InferParents, ranked: c.ranked()}
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
