// Package formats finds the reader of a format.
package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"track"
	"track/importer"
	"track/importer/atif"
	"track/importer/claudecode"
	"track/importer/claudehooks"
	"track/importer/codex"
	"track/importer/inspect"
	"track/importer/lines"
	"track/importer/messages"
	"track/importer/openhands"
	"track/importer/otlp"
	"track/importer/sepa"
	"track/importer/sweagent"
	"track/importer/taubench"
)

// reader reads a log. file stands in items and errors.
type reader func(file string, r io.Reader) iter.Seq2[importer.Item, error]

var readers = map[string]reader{
	importer.ClaudeCode:  claudecode.Read,
	importer.ClaudeHooks: claudehooks.Read,
	importer.Codex:       codex.Read,
	importer.TauBench:    taubench.Read,
	importer.Inspect:     inspect.Read,
	importer.SEPA:        sepa.Read,
	importer.JSONL:       lines.ReadExecutions,
	importer.ATIF:        atif.Read,
	importer.SWEAgent:    sweagent.Read,
	importer.OpenHands:   openhands.Read,
	importer.Messages:    messages.Read,
	importer.OTLP:        otlp.Read,
}

// read reads a stream in the format that is named, or, where the name is empty, in the one that it begins like.
func read(format, file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		unzipped, err := importer.Decompress(r)
		if err != nil {
			yield(importer.Item{File: file}, fmt.Errorf("read %s: %w", file, err))
			return
		}
		head, _ := unzipped.Peek(64 << 10) // an error comes again with the first read
		if len(head) == 0 && format == "" {
			format = importer.JSONL // nothing to read, in any format
		}
		reader, err := readerOf(format, file, head)
		if err != nil {
			yield(importer.Item{File: file}, err)
			return
		}
		reader(file, unzipped)(yield)
	}
}

func readerOf(format, file string, head []byte) (reader, error) {
	if reader := readers[format]; reader != nil {
		return reader, nil
	}
	if format != "" {
		return nil, unknown(file, fmt.Sprintf("track reads no format %q", format))
	}
	detected := importer.Detect(file, head)
	if detected == "" {
		return nil, unknown(file, "does not look like any log that track reads")
	}
	return readers[detected], nil
}

// ReadPath is [read] of a file, or of the folder of a SEPA.
func ReadPath(format, path string) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(importer.Item{File: path}, notFound(path, err))
			return
		}
		defer file.Close()
		info, err := file.Stat()
		switch {
		case err != nil:
			yield(importer.Item{File: path}, fmt.Errorf("read %s: %w", path, err))
		case info.IsDir() && (format == importer.SEPA || format == ""):
			sepa.ReadDir(path, os.DirFS(path))(yield)
		case info.IsDir():
			err := &track.FieldError{File: path, Message: "is a folder"}
			yield(importer.Item{File: path}, track.WithHint(err, track.NewHint("name the files in it, or import it as the folder of a SEPA", "import sepa")))
		case isZip(file) && (format == importer.Inspect || format == ""):
			inspect.ReadZip(path, file, info.Size())(yield)
		default:
			read(format, path, file)(yield)
		}
	}
}

func isZip(file io.ReaderAt) bool {
	magic := make([]byte, 4)
	_, err := file.ReadAt(magic, 0)
	return err == nil && string(magic) == "PK\x03\x04"
}

func notFound(path string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, track.ErrNotFound)
	}
	return err
}

func unknown(file, message string) error {
	return track.WithHint(&track.FieldError{File: file, Message: message}, track.Hint{Text: "formats: " + strings.Join(Names(), ", ")})
}

// Names returns the names of the formats.
func Names() (names []string) {
	for _, format := range importer.Formats() {
		names = append(names, format.Name)
	}
	return names
}

// mostProbed bounds the damaged parts that are read of a source until it counts as one of another format.
const mostProbed = 1000

// probe reads a source until something in it is of its format, and returns what is wrong with the first part if nothing
// is.
func probe(items iter.Seq2[importer.Item, error]) (problem error) {
	skipped := 0
	for item, err := range items {
		switch {
		case err != nil:
			if problem == nil {
				problem = err
			}
			return problem
		case item.Skip == nil:
			return nil
		case problem == nil:
			problem = &track.FieldError{Line: item.Line, Field: item.Skip.Field, Message: item.Skip.Reason}
		}
		if skipped++; skipped == mostProbed {
			break
		}
	}
	return problem
}

