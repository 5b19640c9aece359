// Package lineages answers questions about lineages, mutations and versions, and changes them: it proposes, decides,
// rolls back and replays.
package lineages

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/internal/admission"
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

// headHistory are the changes of the active version, oldest first.
type headHistory []store.HeadChange

// versions returns the versions that were ever active, in the order of their first time.
func (h headHistory) versions() (names []string) {
	seen := map[string]bool{"": true}
	for _, c := range h {
		if !seen[c.After] {
			seen[c.After], names = true, append(names, c.After)
		}
	}
	return names
}

// positions numbers the versions that were ever active in the order of their first time, from 1.
func (h headHistory) positions() map[string]int {
	positions := map[string]int{}
	for i, name := range h.versions() {
		positions[name] = i + 1
	}
	return positions
}

// distrusted returns the versions that triggers left since a mutation was accepted, or somebody went back by hand. To
// go back to one of them without a new reason to trust it could go on for ever.
func (h headHistory) distrusted() map[string]bool {
	left := map[string]bool{}
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].Kind != evolution.KindRollback || h[i].Trigger == string(evolution.TriggerHand) {
			break
		}
		left[h[i].Before] = true
	}
	return left
}

// change calls write in one durable transaction on a lineage. Concurrent changes follow one another: each sees what the
// one before has written.
func change(ctx context.Context, st *store.Store, name string, write func(tx *store.Tx, l *Lineage) error) error {
	return st.Update(ctx, func(tx *store.Tx) error {
		l, err := Load(ctx, tx.Reader, name)
		if err != nil {
			return err
		}
		return write(tx, &l)
	})
}

// appendEntry seals what happened as the next entry of the ledger. headAfter is the version that is active after it.
func appendEntry(tx *store.Tx, l *Lineage, kind evolution.Kind, body any, headAfter string, at time.Time) (evolution.Entry, error) {
	e, err := nextEntry(*l, kind, body, headAfter, at)
	if err != nil {
		return e, err
	}
	if err := tx.Append(l.ID, e); err != nil {
		return e, err
	}
	l.End, l.Head = evolution.Head{Number: e.Number, Hash: e.Hash}, headAfter
	return e, nil
}

// nextEntry returns the entry that [appendEntry] would write.
func nextEntry(l Lineage, kind evolution.Kind, body any, headAfter string, at time.Time) (evolution.Entry, error) {
	prev := evolution.Entry{Number: l.End.Number, Hash: l.End.Hash, HeadAfter: l.Head}
	return evolution.NewEntry(prev, l.Name, kind, body, headAfter, at)
}

// VersionRef returns the label and the identity of a version.
func VersionRef(ctx context.Context, r *store.Reader, l Lineage, name string) (evolution.VersionRef, error) {
	v, err := r.VersionState(ctx, l.Name, name)
	return evolution.VersionRef{Label: name, ID: v.ContentID}, err
}

// withoutSecrets masks what looks like a secret in a text for the ledger, from which nothing can be removed.
func withoutSecrets(r *store.Reader, text string) string {
	masked, _ := r.Texts().Text(text)
	return masked
}

