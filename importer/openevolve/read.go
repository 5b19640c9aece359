package openevolve

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"track/importer"
	"track/importer/programs"
)

const ways = "name a programs.jsonl, a checkpoint (a folder with metadata.json and programs), or the folder that holds all checkpoint_N of a run"

// Read reads the run at a path: a file, a checkpoint, or a folder of checkpoints. Beside an error, the run says what
// was skipped.
func Read(name string, options importer.ProgramOptions) (importer.Run, error) {
	info, err := programs.Stat(name)
	switch {
	case err != nil:
		return importer.Run{}, err
	case info.IsDir():
		return readDir(name, os.DirFS(name), options)
	}
	dir, file := filepath.Split(name)
	return readFile(dir, os.DirFS(filepath.Clean(dir)), file, options)
}

// readFile reads a run from a file of one program a line. dir is where files stand, for messages.
func readFile(dir string, files fs.FS, name string, options importer.ProgramOptions) (importer.Run, error) {
	r := reader{Collector: programs.NewCollector(), cells: map[string]string{}}
	return r.finish(path.Join(dir, name), r.lines(dir, files, name), options)
}

// readDir reads a run from a folder: a checkpoint, or one that holds checkpoints or a programs.jsonl. dir is what it
// is called in messages.
func readDir(dir string, files fs.FS, options importer.ProgramOptions) (importer.Run, error) {
	r := reader{Collector: programs.NewCollector(), cells: map[string]string{}}
	return r.finish(dir, r.folder(dir, files), options)
}

func (r *reader) finish(source string, err error, options importer.ProgramOptions) (importer.Run, error) {
	if err == nil && r.Found() == 0 {
		err = r.Nothing(source, "OpenEvolve", ways)
	}
	return r.Run(options), err
}

// lines reads a file of one program a line, and which is the best of them from the list of checkpoints beside it.
func (r *reader) lines(dir string, files fs.FS, name string) error {
	const list = "checkpoints.json"
	if err := r.Lines(dir, files, name, r.program); err != nil {
		return err
	}
	if _, err := fs.Stat(files, list); err != nil || name == list {
		return nil
	}
	latest := -1
	return r.List(dir, files, list, func(o programs.Object, file string) error {
		best, iteration := o.ID("best_program_id"), o.Count("last_iteration")
		if best != "" && iteration != nil && *iteration >= latest {
			latest = *iteration
			r.Best(best, file, "best_program_id")
		}
		return nil
	})
}

// folder reads a checkpoint, or what else of a run stands in a folder.
func (r *reader) folder(dir string, files fs.FS) error {
	there, err := fs.ReadDir(files, ".")
	if err != nil {
		return fmt.Errorf("read %s: %w", dir, err)
	}
	checkpoints := r.checkpointsOf(dir, there)
	switch {
	case programs.IsDir(files, "programs"):
		return r.checkpoints(dir, files, []string{"."})
	case len(checkpoints) > 0:
		return r.checkpoints(dir, files, checkpoints)
	case programs.IsDir(files, "checkpoints"):
		below, err := fs.Sub(files, "checkpoints")
		if err != nil || programs.IsDir(below, "checkpoints") { // links may lead in circles
			return err
		}
		return r.folder(path.Join(dir, "checkpoints"), below)
	}
	for _, name := range []string{"programs.jsonl", "programs.jsonl.gz"} {
		if _, err := fs.Stat(files, name); err == nil {
			return r.lines(dir, files, name)
		}
	}
	return nil
}
