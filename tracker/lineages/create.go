package lineages

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/answer/param"
	"track/evolution"
	"track/internal/admission"
	"track/store"
	"track/tracker/names"
)

// NewOptions say how a lineage begins.
type NewOptions struct {
	Name     string
	Seed     *uint64 // of all draws; nil for a random one
	Subject  string  // agent, or scenario:NAME
	Root     *string // content of the first active version
	Head     string  // name of a recorded version, instead of Root
	Headless bool    // without Root and Head, no version is active
	// HeadMutation is the mutation that will have made Head, if a run of another evolver is recorded.
	HeadMutation string
	Source       string // format of the run of another evolver; empty for none
	Settings     evolution.Settings
	// KeepSecrets stores contents in which something looks like a secret, unchanged.
	KeepSecrets bool
	At          time.Time // zero for now
	Names       *names.Checker
}

// New begins the ledger of a lineage. created is false if the lineage exists with the same options. A lineage that was
// only recorded so far keeps its versions.
func New(ctx context.Context, st *store.Store, o NewOptions, entropy io.Reader) (l Lineage, created bool, err error) {
	if err := o.validate(st.Texts()); err != nil {
		return l, false, err
	}
	err = st.Update(ctx, func(tx *store.Tx) error {
		created = false
		l, err = Load(ctx, tx.Reader, o.Name)
		if err == nil {
			return compareOptions(o, l)
		}
		if !errors.Is(err, track.ErrNotFound) {
			return err
		}
		if err := o.checkNames(ctx, tx.Reader); err != nil {
			return err
		}
		created = true
		l, err = Create(ctx, tx, o, entropy)
		return err
	})
	return l, created, err
}

// checkNames returns an error if the lineage, or the scenario that is its subject, is not known although names like it
// are.
func (o NewOptions) checkNames(ctx context.Context, r *store.Reader) error {
	problem, err := o.Names.Lineage(ctx, r, o.Name)
	if scenario, is := strings.CutPrefix(o.Subject, subjectScenario); is && problem == nil && err == nil {
		problem, err = o.Names.Scenario(ctx, r, scenario)
	}
	if problem != nil {
		return problem
	}
	return err
}

// Create begins the ledger of a lineage that has none.
func Create(ctx context.Context, tx *store.Tx, o NewOptions, entropy io.Reader) (l Lineage, err error) {
	seed, err := o.seed(entropy)
	if err == nil {
		err = o.validate(tx.Texts())
	}
	if err != nil {
		return l, err
	}
	l.Settings = o.Settings
	if l.Evolving, err = tx.Evolve(o.Name, track.SeedNumber(seed), o.Subject); err != nil {
		return l, err
	}
	root, err := findRoot(ctx, tx, l, o)
	if err != nil {
		return l, err
	}
	head := ""
	if root != nil {
		head = root.Label
	}
	body := evolution.Creation{Seed: seed, Subject: o.Subject, Root: root, RootMutation: o.HeadMutation, Source: o.Source, Settings: o.Settings}
	_, err = appendEntry(tx, &l, evolution.KindCreation, body, head, orNow(o.At, tx.Reader))
	return l, err
}