// nothingOf is the error of a file in which nothing is of the format that is named.
func nothingOf(format, path string, problem error) error {
	for _, f := range importer.Formats() {
		if f.Name == format {
			return &track.FieldError{File: path, Message: fmt.Sprintf("this is not %s: %v", f.Title, problem)}
		}
	}
	return problem
}

// CheckStream returns a stream as a source, or why it is none. It looks at the beginning; a short one is read as a
// whole.
func CheckStream(format, name string, r io.Reader) (Source, error) {
	unzipped, err := importer.Decompress(r)
	if err != nil {
		return Source{}, fmt.Errorf("read %s: %w", name, err)
	}
	const headSize = 64 << 10
	head, end := unzipped.Peek(headSize)
	source := Source{Path: name, Format: format, Files: 1, stream: unzipped}
	switch found := importer.Detect(name, head); {
	case len(head) == 0, found != "":
	case format == "":
		return source, unknown(name, "does not look like any log that track reads")
	case end != nil: // that is all
		if problem := probe(read(format, name, bytes.NewReader(head))); problem != nil {
			return source, nothingOf(format, name, problem)
		}
	}
	return source, nil
}

// Source is a file, or the folder of a SEPA, in a format that track reads.
type Source struct {
	Path   string
	Format string
	Size   int64 // bytes, as they lie on the disk
	Files  int
	folder bool
	stream io.Reader // what to read in place of the file; nil for the file
}

// Passed is a file that was found and is no source.
type Passed struct {
	Path  string
	Err   error // why, naming the file
	Named bool  // it was asked for by its name, and not found in a folder
}

// Find lists the sources among paths: files, folders with all that is below them, and patterns such as logs/*.jsonl,
// in the order of the paths and, below a folder, of the names. Where a format is named, those of it: a file that is
// named is one unless it is clearly of another format. An error ends the search: a path that is not there, or cannot
// be read.
func Find(format string, paths []string) ([]Source, []Passed, error) {
	f := finder{format: format, seen: map[string]bool{}}
	for _, path := range paths {
		if err := f.path(path); err != nil {
			return nil, nil, err
		}
	}
	return f.sources, f.passed, nil
}

type finder struct {
	format  string
	sources []Source
	passed  []Passed
	seen    map[string]bool
}

func (f *finder) path(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?[") {
		return f.pattern(path)
	}
	switch {
	case err != nil:
		return notFound(path, err)
	case info.IsDir():
		return f.folder(path)
	}
	return f.file(path, info, true)
}

// pattern finds what a pattern that no shell expanded stands for.
func (f *finder) pattern(pattern string) error {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return &track.FieldError{File: pattern, Message: err.Error()}
	}
	if len(paths) == 0 {
		return fmt.Errorf("%w: no file is named like %s", track.ErrNotFound, pattern)
	}
	for _, path := range paths {
		if err := f.path(path); err != nil {
			return err
		}
	}
	return nil
}

// folder finds what is below a folder, which may be a link.
func (f *finder) folder(root string) error {
	before := len(f.sources)
	sepas := map[string]bool{} // their files are read together
	err := filepath.WalkDir(strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		path = filepath.Clean(path)
		switch {
		case err != nil && path == filepath.Clean(root):
			return fmt.Errorf("read %s: %w", path, err)
		case err != nil: // a folder that cannot be read does not keep the others from it
			f.passed = append(f.passed, Passed{Path: path, Err: err})
			return nil
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			return f.sepaFolder(path, sepas)
		case sepas[path]:
			return nil
		}
		info, err := os.Stat(path) // of what a link leads to
		if err != nil || !info.Mode().IsRegular() {
			return nil // a link that leads nowhere, a pipe, a link to a folder, which may lead back
		}
		return f.file(path, info, false)
	})
	if err == nil && f.format == importer.SEPA && len(f.sources) == before {
		for _, err := range sepa.ReadDir(root, os.DirFS(root)) {
			return err
		}
	}
	return err
}

