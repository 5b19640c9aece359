package lineages

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"track"
	"track/evolution"
	"track/internal/masking"
	"track/store"
)

// The subjects of lineages: what a version is, and what its trials are.
const (
	SubjectAgent    = "agent"     // a prompt; its executions
	subjectScenario = "scenario:" // the parameters of a simulation as a JSON object; the seeds of the scenario under them
)

// Lineage is a lineage with a ledger and the settings in force.
type Lineage struct {
	store.Evolving
	Settings evolution.Settings
}

// Scenario is the scenario whose seeds are the trials; empty where these are executions.
func (l Lineage) Scenario() string {
	scenario, _ := strings.CutPrefix(l.Subject, subjectScenario)
	if scenario == l.Subject {
		return ""
	}
	return scenario
}

// Load returns a lineage that has a ledger.
func Load(ctx context.Context, st *store.Reader, name string) (l Lineage, err error) {
	if l.Evolving, err = st.Evolving(ctx, name); err != nil {
		return l, err
	}
	e, ok, err := st.LastEntry(ctx, l.Evolving, evolution.KindSettings, evolution.KindCreation)
	if err != nil {
		return l, err
	}
	if !ok {
		return l, track.WithHint(fmt.Errorf("%w: the ledger of lineage %s has lost its first entry", track.ErrDatabase, name), track.Hint{Text: "track replay --lineage " + name + " says what is missing"})
	}
	l.Settings, err = settingsOf(e)
	return l, err
}

// settingsOf are the settings that an entry puts in force.
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

// change runs write in one durable transaction on a lineage. Equal tries of several processes follow one another: each sees what the one
// before has written.
func change(ctx context.Context, st *store.Store, name string, write func(w *Writer) error) error {
	return st.Update(ctx, func(tx *store.Tx) error {
		w, err := NewWriter(ctx, tx, tx.Reader, name)
		if err != nil {
			return err
		}
		return write(w)
	})
}

// NewWriter returns a writer of a lineage that has a ledger.
func NewWriter(ctx context.Context, tx *store.Tx, reads *store.Reader, name string) (*Writer, error) {
	l, err := Load(ctx, reads, name)
	return &Writer{Lineage: l, Tx: tx, Store: reads}, err
}

// Writer writes to the ledger of a lineage within a transaction, and reads what stands there.
type Writer struct {
	Lineage
	Tx    *store.Tx
	Store *store.Reader
}

// append seals what happened as the next entry. headAfter is the version in force after it.
func (w *Writer) append(kind evolution.Kind, body any, headAfter string, at time.Time) (evolution.Entry, error) {
	e, err := w.next(kind, body, headAfter, at)
	if err != nil {
		return e, err
	}
	if err := w.Tx.Append(w.ID, e); err != nil {
		return e, err
	}
	w.End, w.Head = evolution.Head{Number: e.Number, Hash: e.Hash}, headAfter
	return e, nil
}

// next is the entry that append would write.
func (l Lineage) next(kind evolution.Kind, body any, headAfter string, at time.Time) (evolution.Entry, error) {
	prev := evolution.Entry{Number: l.End.Number, Hash: l.End.Hash, HeadAfter: l.Head}
	return evolution.NewEntry(prev, l.Name, kind, body, headAfter, at)
}

// NewOptions say how a lineage begins.
type NewOptions struct {
	Name     string
	Seed     *uint64 // of all draws; nil for one of entropy
	Subject  string  // agent, or scenario:NAME
	Root     *string // content of the first version in force
	Head     string  // name of a version that is there, in place of Root
	Settings evolution.Settings
	// KeepSecrets stores contents in which something looks like a secret: they are kept to the byte.
	KeepSecrets bool
	At          time.Time // zero for now
}

// New begins the ledger of a lineage; created is false where an equal one was there. A lineage that was only recorded so far goes on with
// the versions that it has.
func New(ctx context.Context, st *store.Store, o NewOptions, entropy io.Reader) (l Lineage, created bool, err error) {
	if err := o.Validate(); err != nil {
		return l, false, err
	}
	seed, err := o.seed(entropy)
	if err != nil {
		return l, false, err
	}
	err = st.Update(ctx, func(tx *store.Tx) error {
		reads := tx.Reader
		l, err = Load(ctx, reads, o.Name)
		if err == nil {
			return o.sameAs(ctx, reads, l)
		}
		if !errors.Is(err, track.ErrNotFound) {
			return err
		}
		created = true
		w, err := o.create(ctx, tx, reads, seed, orNow(o.At, st.Reader))
		if err == nil {
			l = w.Lineage
		}
		return err
	})
	return l, created, err
}

