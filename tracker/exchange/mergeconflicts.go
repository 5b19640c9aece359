package exchange

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"track"
	"track/answer"
	"track/scoring/format"
	"track/store"
)

// ConflictError returns an error that says what a merge left out; nil for nothing. The verb names the command.
func ConflictError(verb string, a answer.Merged) error {
	n := 0
	first := map[Kind]answer.MergeConflict{}
	files := map[Kind]string{}
	for _, f := range a.Files {
		n += f.N
		for _, c := range f.Conflicts {
			if kind := Kind(c.Kind); files[kind] == "" {
				first[kind], files[kind] = c, f.File
			}
		}
	}
	if n == 0 {
		return nil
	}
	err := fmt.Errorf("%s: %w: %s left out; what is here stays, all the rest is merged", verb, track.ErrConflict, format.Counted(n, "record"))
	for _, kind := range []Kind{kindSeed, kindSpec, kindLineage} {
		if files[kind] != "" {
			err = track.WithHint(err, hintAt(first[kind], files[kind]))
		}
	}
	return err
}

// hintAt returns what can be done about a conflict with a file.
func hintAt(c answer.MergeConflict, file string) track.Hint {
	switch Kind(c.Kind) {
	case kindSeed:
		return track.NewHint("only one measurement of a seed counts: compare the record here with the other one", "show seed", c.Scenario, c.Name).With("db", file)
	case kindSpec:
		return track.NewHint("only one list of specs of a scenario counts: add the missing versions here, then rescore", "spec add", "FILE")
	}
	return track.NewHint("one name has two histories: merge the file into another database, and compare", "merge", file).With("db", "OTHER")
}

// OpenEmpty opens a new database for a dry run without one. done closes and removes it.
func OpenEmpty(ctx context.Context, now func() time.Time) (st *store.Store, done func(), err error) {
	dir, err := os.MkdirTemp("", "track-merge-")
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, store.DefaultFile)
	if _, err = store.Init(ctx, path); err == nil {
		st, err = store.Open(ctx, path, now)
	}
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return st, func() { _ = errors.Join(st.Close(), os.RemoveAll(dir)) }, nil
}
