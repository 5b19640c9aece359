package exchange

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"

	"track/importer"
	"track/importer/dgm"
	"track/importer/gepa"
)

// deepestRun is how many folders below a path a run may be.
const deepestRun = 3

// FoundRun is a run of another evolver.
type FoundRun struct {
	Format ProgramFormat
	Path   string
}

// FindPrograms finds runs of other evolvers: paths that are one, and folders below them. rest are the paths that are no
// run themselves, in which there may be other logs.
func FindPrograms(paths []string) (runs []FoundRun, rest []string) {
	for _, path := range paths {
		if f, found := programFormat(path); found {
			runs = append(runs, FoundRun{f, path})
			continue
		}
		rest = append(rest, path)
		runs = append(runs, runsBelow(path, deepestRun)...)
	}
	return runs, rest
}

func runsBelow(folder string, depth int) (runs []FoundRun) {
	entries, err := os.ReadDir(folder)
	if err != nil || depth == 0 {
		return nil
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if isFile := !entry.IsDir(); isFile && !slices.Contains([]string{".bin", ".pkl", ".pickle", ".json"}, filepath.Ext(path)) {
			continue // of other files, only those that are named are looked into
		}
		if f, found := programFormat(path); found {
			runs = append(runs, FoundRun{f, path})
		} else {
			runs = append(runs, runsBelow(path, depth-1)...)
		}
	}
	return runs
}

// programFormat returns the format of the run at a path; found is false if there is none.
func programFormat(path string) (f ProgramFormat, found bool) {
	name := ""
	switch has := func(pattern ...string) bool {
		matches, err := filepath.Glob(filepath.Join(append([]string{path}, pattern...)...))
		return err == nil && len(matches) > 0
	}; {
	case filepath.Base(path) == gepa.StateFile, has(gepa.StateFile):
		name = "gepa"
	case has("checkpoint_*", "programs"), has("checkpoints", "checkpoint_*", "programs"), has("programs", "*.json"):
		name = "openevolve"
	case has("programs.jsonl"):
		name = formatOfLines(filepath.Join(path, "programs.jsonl"))
	case filepath.Base(path) == "programs.jsonl":
		name = formatOfLines(path)
	case has("dgm_metadata.jsonl"), has("initial", dgm.MetadataFile), hasAgents(path):
		name = "dgm"
	default:
		name = formatOfFile(path)
	}
	formats := ProgramFormats()
	i := slices.IndexFunc(formats, func(f ProgramFormat) bool { return f.Name == name })
	if i < 0 {
		return f, false
	}
	return formats[i], true
}

// hasAgents reports whether a folder holds a folder for each agent of DGM, even without the first one.
func hasAgents(path string) bool {
	files, err := filepath.Glob(filepath.Join(path, "*", dgm.MetadataFile))
	return err == nil && len(files) > 0 && formatOfFile(files[0]) == "dgm"
}

// formatOfFile returns the format of a run that one file is, whatever its name: a pickle with the candidates of GEPA,
// or the metadata of an agent of DGM; empty for any other file.
func formatOfFile(path string) string {
	const enough = 64 << 10 // the candidates come first in a state; metadata is short
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	begin, err := io.ReadAll(io.LimitReader(file, enough))
	switch {
	case err != nil || len(begin) == 0:
		return ""
	case begin[0] == pickleMark && bytes.Contains(begin, []byte("program_candidates")):
		return "gepa"
	case begin[0] == '{' && bytes.Contains(begin, []byte(`"overall_performance"`)) && bytes.Contains(begin, []byte(`"accuracy_score"`)):
		return "dgm"
	}
	return ""
}

// pickleMark is the first byte of a pickle since its second version: the operation that names the version.
const pickleMark = 0x80

// formatOfLines tells programs of OpenEvolve from those of Shinka by the first line; empty for neither.
func formatOfLines(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	line, _, err := importer.ReadLine(bufio.NewReader(file))
	switch {
	case err != nil && len(line) == 0:
		return ""
	case bytes.Contains(line, []byte(`"patch_type"`)), bytes.Contains(line, []byte(`"correct"`)), bytes.Contains(line, []byte(`"parent_candidates"`)):
		return "shinka"
	case bytes.Contains(line, []byte(`"metrics"`)):
		return "openevolve"
	}
	return ""
}
