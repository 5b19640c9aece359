package lineages

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"track"
	"track/answer"
	"track/answer/param"
	"track/evolution"
	"track/store"
	"track/tracker/names"
)

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

func ShowLineage(ctx context.Context, r *store.Reader, q answer.LineageQuestion) (a answer.Lineage, err error) {
	name, err := Resolve(ctx, r, q.Lineage)
	if err != nil {
		return a, err
	}
	o, err := loadOverview(ctx, r, name)
	if err != nil {
		return a, err
	}
	l := o.Lineage
	return answer.Lineage{
		Lineage: l.Name, Subject: l.Subject, Seed: l.Seed.String(), Head: l.Head, End: l.End, Mutations: o.Mutations, Versions: versionAnswers(o.Versions), NArchived: o.NArchived, Settings: l.Settings,
	}, nil
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
	if q.Unbounded || q.Minimize || q.Scale != nil {
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

func RollBack(ctx context.Context, st *store.Store, q answer.RollbackQuestion) (a answer.Rollback, err error) {
	if a.Lineage, err = Resolve(ctx, st.Reader, q.Lineage); err != nil {
		return a, err
	}
	to, err := answer.VersionName(a.Lineage, q.To)
	if err != nil {
		return a, &param.Error{Param: "to", Message: err.Error()}
	}
	r, err := Rollback(ctx, st, a.Lineage, RollbackOptions{To: to, Best: q.Best, Previous: q.Previous, IfTriggered: q.IfTriggered, Untested: q.Untested, Reason: q.Reason, At: q.At})
	a.RolledBack, a.Number, a.Head, a.Event, a.Hash, a.Warnings = r.Event != nil, r.Number, r.Head, r.Event, r.Hash, r.Warnings
	return a, err
}