// Validate says what is wrong with the options.
func (o NewOptions) Validate() error {
	if err := track.CheckName(o.Name); err != nil {
		return &track.FieldError{Field: "lineage", Message: err.Error()}
	}
	if strings.Contains(o.Name, "@") {
		return &track.FieldError{Field: "lineage", Message: fmt.Sprintf("%q contains @, which separates a lineage from its version", o.Name)}
	}
	scenario, isScenario := strings.CutPrefix(o.Subject, subjectScenario)
	if o.Subject != SubjectAgent && !isScenario {
		return &track.FieldError{Field: "subject", Message: fmt.Sprintf("%q is neither agent nor scenario:NAME", o.Subject)}
	}
	if isScenario {
		if err := track.CheckScenarioName(scenario); err != nil {
			return &track.FieldError{Field: "subject", Message: "the scenario " + err.Error()}
		}
	}
	if err := o.Settings.Validate(); err != nil {
		return fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	if o.Root == nil {
		return nil
	}
	return checkContent("root", *o.Root, o.Subject, o.KeepSecrets)
}

// checkContent says why a content cannot be a version.
func checkContent(field, content, subject string, keepSecrets bool) error {
	v := track.Version{Lineage: "l", Name: "v", Content: &content}
	if err := v.Validate(); err != nil {
		return &track.FieldError{Field: field, Message: err.Message}
	}
	if strings.HasPrefix(subject, subjectScenario) {
		if _, err := track.NewParams([]byte(content)); err != nil {
			return &track.FieldError{Field: field, Message: "of a scenario is a JSON object of parameters: " + err.Error()}
		}
	}
	if masked, n := masking.Mask(content); n > 0 && !keepSecrets {
		line := 1 + strings.Count(commonPrefix(content, masked), "\n")
		err := fmt.Errorf("%w: %s: line %d looks like a secret (%d in all); a version is kept to the byte, so that it is not recorded", track.ErrInvalid, field, line, n)
		return track.WithHint(err, track.Hint{Text: "take it out, or keep it as it is with --keep-secrets"})
	}
	return nil
}

// storedContent is a content as a version keeps it: to the byte, but parameters in canonical JSON, since those that are equal are one version.
func storedContent(content, subject string) string {
	if !strings.HasPrefix(subject, subjectScenario) {
		return content
	}
	params, err := track.NewParams([]byte(content))
	if err != nil {
		return content // is refused
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

func (o NewOptions) seed(entropy io.Reader) (uint64, error) {
	if o.Seed != nil {
		return *o.Seed, nil
	}
	var random [8]byte
	if _, err := io.ReadFull(entropy, random[:]); err != nil {
		return 0, fmt.Errorf("new seed: %w", err)
	}
	return binary.BigEndian.Uint64(random[:]), nil
}

// sameAs says why a lineage that is there is not the one that was asked for.
func (o NewOptions) sameAs(ctx context.Context, st *store.Reader, l Lineage) error {
	first, err := st.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindCreation}, Newest: 1})
	if err != nil || len(first) == 0 {
		return err
	}
	var was evolution.Creation
	if err := first[0].Decode(&was); err != nil {
		return err
	}
	differs := func(what string) error {
		return track.WithHint(fmt.Errorf("%w: lineage %s is there already, with another %s", track.ErrConflict, o.Name, what), track.Hint{Text: "track lineage show " + o.Name + " shows it; its settings change with track lineage set"})

	}
	switch {
	case o.Seed != nil && *o.Seed != was.Seed:
		return differs("seed")
	case o.Subject != was.Subject:
		return differs("subject")
	case o.Root != nil && (was.Root == nil || was.Root.ID != evolution.VersionID([]byte(storedContent(*o.Root, o.Subject)))), o.Head != "" && (was.Root == nil || was.Root.Label != o.Head):
		return differs("root")
	case !o.Settings.Equal(was.Settings):
		return differs("setting")
	}
	return nil
}

