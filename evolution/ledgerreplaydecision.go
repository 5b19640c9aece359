package evolution

import (
	"slices"
	"strconv"
	"time"
)

func (w *walk) decision(e Entry, head string) (after string, err error) {
	var r Record
	if err := e.Decode(&r); err != nil {
		return head, err
	}
	w.about(e, r)
	m := w.mutation(r.Mutation)
	if r.Draw.Lineage != e.Lineage {
		w.differs("draw.lineage", r.Draw.Lineage, e.Lineage)
	}
	if r.Draw.Seed != w.seed {
		w.differs("draw.seed", strconv.FormatUint(r.Draw.Seed, 10), strconv.FormatUint(w.seed, 10))
	}
	if r.Settings != w.Settings.Number {
		w.differs("settings", strconv.Itoa(r.Settings), strconv.Itoa(w.Settings.Number))
	}
	s := w.Settings
	switch other := r.Policy != s.Policy || string(r.Params) != string(s.Params); {
	case other && !r.Override:
		w.differs("policy", r.Policy+" "+string(r.Params), s.Policy+" "+string(s.Params))
	case r.Override && !other:
		w.differs("override", "true", "false")
	}
	w.score(r)
	for _, d := range replayRecord(r, w.policies) {
		w.differs(d.Field, d.Stored, d.Replayed)
	}
	w.used.Add(r)
	if m == nil {
		return head, nil
	}
	if r.Attempt != m.Attempts {
		w.differs("attempt", strconv.Itoa(r.Attempt), strconv.Itoa(m.Attempts))
	}
	if since := w.controlsSince(m); !r.Evidence.Since.Equal(since) {
		w.differs("evidence.since", text(r.Evidence.Since), text(since))
	}
	w.tasks(r.Evidence)
	if r.Evidence.Failures != w.Settings.Failures {
		w.differs("evidence.failures", string(r.Evidence.Failures), string(w.Settings.Failures))
	}
	m.Delta = DeltaAfter(r.Decision, m.State, m.Delta)
	m.Attempts, m.State = r.Attempt+1, StateAfter(r.Decision, m.State)
	return HeadAfter(r.Decision, head, m.parent(), m.Child.Label), nil
}

// controlsSince returns from when on trials of the parent are controls of a mutation: of an agent since its proposal,
// of a simulation always, because a seed gives the same whenever it runs.
func (w *walk) controlsSince(m *ReplayedMutation) time.Time {
	if w.subject != SubjectAgent {
		return time.Time{}
	}
	return m.At
}

// score compares what a decision says of its scores with its evidence and with the settings.
func (w *walk) score(r Record) {
	if under := r.Evidence.scored(); under != string(r.Score.From) {
		w.differs("score.from", string(r.Score.From), under)
	} else if from := w.Settings.ScoreFrom; from != "" && under != "" && under != string(from) {
		w.differs("score.from", under, string(from))
	}
	if times := w.Settings.Times(); r.Score.Times != times {
		w.differs("score.times", text(r.Score.Times), text(times))
	}
	for _, t := range slices.Concat(r.Evidence.Child, r.Evidence.Parent) {
		if w.Settings.Holdout.Has(t.Key) {
			w.differs("evidence["+t.ID+"]", t.Key, "a holdout task, which is never used")
		}
	}
}

// tasks compares the tasks of a decision with those of the settings.
func (w *walk) tasks(e Evidence) {
	if n := len(w.Settings.Deciding()); e.Tasks != n {
		w.differs("evidence.tasks", strconv.Itoa(e.Tasks), strconv.Itoa(n))
	}
	var stored, want [2][]string
	if m := e.Measurement; m != nil {
		stored = [2][]string{m.Tasks, m.Held}
	}
	if m := w.Settings.Measurement(); m != nil {
		want = [2][]string{m.Tasks, m.Held}
	}
	w.compare("evidence.measurement", stored, want)
}

// replayEntry replays one decision on its own: its record, and its hash. Its place in the ledger is a matter of
// [ReplayLedger].
func replayEntry(e Entry) []Difference {
	p := replay{at: Difference{Number: e.Number, Kind: e.Kind, Mutation: e.Mutation}}
	var r Record
	if err := e.Decode(&r); err != nil {
		p.differs("body", "", err.Error())
		return p.list
	}
	p.at.Attempt = r.Attempt
	for _, d := range replayRecord(r, policyReader{}) {
		p.differs(d.Field, d.Stored, d.Replayed)
	}
	if hash, err := e.contentHash(); err != nil || hash != e.Hash {
		p.differs("hash", e.Hash, hash)
	}
	return p.list
}
