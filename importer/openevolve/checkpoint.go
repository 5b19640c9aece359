package openevolve

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"track/importer/programs"
)

// checkpointsOf returns which of the entries of a folder are checkpoints, in the order of their numbers.
func (r *reader) checkpointsOf(dir string, entries []fs.DirEntry) []string {
	type checkpoint struct {
		name   string
		number uint64
	}
	var found []checkpoint
	for _, entry := range entries {
		text, is := strings.CutPrefix(entry.Name(), "checkpoint_")
		if !is || entry.Type().IsRegular() {
			continue
		}
		number, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			r.Skip(path.Join(dir, entry.Name()), 0, "", "is no checkpoint_N with a number: it was not read")
			continue
		}
		found = append(found, checkpoint{entry.Name(), number})
	}
	slices.SortFunc(found, func(a, b checkpoint) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.name, b.name)) })
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = c.name
	}
	return names
}

// checkpoints reads checkpoints in folders, in their order. What they all say of the run counts for each of them.
func (r *reader) checkpoints(dir string, files fs.FS, names []string) error {
	var there []string
	for _, name := range names {
		if !programs.IsDir(files, path.Join(name, "programs")) {
			r.Skip(path.Join(dir, name), 0, "", "is no checkpoint: it has no folder programs")
			continue
		}
		r.Checkpoint()
		there = append(there, name)
		if err := r.metadata(dir, files, name); err != nil {
			return err
		}
	}
	for _, name := range there {
		list, err := fs.Glob(files, path.Join(name, "programs", "*.json"))
		if err != nil {
			return err
		}
		for _, program := range list {
			if err := r.Object(dir, files, program, func(o programs.Object, file string) error { return r.program(o, file, 0) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// cellsOf notes where programs stand in the maps of elites of the islands.
func (r *reader) cellsOf(o programs.Object) {
	for _, islands := range o.Objects("island_feature_maps") {
		for _, cell := range islands.Names() {
			r.cells[islands.ID(cell)] = cell
		}
	}
}

// metadata reads what a checkpoint says of the run: its best program, and which metrics are features.
func (r *reader) metadata(dir string, files fs.FS, checkpoint string) error {
	best := ""
	read := func(name, field string) error {
		name = path.Join(checkpoint, name)
		if _, err := fs.Stat(files, name); err != nil {
			return nil // a checkpoint may go without
		}
		return r.Object(dir, files, name, func(o programs.Object, file string) error {
			r.cellsOf(o)
			if r.features = append(r.features, o.Child("feature_stats").Names()...); best == "" {
				best = o.ID(field)
				r.Best(best, file, field)
			}
			return nil
		})
	}
	if err := read("metadata.json", "best_program_id"); err != nil {
		return err
	}
	return read("best_program_info.json", "id")
}
