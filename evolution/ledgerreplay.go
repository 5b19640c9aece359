package evolution

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Replayed is the result of replaying a ledger.
type Replayed struct {
	Differences []Difference
	Entries     int
	Decisions   int // replayed
	Verified    int // of them, without a difference
	Head        string
	Settings    Settings
	Mutations   []ReplayedMutation // in the order of their proposals
	Events      []Event            // the entries in their order
	Labels      map[string]string  // identities of the versions that entries name, by label; empty if the content is unknown
}

// Event is an entry with its decoded body.
type Event struct {
	Entry
	Body any // a value of the type that belongs to the kind; nil if the entry cannot be read
}

// ReplayLedger replays a lineage from its ledger: every draw, decision, consideration, rollback and head is computed
// again and compared. It reports entries that are missing, duplicated, moved or edited. Entries missing at the end are
// found only if end is known.
func ReplayLedger(entries []Entry, end Head) Replayed {
	w := newWalk(entries)
	for _, e := range w.sorted {
		w.entry(e)
	}
	if end != (Head{}) && (end.Number != w.last.Number || end.Hash != w.last.Hash) {
		w.at = Difference{Number: w.last.Number, Kind: w.last.Kind}
		w.differs("end", strconv.Itoa(w.last.Number)+" "+w.last.Hash, strconv.Itoa(end.Number)+" "+end.Hash)
	}
	return w.replayed()
}

// ReplaySteps replays a ledger as [ReplayLedger] does, and yields what it has replayed after the first known entries,
// after each most entries that follow, and at the end. The lists are valid until the next step.
func ReplaySteps(entries []Entry, known, most int) iter.Seq[Replayed] {
	return func(yield func(Replayed) bool) {
		w := newWalk(entries)
		for i, e := range w.sorted {
			if i >= known && (i-known)%most == 0 && !yield(w.replayed()) {
				return
			}
			w.entry(e)
		}
		yield(w.replayed())
	}
}

// inOrder sorts entries by their number, and duplicated ones by their content, so that the given order never matters.
func inOrder(a, b Entry) int {
	if order := cmp.Or(cmp.Compare(a.Number, b.Number), strings.Compare(a.Hash, b.Hash)); order != 0 {
		return order
	}
	return cmp.Or(strings.Compare(text(a), text(b)), bytes.Compare(a.Body, b.Body))
}

// walk is a replay in progress.
type walk struct {
	replay
	sorted []Entry
	Replayed
	last           Entry
	seed           uint64
	subject        string
	policies       policyReader
	mutations      map[string]int // places in Mutations
	considerations int
	used           TaskCounts // by the decisions until now
}

func newWalk(entries []Entry) *walk {
	w := walk{sorted: slices.Clone(entries), policies: policyReader{}, mutations: map[string]int{}, used: TaskCounts{}, Replayed: Replayed{Events: make([]Event, 0, len(entries)), Labels: map[string]string{}}}
	slices.SortFunc(w.sorted, inOrder)
	return &w
}

// replayed returns what was replayed until now.
func (w *walk) replayed() Replayed {
	w.Entries, w.Differences, w.Head = len(w.Events), w.list, w.last.HeadAfter
	return w.Replayed
}

func (w *walk) entry(e Entry) {
	w.at = Difference{Number: e.Number, Kind: e.Kind, Mutation: e.Mutation}
	before := len(w.list)
	w.Events = append(w.Events, Event{Entry: e})
	w.link(e)
	head := w.last.HeadAfter
	if e.HeadBefore != head {
		w.differs("head_before", e.HeadBefore, head)
	}
	after, err := w.body(e, head)
	switch {
	case err != nil:
		w.differs("body", "", err.Error())
	case e.HeadAfter != after:
		w.differs("head_after", e.HeadAfter, after)
	}
	if hash, err := e.contentHash(); err != nil {
		w.differs("hash", e.Hash, err.Error())
	} else if hash != e.Hash {
		w.differs("hash", e.Hash, hash)
	}
	if e.Kind == KindDecision {
		w.Decisions++
		if len(w.list) == before {
			w.Verified++
		}
	}
	w.last = e
}

// link compares the number and hash of an entry with the one before.
func (w *walk) link(e Entry) {
	first := w.last.Hash == "" && w.last.Number == 0
	if !first && e.Lineage != w.last.Lineage {
		w.differs("lineage", e.Lineage, w.last.Lineage)
	}
	if e.Number != w.last.Number+1 {
		w.differs("number", strconv.Itoa(e.Number), strconv.Itoa(w.last.Number+1))
	}
	if e.Prev != w.last.Hash {
		w.differs("prev", e.Prev, w.last.Hash)
	}
	if first != (e.Kind == KindCreation) {
		w.differs("kind", string(e.Kind), "a creation, which is the first entry and no other")
	}
}
