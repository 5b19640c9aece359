package lineages

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"track"
	"track/evolution"
	"track/store"
)

// The subjects of lineages: what a version is, and what its trials are.
const (
	SubjectAgent    = evolution.SubjectAgent // a prompt; its executions
	subjectScenario = "scenario:"            // the parameters of a simulation as a JSON object; the seeds of the scenario under them
)

// Lineage is a lineage with a ledger, its active settings, and the newest entry of each kind that later entries follow
// from.
type Lineage struct {
	store.Evolving
	Settings evolution.Settings
	isRun    bool // of another evolver, imported: all tasks of a version count equally in its fitness
	newest   map[evolution.Kind]evolution.Entry
}

// scenario returns the scenario whose seeds are the trials; empty if executions are.
func (l Lineage) scenario() string {
	scenario, found := strings.CutPrefix(l.Subject, subjectScenario)
	if !found {
		return ""
	}
	return scenario
}

// measure names what the trials of a version depend on, besides the executions: the kind of score, the scale, and the
// tasks that are held out.
func (l Lineage) measure() string {
	s := l.Settings
	text, times := string(s.ScoreFrom), s.Times()
	if s.Scale != nil {
		times = s.Scale.Gain(times)
	}
	if s.Scale != nil || times != 1 {
		text += fmt.Sprintf(", times %v", times)
	}
	if s.Failures != "" || s.Tasks != nil {
		text += fmt.Sprintf(", failures %s, by task %v", s.Failures, s.Tasks != nil)
	}
	if s.Holdout != nil {
		tasks := sha256.Sum256([]byte(strings.Join(s.Holdout.Tasks, "\x00")))
		text += fmt.Sprintf(", without %v and %x", s.Holdout.Share, tasks[:8])
	}
	return text
}

// holds reports whether a trial of a task is never used to decide.
func (l Lineage) holds(task string) bool { return l.Settings.Holdout.Has(task) }

// remembered are the kinds of which the newest entry says where a lineage stands.
var remembered = [...]evolution.Kind{
	evolution.KindCreation, evolution.KindSettings, evolution.KindConsideration, evolution.KindProposal, evolution.KindRefusal, evolution.KindRollback,
}

// Load returns a lineage that has a ledger.
func Load(ctx context.Context, r *store.Reader, name string) (l Lineage, err error) {
	if l.Evolving, err = r.Evolving(ctx, name); err != nil {
		return l, err
	}
	if l.newest, err = r.NewestEntries(ctx, l.Evolving, remembered[:]...); err != nil {
		return l, err
	}
	e, found := newestOf(l, evolution.KindSettings, evolution.KindCreation)
	if !found {
		err := fmt.Errorf("%w: the ledger of lineage %s has lost its first entry", track.ErrDamaged, name)
		return l, track.WithHint(err, track.NewHint("show what is missing", "replay").With("lineage", name))
	}
	if l.Settings, err = settingsOf(e); err != nil {
		return l, err
	}
	var creation evolution.Creation
	if first, found := l.newest[evolution.KindCreation]; found {
		err = first.Decode(&creation)
	}
	l.isRun = creation.Source != ""
	return l, err
}

// newestOf returns the newest entry of several kinds; found is false if there is none.
func newestOf(l Lineage, kinds ...evolution.Kind) (newest evolution.Entry, found bool) {
	for _, kind := range kinds {
		if e, ok := l.newest[kind]; ok && e.Number > newest.Number {
			newest, found = e, true
		}
	}
	return newest, found
}

// settingsOf returns the settings that an entry makes active.
func settingsOf(e evolution.Entry) (evolution.Settings, error) {
	if e.Kind == evolution.KindCreation {
		var body evolution.Creation
		err := e.Decode(&body)
		return body.Settings, err
	}
	var body evolution.SettingsChange
	err := e.Decode(&body)
	return body.Settings, err
}
