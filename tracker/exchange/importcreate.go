package exchange

import (
	"cmp"
	"context"
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
	return nil
}