// sepaFolder takes a folder as that of a SEPA, if it is one, and notes the files that belong to it.
func (f *finder) sepaFolder(path string, sepas map[string]bool) error {
	if f.format != "" && f.format != importer.SEPA || sepas[path] {
		return nil
	}
	files := sepa.Files(os.DirFS(path))
	isOne := false
	source := Source{Path: path, Format: importer.SEPA, Files: len(files), folder: true}
	for _, name := range files {
		file := filepath.Join(path, filepath.FromSlash(name))
		info, err := os.Stat(file)
		if err != nil {
			continue
		}
		source.Size += info.Size()
		if found, err := detect(file); name == "scores.yaml" || err == nil && found == importer.SEPA {
			isOne = true
		}
	}
	if !isOne || !f.first(path) {
		return nil
	}
	for _, name := range files {
		sepas[filepath.Join(path, filepath.FromSlash(name))] = true
	}
	f.sources = append(f.sources, source)
	return nil
}

// first says whether a path was not met before.
func (f *finder) first(path string) bool {
	path = filepath.Clean(path)
	before := f.seen[path]
	f.seen[path] = true
	return !before
}

func (f *finder) file(path string, info fs.FileInfo, named bool) error {
	if !f.first(path) || !named && info.Size() == 0 {
		return nil
	}
	if !info.Mode().IsRegular() { // a pipe can be read once
		f.sources = append(f.sources, Source{Path: path, Format: f.format, Files: 1})
		return nil
	}
	found, err := detect(path)
	if err != nil {
		if named {
			return notFound(path, err)
		}
		f.passed = append(f.passed, Passed{Path: path, Err: err})
		return nil
	}
	source := Source{Path: path, Format: found, Size: info.Size(), Files: 1}
	switch {
	case info.Size() == 0:
		source.Format = f.format
	case named && f.format != "" && found == "":
		if err := probe(ReadPath(f.format, path)); err != nil {
			f.passed = append(f.passed, Passed{path, nothingOf(f.format, path, err), named})
			return nil
		}
		source.Format = f.format
	case found != "" && (f.format == "" || found == f.format):
	case found == "":
		if named || f.format == "" || looksLikeLog(path) {
			f.passed = append(f.passed, Passed{path, unknown(path, "does not look like any log that track reads"), named})
		}
		return nil
	case named:
		f.passed = append(f.passed, Passed{path, importer.RefuseFormat(f.format, found, path), true})
		return nil
	default: // a folder may hold logs of all kinds
		return nil
	}
	f.sources = append(f.sources, source)
	return nil
}

// looksLikeLog says whether a name ends as those of logs do.
func looksLikeLog(path string) bool {
	return slices.Contains([]string{".jsonl", ".json", ".eval", ".ndjson"}, filepath.Ext(strings.TrimSuffix(path, ".gz")))
}

// detect returns the format that a file begins like; the empty string where that is not clear.
func detect(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	unzipped, err := importer.Decompress(file)
	if err != nil {
		return "", nil // it says that it is gzip, and is not
	}
	head, err := unzipped.Peek(64 << 10)
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return importer.Detect(path, head), nil
}

// read reads a source, and tells count how many bytes of it were read.
func (s Source) Read(count func(n int)) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		if s.folder {
			sepa.ReadDir(s.Path, os.DirFS(s.Path))(yield)
			count(int(s.Size))
			return
		}
		if s.stream != nil {
			read(s.Format, s.Path, counter{s.stream, count})(yield)
			return
		}
		file, err := os.Open(s.Path)
		if err != nil {
			yield(importer.Item{File: s.Path}, notFound(s.Path, err))
			return
		}
		defer file.Close()
		if s.Format == importer.Inspect && s.Size > 0 && isZip(file) {
			inspect.ReadZip(s.Path, file, s.Size)(yield)
			count(int(s.Size))
			return
		}
		read(s.Format, s.Path, counter{file, count})(yield)
	}
}

type counter struct {
	io.Reader
	count func(n int)
}

func (c counter) Read(buffer []byte) (int, error) {
	n, err := c.Reader.Read(buffer)
	c.count(n)
	return n, err
}
