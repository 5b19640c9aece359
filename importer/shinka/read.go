package shinka

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"track"
	"track/importer"
	"track/importer/programs"
)

const ways = "name a programs.jsonl with one program a line"

// Read reads the run at a path: a file of one program a line, or the folder of a programs.jsonl. Beside an error, the
// run says what was skipped.
func Read(name string, options importer.ProgramOptions) (importer.Run, error) {
	info, err := programs.Stat(name)
	if err != nil {
		return importer.Run{}, err
	}
	if info.IsDir() {
		name = filepath.Join(name, "programs.jsonl")
		if _, err := programs.Stat(name); err != nil {
			return importer.Run{}, track.WithHint(err, track.Hint{Text: ways})
		}
	}
	dir, file := filepath.Split(name)
	return readFile(dir, os.DirFS(filepath.Clean(dir)), file, options)
}

// readFile reads a run from a file of one program a line. dir is where files stand, for messages.
func readFile(dir string, files fs.FS, name string, options importer.ProgramOptions) (importer.Run, error) {
	r := reader{programs.NewCollector()}
	err := r.Lines(dir, files, name, r.program)
	if err == nil && r.Found() == 0 {
		err = r.Nothing(path.Join(dir, name), "Shinka", ways)
	}
	return r.Run(options), err
}
