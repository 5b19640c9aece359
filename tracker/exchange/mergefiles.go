package exchange

import (
	"context"
	"errors"
	"fmt"

	"track"
	"track/answer"
	"track/internal/admission"
	"track/store"
	"track/tracker/integrity"
)

// FilesOptions say how several databases are merged.
type FilesOptions struct {
	DryRun   bool
	checked  bool                                                  // the files were checked for damage before
	Progress func(verb string) (update func(done int), end func()) // is called twice for each file; may be nil
}

// MergeFiles merges the databases in files into one: a file that cannot be merged does not keep out the others. here
// is the path of the target, which open opens, and creates, if one of the files can be merged. The errors are those
// of the files, and of what is in conflict.
func MergeFiles(ctx context.Context, here string, open func() (st *store.Store, done func(), err error), files []string, o FilesOptions) (a answer.Merged, failures []error, err error) {
	m := filesMerge{options: o, failed: make([]error, len(files))}
	m.answer = answer.Merged{DryRun: o.DryRun, Files: []answer.MergedFile{}}
	usable := 0
	for i, file := range files {
		m.answer.Files = append(m.answer.Files, answer.NewMergedFile(file))
		if err := store.CheckOther(ctx, here, file); err != nil {
			m.fail(i, answer.MergeRefused, err)
		} else {
			usable++
		}
	}
	if usable > 0 {
		st, done, err := open()
		if err != nil {
			return m.answer, nil, err
		}
		defer done()
		m.run(ctx, st)
	}
	for i, f := range m.answer.Files {
		if m.failed[i] != nil {
			failures = append(failures, fmt.Errorf("merge %s: %w", f.File, m.failed[i]))
		}
	}
	if conflicts := ConflictError("merge", m.answer); conflicts != nil {
		failures = append(failures, track.WithHint(conflicts, track.NewHint("list what was left out again", "merge", files...).With("dry-run", "")))
	}
	return m.answer, failures, nil
}

// filesMerge is a merge of several files as it goes on.
type filesMerge struct {
	options FilesOptions
	answer  answer.Merged
	failed  []error
}

func (m *filesMerge) fail(i int, state answer.MergeState, err error) {
	m.answer.Files[i].State, m.answer.Files[i].Error, m.failed[i] = state, err.Error(), err
}

func (m *filesMerge) run(ctx context.Context, st *store.Store) {
	stopped := false
	for i := range m.answer.Files {
		switch {
		case m.failed[i] != nil:
			continue
		case stopped:
			m.answer.Files[i].State = answer.MergeUntried
			continue
		}
		f, err := mergeFile(ctx, st, m.answer.Files[i].File, m.options)
		m.answer.Files[i] = f
		if err == nil {
			continue
		}
		state := answer.MergeRefused
		if f.Records() > 0 && !m.options.DryRun {
			state = answer.MergeInPart
		}
		m.fail(i, state, err)
		m.answer.Files[i].Error, _ = st.Texts().Text(err.Error())
		stopped = !errors.Is(err, track.ErrInvalid) && !errors.Is(err, track.ErrNotFound) // it is not the fault of the file
	}
}

// mergeFile merges the database in a file.
func mergeFile(ctx context.Context, st *store.Store, file string, o FilesOptions) (f answer.MergedFile, err error) {
	f = answer.NewMergedFile(file)
	if f.State = answer.MergeDone; o.DryRun {
		f.State = answer.MergeRead
	}
	other, err := store.OpenOther(ctx, file, st.Now)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	if !o.checked {
		if err := checkSource(ctx, other, o); err != nil {
			return f, err
		}
	}
	options := MergeOptions{DryRun: o.DryRun, Conflict: func(c Conflict) { f.Conflicts = append(f.Conflicts, c.answer(st.Texts())) }}
	if o.Progress != nil {
		update, end := o.Progress("merging")
		defer end()
		options.Progress = update
	}
	f.MergeCounts, err = Merge(ctx, st, other, options)
	f.N = f.NConflicts()
	if errors.Is(err, context.Canceled) {
		err = track.WithHint(err, track.Hint{Text: "run the same command again: it continues"})
	}
	return f, err
}

// checkSource refuses a database that is damaged: merging would spread the damage.
func checkSource(ctx context.Context, st *store.Store, o FilesOptions) error {
	var progress func(int)
	if o.Progress != nil {
		update, end := o.Progress("checking")
		defer end()
		progress = update
	}
	checked, err := integrity.Check(ctx, st, progress)
	if err != nil {
		return store.ReadError(st.Path(), err)
	}
	if damage := checked.Err(); damage != nil {
		err = track.WithHint(fmt.Errorf("%w: %s: %w", track.ErrInvalid, st.Path(), damage), track.NewHint("see all that is damaged", "check", st.Path()))
		return track.WithHint(err, track.Hint{Text: "nothing of it was merged; ask for the file again, record its lines or run its shard again"})
	}
	return nil
}

// answer returns a conflict as it may be shown: the reason may quote what both databases hold.
func (c Conflict) answer(rules *admission.Rules) answer.MergeConflict {
	m := answer.MergeConflict{Kind: string(c.Kind), Name: c.Name, Label: c.Label, Configuration: c.Configuration}
	m.Reason, _ = rules.Text(c.Describe())
	if c.Kind == kindSeed || c.Kind == kindSpec {
		m.Scenario = c.Scenario
	} else {
		m.Lineage = c.Scenario
	}
	return m
}
