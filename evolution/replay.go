package evolution

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
)

// Difference is a field of a record that does not follow from the rest of it.
type Difference struct {
	Number   int    `json:"number"` // of the entry; 0 for a record on its own
	Kind     Kind   `json:"kind"`
	Mutation string `json:"mutation,omitempty"` // that it is about
	Attempt  int    `json:"attempt,omitempty"`
	Field    string `json:"field"` // path such as decision.noise.sd
	Stored   string `json:"stored"`
	Replayed string `json:"replayed"`
	// Missing says that the evidence of a decision is not recorded here: it is elsewhere, or it was deleted.
	Missing bool `json:"missing,omitempty"`
}

func (d Difference) String() string {
	about := ""
	if d.Mutation != "" {
		about = " (mutation " + d.Mutation + ")"
	}
	if d.Attempt > 0 {
		about = fmt.Sprintf(" (mutation %s, attempt %d)", d.Mutation, d.Attempt)
	}
	return fmt.Sprintf("entry %d, %s%s: %s: stored %s, replayed %s", d.Number, d.Kind, about, d.Field, d.Stored, d.Replayed)
}

// replayTolerance is how far, relative to the larger, a replayed number may be from the stored one: processors differ
// in the last digits of exp and log. Smaller edits show in the hash.
const replayTolerance = 1e-9

// replayRecord draws and decides again from a record and returns each field that differs; none if the record proves
// itself.
func replayRecord(r Record, policies policyReader) []Difference {
	p := replay{record: r, at: Difference{Kind: KindDecision, Mutation: r.Mutation, Attempt: r.Attempt}}
	p.draw()
	policy := policies.read(r.Policy, r.Params)
	if policy.err != nil {
		p.differs("params", string(r.Params), policy.err.Error())
	} else {
		if policy.params != string(r.Params) {
			p.differs("params", string(r.Params), policy.params)
		}
		p.decide(policy.Policy)
	}
	return p.list
}

// policyReader remembers the policies that were read: the decisions of a lineage have few, by name and parameters.
type policyReader map[[2]string]readPolicy

// readPolicy is a policy, with its parameters as they are stored.
type readPolicy struct {
	Policy
	params string
	err    error
}

func (known policyReader) read(name string, params []byte) readPolicy {
	key := [2]string{name, string(params)}
	p, found := known[key]
	if !found {
		p.params = string(params)
		if p.Policy, p.err = ParsePolicy(name, params); p.err == nil {
			if text, err := Params(p.Policy); err == nil {
				p.params = string(text)
			}
		}
		known[key] = p
	}
	return p
}

type replay struct {
	record Record
	at     Difference // where the differences are
	list   []Difference
}

func (p *replay) differs(field, stored, replayed string) {
	d := p.at
	d.Field, d.Stored, d.Replayed = field, stored, replayed
	p.list = append(p.list, d)
}

// draw compares the draw with what its key gives, and its key with the record.
func (p *replay) draw() {
	r := p.record
	if r.Draw.Mutation != r.Mutation {
		p.differs("draw.mutation", r.Draw.Mutation, r.Mutation)
	}
	if r.Draw.Attempt != r.Attempt {
		p.differs("draw.attempt", strconv.Itoa(r.Draw.Attempt), strconv.Itoa(r.Attempt))
	}
	if r.Draw.Label != LabelExplore {
		p.differs("draw.label", r.Draw.Label, LabelExplore)
	}
	p.redraw("draw", r.Draw)
}

// redraw compares a draw with what its key gives.
func (p *replay) redraw(path string, d Draw) {
	again, err := d.again()
	if err != nil {
		p.differs(path, d.Algorithm, err.Error())
		return
	}
	p.compare(path, d, again)
}

// decide decides again, with the draw that the key gives.
func (p *replay) decide(policy Policy) {
	draw, err := p.record.Draw.again()
	if err != nil {
		return // reported already
	}
	draw.Label = LabelExplore
	if draw.Label != p.record.Draw.Label {
		return // reported already: there is no draw of a decision
	}
	d, err := Decide(policy, p.record.Evidence, draw)
	if err != nil {
		p.differs("evidence", "", err.Error())
		return
	}
	p.compare("decision", p.record.Decision, d)
}

// compare names the fields of JSON in which two values differ.
func (p *replay) compare(path string, stored, replayed any) {
	if reflect.DeepEqual(stored, replayed) { // as nearly always
		return
	}
	textA, errA := json.Marshal(stored)
	textB, errB := json.Marshal(replayed)
	if err := cmp.Or(errA, errB); err != nil {
		p.differs(path, "", err.Error())
		return
	}
	if bytes.Equal(textA, textB) {
		return
	}
	var a, b any
	if err := cmp.Or(json.Unmarshal(textA, &a), json.Unmarshal(textB, &b)); err != nil {
		p.differs(path, "", err.Error())
		return
	}
	p.walk(path, a, b)
}

func (p *replay) walk(path string, a, b any) {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			p.walkObject(path, a, b)
			return
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) == len(b) {
			for i := range a {
				p.walk(fmt.Sprintf("%s[%d]", path, i), a[i], b[i])
			}
			return
		}
	case float64:
		if b, ok := b.(float64); ok && math.Abs(a-b) <= replayTolerance*max(math.Abs(a), math.Abs(b)) {
			return
		}
	default:
		if a == b {
			return
		}
	}
	p.differs(path, text(a), text(b))
}

func (p *replay) walkObject(path string, a, b map[string]any) {
	names := append(sortedKeys(a), sortedKeys(b)...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		p.walk(path+"."+name, a[name], b[name])
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