// validate reports what is wrong with the options.
func (o NewOptions) validate(rules *admission.Rules) error {
	if err := track.CheckName(o.Name); err != nil {
		return &track.FieldError{Field: "lineage", Message: err.Error()}
	}
	if strings.Contains(o.Name, "@") {
		return &track.FieldError{Field: "lineage", Message: fmt.Sprintf("%q contains @, which separates a lineage from its version", o.Name)}
	}
	if problem := rules.Name("lineage", o.Name); problem != nil {
		return problem
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
	if err := checkScoreSource(o.Subject, o.Settings); err != nil || o.Root == nil {
		return err
	}
	if o.KeepSecrets {
		rules = nil
	}
	return checkContent("root", *o.Root, o.Subject, rules)
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

// compareOptions returns a conflict if the lineage that exists began with other options.
func compareOptions(o NewOptions, l Lineage) error {
	first, found := l.newest[evolution.KindCreation]
	if !found {
		return nil
	}
	var was evolution.Creation
	if err := first.Decode(&was); err != nil {
		return err
	}
	differs := func(what string) error {
		err := fmt.Errorf("%w: lineage %s already exists with another %s", track.ErrConflict, o.Name, what)
		err = track.WithHint(err, track.NewHint("show it", "lineage show", o.Name))
		return track.WithHint(err, track.NewHint("change its settings", "lineage set", o.Name, "KEY=VALUE"))
	}
	switch {
	case o.Seed != nil && *o.Seed != was.Seed:
		return differs("seed")
	case o.Subject != was.Subject:
		return differs("subject")
	case o.Root != nil && (was.Root == nil || was.Root.ID != evolution.VersionID([]byte(storedContent(*o.Root, o.Subject)))),
		o.Head != "" && (was.Root == nil || was.Root.Label != o.Head):
		return differs("root")
	case !o.Settings.Equal(was.Settings):
		return differs("setting")
	}
	return nil
}

// findRoot finds or makes the first active version: the content given, the version named, or the only candidate among
// those recorded.
func findRoot(ctx context.Context, tx *store.Tx, l Lineage, o NewOptions) (*evolution.VersionRef, error) {
	name := o.Head
	if o.Root != nil {
		added, _, err := tx.AddContent(l.ID, storedContent(*o.Root, o.Subject))
		if err != nil {
			return nil, err
		}
		name = added
	}
	if name == "" && o.Headless {
		return nil, nil
	}
	if name == "" {
		var err error
		if name, err = onlyCandidate(ctx, tx.Reader, l.Name); name == "" {
			return nil, err
		}
	}
	ref, err := VersionRef(ctx, tx.Reader, l, name)
	return &ref, err
}

// onlyCandidate returns the version that its source calls active, or the only version; empty if there is no version.
func onlyCandidate(ctx context.Context, r *store.Reader, lineage string) (string, error) {
	versions, err := r.VersionStates(ctx, lineage)
	if err != nil || len(versions) == 0 {
		return "", err
	}
	if len(versions) == 1 {
		return versions[0].Name, nil
	}
	var active, names []string
	for _, v := range versions {
		names = append(names, v.Name)
		if v.Status == "active" || v.Status == "current" {
			active = append(active, v.Name)
		}
	}
	if len(active) == 1 {
		return active[0], nil
	}
	err = fmt.Errorf("%w: lineage %s has %d versions: %s", track.ErrInvalid, lineage, len(versions), strings.Join(names, ", "))
	return "", track.WithHint(err, track.NewHint("name the active one", "lineage new", lineage).With("head", "VERSION"))
}

func ListLineages(ctx context.Context, r *store.Reader, q answer.LineagesQuestion) (a answer.Lineages, err error) {
	list, err := r.LineageSummaries(ctx)
	newest := newestOfList(list)
	for _, l := range list {
		info := answer.LineageInfo{
			Lineage: l.Lineage, NVersions: l.NVersions, NExecutions: l.NExecutions, KeepText: l.KeepText, Last: l.Last, Subject: l.Subject, Head: l.Head, NMutations: l.NMutations,
		}
		if q.Standing && newest[l.Lineage] {
			if info.Standing, err = listStanding(ctx, r, l.Lineage); err != nil {
				return a, err
			}
		}
		a.Items = append(a.Items, info)
	}
	return a, err
}

// ShowLineage shows where a lineage stands, with its versions that are kept and, if these are few, all that were ever
// active.
func ShowLineage(ctx context.Context, r *store.Reader, q answer.LineageQuestion) (a answer.Lineage, err error) {
	l, err := loadOnly(ctx, r, q.Lineage)
	if err != nil {
		return a, err
	}
	a = answer.Lineage{Lineage: l.Name, Subject: l.Subject, Seed: l.Seed.String(), Head: l.Head, End: l.End, Versions: []answer.Version{}, Settings: l.Settings}
	if a.Mutations, err = r.CountOutcomes(ctx, l.Evolving); err != nil {
		return a, err
	}
	p, err := loadPlaces(ctx, r, l)
	names := p.listed()
	if err != nil || len(names) == 0 {
		return a, err
	}
	versions, err := r.NamedVersions(ctx, l.Name, names...)
	if err != nil {
		return a, err
	}
	a.Versions, err = p.entries(versions)
	a.NArchived = len(p.all) - len(a.Versions)
	return a, err
}

// ShowHead answers a [answer.LineageQuestion] with the active version.
func ShowHead(ctx context.Context, r *store.Reader, q answer.LineageQuestion) (a answer.Head, err error) {
	name, err := Resolve(ctx, r, q.Lineage)
	if err != nil {
		return a, err
	}
	l, err := r.Evolving(ctx, name)
	if err != nil {
		return a, err
	}
	if l.Head == "" {
		err := fmt.Errorf("head of lineage %s: %w: no version is active", l.Name, track.ErrNotFound)
		return a, track.WithHint(err, track.NewHint("make a version active", "rollback", l.Name).With("to", "VERSION"))
	}
	v, err := r.VersionState(ctx, l.Name, l.Head)
	if err != nil {
		return a, err
	}
	a = answer.Head{Lineage: l.Name, Head: l.Head, Content: v.ContentID}
	moves, err := r.Entries(ctx, l, store.EntryFilter{Moved: true, Newest: 1})
	for _, e := range moves {
		a.Since, a.By, a.Mutation = e.At, e.Kind, e.Mutation
	}
	return a, err
}

func BeginLineage(ctx context.Context, st *store.Store, q answer.NewLineageQuestion) (a answer.LineageCreated, err error) {
	o, err := newOptions(q)
	if err == nil {
		err = o.validate(st.Texts())
	}
	if err == nil {
		err = checkHasVersion(ctx, st.Reader, o)
	}
	if err != nil {
		return a, err
	}
	l, created, err := New(ctx, st, o, rand.Reader)
	if err != nil {
		return a, err
	}
	a = answer.LineageCreated{Lineage: l.Name, Created: created, Seed: l.Seed.String(), Subject: l.Subject, Head: l.Head, Settings: l.Settings, End: l.End}
	if scenario := l.scenario(); scenario != "" {
		_, err = st.Spec(ctx, scenario, 0)
		if a.NoSpec = errors.Is(err, track.ErrNotFound); a.NoSpec {
			err = nil
		}
	}
	return a, err
}

func newOptions(q answer.NewLineageQuestion) (o NewOptions, err error) {
	o = NewOptions{
		Name: q.Lineage, Seed: q.Seed, Subject: q.Subject, Root: q.Root, Head: q.Head, Settings: evolution.DefaultSettings(), KeepSecrets: q.KeepSecrets, At: q.At,
	}
	if !q.New {
		o.Names = names.New(names.Refuse)
	}
	if q.Subject != SubjectAgent {
		o.Settings = evolution.DefaultParameterSettings()
	}
	if q.Minimize || q.Scale != nil {
		scale := *cmp.Or(q.Scale, &evolution.Scale{})
		scale.Minimize = q.Minimize
		o.Settings = o.Settings.WithScale(scale)
	}
	if q.Policy != nil {
		o.Settings.Policy = q.Policy.Name()
		o.Settings.Params, err = evolution.Params(q.Policy)
	}
	if q.Operators != nil {
		o.Settings.Operators = q.Operators
	}
	q.Score.Change(&o.Settings)
	return o, err
}

// checkHasVersion refuses a lineage without any version: nothing could be a child of it.
func checkHasVersion(ctx context.Context, r *store.Reader, o NewOptions) error {
	if o.Root != nil || o.Head != "" {
		return nil
	}
	versions, err := r.VersionStates(ctx, o.Name)
	if err == nil && len(versions) == 0 {
		err = &param.Error{Param: "root", Message: fmt.Sprintf("lineage %s has no version yet: give the first one", o.Name)}
	}
	return err
}

func SetLineage(ctx context.Context, st *store.Store, q answer.SetLineageQuestion) (a answer.LineageSettings, err error) {
	if err := track.CheckName(q.Lineage); err != nil {
		return a, &param.Error{Param: "lineage", Message: err.Error()}
	}
	a.Lineage = q.Lineage
	if q.Changes() {
		edit := func(s *evolution.Settings) error {
			q.Score.Change(s)
			for _, setting := range q.Settings {
				if err := setting.Change(s); err != nil {
					return err
				}
			}
			return nil
		}
		l, changed, err := ChangeSettings(ctx, st, q.Lineage, edit, q.Reason, q.At)
		if err != nil {
			return a, err
		}
		a.Settings, a.Changed = &l.Settings, changed
		if a.UsedBefore, err = usedBefore(ctx, st.Reader, l); err != nil {
			return a, err
		}
	}
	if q.KeepText != nil {
		a.KeepText = q.KeepText
		err = st.Update(ctx, func(tx *store.Tx) error { return tx.SetKeepText(q.Lineage, *q.KeepText) })
	}
	return a, err
}

func Freeze(ctx context.Context, st *store.Store, q answer.FreezeQuestion) (answer.Frozen, error) {
	return freeze(ctx, st, q, true)
}

// Unfreeze lets a frozen lineage mutate again.
func Unfreeze(ctx context.Context, st *store.Store, q answer.FreezeQuestion) (answer.Frozen, error) {
	return freeze(ctx, st, q, false)
}

func freeze(ctx context.Context, st *store.Store, q answer.FreezeQuestion, frozen bool) (answer.Frozen, error) {
	edit := func(s *evolution.Settings) error {
		s.Loop.Frozen = frozen
		return nil
	}
	_, changed, err := ChangeSettings(ctx, st, q.Lineage, edit, q.Reason, q.At)
	return answer.Frozen{Lineage: q.Lineage, Frozen: frozen, Changed: changed}, err
}
