package claudecode

import (
	"errors"
	"io"
	"iter"

	"track/importer"
)

// Read reads a transcript. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) { // each reading has a decoder of its own
		importer.ReadLines(importer.ClaudeCode, file, r, newDecoder())(yield)
	}
}

// decoder follows the threads of one transcript.
type decoder struct {
	budget     *importer.Budget
	main       *thread
	sidechains []*thread // those that are open, the one that spoke last at the end
	parents    recent    // thread of a line of a sidechain, by its uuid
}

// mostSidechains bounds the subagents that run at once; of more, the one that was silent longest is taken as ended.
const mostSidechains = 64

func newDecoder() *decoder {
	budget := importer.NewBudget()
	return &decoder{budget: budget, main: &thread{budget: budget}}
}

// DecodeLine implements [importer.LineDecoder].
func (d *decoder) DecodeLine(number int, text []byte) ([]importer.Item, error) {
	var l line
	if err := importer.Unmarshal(text, &l); err != nil {
		return nil, err
	}
	switch l.Type {
	case "user", "assistant":
		var m message
		if err := importer.Unmarshal(l.Message, &m); err != nil || m.Content.Kind() != '"' && m.Content.Kind() != '[' {
			return nil, errors.New("a line of type " + l.Type + " without a message that has content")
		}
		t, items := d.thread(l)
		if l.Type == "user" {
			return append(items, t.user(number, l, m)...), nil
		}
		t.assistant(number, l, m)
		return items, nil
	case "system":
		if !l.Sidechain {
			d.main.system(l)
		}
		return nil, nil
	case "":
		return nil, errors.New("no line of a transcript: it has no type")
	}
	return nil, nil // summaries, snapshots, progress, and what later versions add
}

// End implements [importer.LineDecoder].
func (d *decoder) End() []importer.Item {
	items := d.main.end()
	for _, t := range d.sidechains {
		items = append(items, t.end()...)
	}
	return items
}

// thread returns the thread that a line belongs to, and the executions of one that had to make room.
func (d *decoder) thread(l line) (*thread, []importer.Item) {
	if !l.Sidechain {
		return d.main, nil
	}
	var t *thread
	for i, open := range d.sidechains {
		if l.Agent != "" && open.agent == l.Agent || l.Agent == "" && l.Parent != "" && d.parents.find(l.Parent) == open {
			t = open
			d.sidechains = append(append(d.sidechains[:i:i], d.sidechains[i+1:]...), t)
			break
		}
	}
	var items []importer.Item
	if t == nil {
		t = &thread{budget: d.budget, agent: l.Agent, subagent: true}
		if len(d.sidechains) == mostSidechains {
			items = d.sidechains[0].end()
			d.sidechains = d.sidechains[1:]
		}
		d.sidechains = append(d.sidechains, t)
	}
	if l.Agent == "" && l.UUID != "" {
		d.parents.add(l.UUID, t)
	}
	return t, items
}

// recent remembers the threads of some thousand lines.
type recent struct{ current, before map[string]*thread }

func (r *recent) add(uuid string, t *thread) {
	if r.current == nil || len(r.current) >= 5000 {
		r.before, r.current = r.current, map[string]*thread{}
	}
	r.current[uuid] = t
}

func (r *recent) find(uuid string) *thread {
	if t := r.current[uuid]; t != nil {
		return t
	}
	return r.before[uuid]
}