// Create begins the ledger of a lineage that has none.
func Create(ctx context.Context, tx *store.Tx, reads *store.Reader, o NewOptions, entropy io.Reader) (*Writer, error) {
	seed, err := o.seed(entropy)
	if err == nil {
		err = o.Validate()
	}
	if err != nil {
		return nil, err
	}
	return o.create(ctx, tx, reads, seed, orNow(o.At, reads))
}

func (o NewOptions) create(ctx context.Context, tx *store.Tx, reads *store.Reader, seed uint64, at time.Time) (*Writer, error) {
	evolving, err := tx.Evolve(o.Name, track.SeedNumber(seed), o.Subject)
	if err != nil {
		return nil, err
	}
	w := &Writer{Lineage: Lineage{evolving, o.Settings}, Tx: tx, Store: reads}
	root, err := o.root(ctx, w)
	if err != nil {
		return nil, err
	}
	head := ""
	if root != nil {
		head = root.Label
	}
	_, err = w.append(evolution.KindCreation, evolution.Creation{Seed: seed, Subject: o.Subject, Root: root, Settings: o.Settings}, head, at)
	return w, err
}

// root finds or makes the first version in force: the content given, the version named, or the one that the versions recorded so far leave no doubt of.
func (o NewOptions) root(ctx context.Context, w *Writer) (*evolution.VersionRef, error) {
	name := o.Head
	if o.Root != nil {
		added, _, err := w.Tx.AddContent(w.ID, storedContent(*o.Root, o.Subject))
		if err != nil {
			return nil, err
		}
		name = added
	}
	if name == "" {
		var err error
		if name, err = w.onlyCandidate(ctx); name == "" {
			return nil, err
		}
	}
	ref, err := w.Ref(ctx, name)
	return &ref, err
}

// onlyCandidate is the version that its source calls the one in force, or the only one that there is; empty where there is none at all.
func (w *Writer) onlyCandidate(ctx context.Context) (string, error) {
	versions, err := w.Store.VersionStates(ctx, w.Name)
	if err != nil || len(versions) == 0 {
		return "", err
	}
	if len(versions) == 1 {
		return versions[0].Name, nil
	}
	found, names := "", make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.Name
		if v.Status == "active" || v.Status == "current" {
			if found != "" {
				found = ""
				break
			}
			found = v.Name
		}
	}
	if found == "" {
		err := fmt.Errorf("%w: lineage %s has %d versions: %s", track.ErrInvalid, w.Name, len(versions), strings.Join(names, ", "))
		return "", track.WithHint(err, track.Hint{Text: "say with --head VERSION which is in force"})
	}
	return found, nil
}

// Ref names a version by label and content.
func (l *Writer) Ref(ctx context.Context, name string) (evolution.VersionRef, error) {
	v, err := l.Store.VersionState(ctx, l.Name, name)
	return evolution.VersionRef{Label: name, ID: v.ContentID}, err
}

// SettingsEdit changes settings; it returns whether anything is other than before.
type SettingsEdit func(*evolution.Settings) error

// ChangeSettings puts changed settings in force, unless nothing changes.
func ChangeSettings(ctx context.Context, st *store.Store, name string, edit SettingsEdit, reason string, at time.Time) (l Lineage, changed bool, err error) {
	err = change(ctx, st, name, func(w *Writer) error {
		after := w.Settings.Clone()
		if err := edit(&after); err != nil {
			return err
		}
		if err := after.Validate(); err != nil {
			return fmt.Errorf("%w: %w", track.ErrInvalid, err)
		}
		if changed = !after.Equal(w.Settings); changed {
			after.Number++
			if _, err := w.append(evolution.KindSettings, evolution.SettingsChange{Settings: after, Reason: withoutSecrets(reason)}, w.Head, orNow(at, st.Reader)); err != nil {
				return err
			}
			w.Settings = after
		}
		l = w.Lineage
		return nil
	})
	return l, changed, err
}

// withoutSecrets masks what looks like a secret in a text for the ledger, from which nothing can be taken away.
func withoutSecrets(text string) string {
	masked, _ := masking.Mask(text)
	return masked
}

func orNow(at time.Time, st *store.Reader) time.Time {
	if at.IsZero() {
		return st.Now()
	}
	return at.UTC().Truncate(time.Microsecond) // as it is stored, so that what is decided now is decided again in a replay
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