// orNow returns a time to the microsecond, as it is stored, so that a replay decides at the same time; now if it is
// zero.
func orNow(at time.Time, r *store.Reader) time.Time {
	if at.IsZero() {
		return r.Now()
	}
	return at.UTC().Truncate(time.Microsecond)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Resolve returns the given name, or the name of the only lineage with a ledger.
func Resolve(ctx context.Context, r *store.Reader, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	names, err := r.EvolvingNames(ctx)
	if err != nil {
		return "", err
	}
	switch len(names) {
	case 0:
		err := fmt.Errorf("lineage with a ledger: %w", track.ErrNotFound)
		return "", track.WithHint(err, track.NewHint("begin one", "lineage new", "NAME").With("root", "FILE"))
	case 1:
		return names[0], nil
	}
	return "", &param.Error{Param: "lineage", Message: "name one of " + strings.Join(names, ", ")}
}

// loadOnly returns the named lineage, or the only one with a ledger.
func loadOnly(ctx context.Context, r *store.Reader, name string) (l Lineage, err error) {
	if name, err = Resolve(ctx, r, name); err != nil {
		return l, err
	}
	return Load(ctx, r, name)
}

// resolveMutation returns the lineage that was named, or the only one that has the mutation.
func resolveMutation(ctx context.Context, r *store.Reader, lineage, mutation string) (string, error) {
	if lineage != "" {
		return lineage, nil
	}
	return r.MutationLineage(ctx, mutation)
}

// SettingsEdit changes settings.
type SettingsEdit func(*evolution.Settings) error

// ChangeSettings makes edited settings active; changed is false if they equal those before.
func ChangeSettings(ctx context.Context, st *store.Store, name string, edit SettingsEdit, reason string, at time.Time) (l Lineage, changed bool, err error) {
	err = change(ctx, st, name, func(tx *store.Tx, stored *Lineage) error {
		after := stored.Settings.Clone()
		if err := edit(&after); err != nil {
			return err
		}
		if err := after.Validate(); err != nil {
			return fmt.Errorf("%w: %w", track.ErrInvalid, err)
		}
		if err := checkScoreSource(stored.Subject, after); err != nil {
			return err
		}
		if changed = !after.Equal(stored.Settings); changed {
			after.Number++
			body := evolution.SettingsChange{Settings: after, Reason: withoutSecrets(tx.Reader, reason)}
			if _, err := appendEntry(tx, stored, evolution.KindSettings, body, stored.Head, orNow(at, tx.Reader)); err != nil {
				return err
			}
			stored.Settings = after
		}
		l = *stored
		return nil
	})
	return l, changed, err
}

// checkContent reports why a content cannot be a version. Without rules, secrets in it are kept.
func checkContent(field, content, subject string, rules *admission.Rules) error {
	v := track.Version{Lineage: "l", Name: "v", Content: &content}
	if err := v.Validate(); err != nil {
		return &track.FieldError{Field: field, Message: err.Message}
	}
	if strings.HasPrefix(subject, subjectScenario) {
		if _, err := track.NewParams([]byte(content)); err != nil {
			return &track.FieldError{Field: field, Message: "must be a JSON object of parameters: " + err.Error()}
		}
	}
	if strings.TrimSpace(content) == "" {
		return &track.FieldError{Field: field, Message: "is empty: give the first content"}
	}
	if rules == nil {
		return nil
	}
	if masked, n := rules.Text(content); n > 0 {
		line := 1 + strings.Count(commonPrefix(content, masked), "\n")
		err := fmt.Errorf("%w: %s: line %d looks like a secret (%d in all); versions are stored unchanged, so this one is not recorded", track.ErrInvalid, field, line, n)
		return track.WithHint(err, track.Hint{Text: "remove it, or record it unchanged"}.With("keep-secrets", ""))
	}
	return nil
}

// storedContent returns a content as a version stores it: unchanged, but parameters in canonical JSON, so that equal
// ones are one version.
func storedContent(content, subject string) string {
	if !strings.HasPrefix(subject, subjectScenario) {
		return content
	}
	params, err := track.NewParams([]byte(content))
	if err != nil {
		return content // checkContent refuses it
	}
	return string(params.JSON())
}

func commonPrefix(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// contents reads contents of versions in at most three statements: mostly one or two are asked for, and sometimes all.
type contents struct {
	reader  *store.Reader
	lineage string
	single  map[string]*string
	all     map[string]*string // nil until more than two were asked for
}

func (c *contents) of(ctx context.Context, version string) (*string, error) {
	if content, found := c.single[version]; found {
		return content, nil
	}
	if content, found := c.all[version]; found {
		return content, nil
	}
	if len(c.single) < 2 || c.all != nil { // one that is missing among all is an error
		content, err := c.reader.Content(ctx, c.lineage, version)
		if c.single == nil {
			c.single = map[string]*string{}
		}
		c.single[version] = content
		return content, err
	}
	versions, err := c.reader.VersionContents(ctx, c.lineage)
	if err != nil {
		return nil, err
	}
	c.all = map[string]*string{}
	for _, v := range versions {
		c.all[v.Name] = v.Content
	}
	return c.of(ctx, version)
}
