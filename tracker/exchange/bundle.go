package exchange

import (
	"context"
	"errors"
	"time"

	"track/internal/admission"
	"track/store"
)

// WriteBundle creates a database at path, and merges the chosen parts of another database into it. It shows one state
// of the other database, whatever is recorded meanwhile.
func WriteBundle(ctx context.Context, from *store.Store, path string, o MergeOptions) (c store.Contents, err error) {
	if _, err := store.Init(ctx, path); err != nil {
		return c, err
	}
	if err := mergeInto(ctx, path, from, o); err != nil {
		return c, err
	}
	st, err := store.OpenForUpdate(ctx, path, from.Now)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := st.Pack(ctx); err != nil { // needs the database for itself: the merge has closed it
		return c, err
	}
	return st.Contents(ctx)
}

func mergeInto(ctx context.Context, path string, from *store.Store, o MergeOptions) (err error) {
	st, err := store.OpenForUpdate(ctx, path, from.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	st.Admit(admission.New(true)) // names were admitted when they were recorded
	_, err = Merge(ctx, st, from, o)
	return err
}

// checkBundle reads all of a bundle and counts what is in it. It refuses one that is damaged.
func checkBundle(ctx context.Context, path string, o FilesOptions) (c store.Contents, err error) {
	if err := store.CheckLength(path); err != nil {
		return c, err
	}
	if err := store.CheckOther(ctx, "", path); err != nil {
		return c, err
	}
	st, err := store.OpenOther(ctx, path, time.Now)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := checkSource(ctx, st, o); err != nil {
		return c, err
	}
	return st.Contents(ctx)
}
