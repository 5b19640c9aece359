package exchange

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"

	"track/importer"
	"track/internal/admission"
	"track/store"
	"track/tracker/agents"
)

// use records into a database; nil: nothing is recorded yet.
func (r *importRun) use(st *store.Store) {
	o := r.options.Execution
	if st != nil {
		o.Texts = st.Texts()
	}
	o.Texts = cmp.Or(o.Texts, admission.New(false))
	r.store, r.texts, r.Recorder = st, o.Texts, agents.NewRecorder(st, o, r.entropy)
	r.door = NewDoor(st, BringFacts, o.Names, r.dryRun())
}

// dryRun reports whether nothing is recorded.
func (r *importRun) dryRun() bool {
	return r.options.DryRun || r.options.Keep != nil || r.store == nil && r.options.Create != nil
}

// create makes the database if there is none and something is to be recorded: damage alone is not.
func (r *importRun) create(ctx context.Context, items []importer.Item) error {
	isRecord := func(item importer.Item) bool { return item.Skip == nil }
	if r.store != nil || r.options.DryRun || r.options.Create == nil || !slices.ContainsFunc(items, isRecord) {
		return nil
	}
	st, err := r.options.Create(ctx)
	if err != nil {
		return err
	}
	r.use(st)
	return st.UpdateRelaxed(ctx, func(tx *store.Tx) error {
		for _, damage := range r.damage {
			if _, err := tx.AddDamage(damage); err != nil {
				return err
			}
		}
		return nil
	})
}

// remember keeps damage for the database that may be made. Of more, the next import reports the rest again.
func (r *importRun) remember(damage [sha256.Size]byte) {
	const most = 10_000
	if r.options.Create != nil && len(r.damage) < most {
		r.damage = append(r.damage, damage)
	}
}
