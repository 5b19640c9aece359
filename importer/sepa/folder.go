package sepa

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"regexp"
	"track"
	"track/importer"
)

const largestText = 16 << 20 // bytes of a version, or of a file of scores

// ReadDir reads a folder, or the folder memory in it: first the versions, then what happened to them, then the logs.
// dir stands in items and errors. A file that is damaged does not keep the others from being read.
func ReadDir(dir string, files fs.FS) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		f := folder{dir: dir, files: files, yield: yield}
		if err := f.read(); err != nil && !f.stopped {
			yield(importer.Item{File: f.dir}, err)
		}
	}
}

// Files returns the names of the files that [ReadDir] reads in a folder, not of those in a folder below it that is
// called memory; none where the folder holds neither logs nor scores nor versions.
func Files(files fs.FS) []string {
	f := folder{files: files, yield: func(importer.Item, error) bool { return true }}
	names, err := f.list()
	if err != nil {
		return nil
	}
	var list []string
	for _, name := range names {
		if logName.MatchString(name) || name == "scores.yaml" {
			list = append(list, name)
		}
	}
	list = slices.AppendSeq(list, maps.Values(f.versionFiles(names)))
	if len(list) == 0 {
		return nil
	}
	for _, name := range []string{"evolution-log.md", "context.md"} {
		if slices.Contains(names, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

type folder struct {
	dir     string
	files   fs.FS
	yield   func(importer.Item, error) bool
	stopped bool
}

var logName = regexp.MustCompile(`^(executions|observations)[\w.-]*\.jsonl$`)

func (f *folder) read() error {
	names, err := f.list()
	if err != nil {
		return fmt.Errorf("read %s: %w", f.dir, err)
	}
	logs := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !logName.MatchString(name) })
	if len(logs) == 0 && !slices.Contains(names, "scores.yaml") && !slices.Contains(names, "versions") {
		if slices.Contains(names, "memory") {
			return f.memory()
		}
		return track.WithHint(
			&track.FieldError{File: f.dir, Message: "no folder of SEPA: it has no executions.jsonl, observations.jsonl, scores.yaml or versions"}, track.Hint{Text: "name the folder that holds these files"})

	}
	f.versions(names)
	f.text("evolution-log.md", names, parseLog)
	f.text("context.md", names, parseContext)
	for _, name := range logs {
		f.log(name)
	}
	return nil
}

func (f *folder) list() ([]string, error) {
	entries, err := fs.ReadDir(f.files, ".")
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, err
}

func (f *folder) memory() error {
	files, err := fs.Sub(f.files, "memory")
	if err != nil {
		return fmt.Errorf("read %s: %w", f.dir, err)
	}
	below := folder{dir: path.Join(f.dir, "memory"), files: files, yield: f.yield}
	if names, err := below.list(); err == nil && slices.Contains(names, "memory") && len(names) == 1 {
		return fmt.Errorf("read %s: a memory within a memory", f.dir)
	}
	err = below.read()
	f.stopped = below.stopped
	return err
}

// versions puts together what scores.yaml says and what the files hold.
func (f *folder) versions(names []string) {
	found := map[string]importer.Item{}
	if slices.Contains(names, "scores.yaml") {
		f.text("scores.yaml", names, func(text string) []importer.Item {
			return slices.DeleteFunc(parseScores([]byte(text)), func(item importer.Item) bool {
				if item.Version != nil {
					found[item.Version.Name] = item.In(path.Join(f.dir, "scores.yaml"))
				}
				return item.Version != nil
			})
		})
	}
	contents := f.versionFiles(names)
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		file := contents[name]
		content, ok := f.load(file)
		if !ok {
			continue
		}
		item := found[name]
		if item.Version == nil {
			item = importer.Item{File: path.Join(f.dir, file), Version: &importer.Version{Name: name}}
		}
		item.Version.Content = &content
		found[name] = item
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		f.pass(found[name])
	}
}

// versionFiles returns the files of versions, by the name of the version.
func (f *folder) versionFiles(names []string) map[string]string {
	files := map[string]string{}
	add := func(file, base string) {
		if name, ok := strings.CutSuffix(base, ".md"); ok && importer.Name(name) == name && name != "" {
			files[name] = file
		}
	}
	for _, name := range names {
		if base, ok := strings.CutPrefix(name, "versions-"); ok {
			add(name, base)
		}
	}
	if slices.Contains(names, "versions") {
		entries, err := fs.ReadDir(f.files, "versions")
		if err != nil {
			f.pass(importer.Skipf(0, "%v", err).In(path.Join(f.dir, "versions")))
		}
		for _, entry := range entries {
			add(path.Join("versions", entry.Name()), entry.Name())
		}
	}
	return files
}

// text hands a file, if it is there, to a parser.
func (f *folder) text(name string, names []string, parse func(string) []importer.Item) {
	if !slices.Contains(names, name) {
		return
	}
	if content, ok := f.load(name); ok {
		for _, item := range parse(content) {
			f.pass(item.In(path.Join(f.dir, name)))
		}
	}
}

func (f *folder) load(name string) (content string, ok bool) {
	file, err := f.files.Open(name)
	if err == nil {
		defer file.Close()
		var raw []byte
		if raw, err = io.ReadAll(io.LimitReader(file, largestText+1)); err == nil && len(raw) > largestText {
			err = sizeError(largestText)
		}
		content = strings.ToValidUTF8(string(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))), "\uFFFD")
	}
	if err != nil {
		f.pass(importer.Skipf(0, "%v", err).In(path.Join(f.dir, name)))
		return "", false
	}
	return content, true
}

func (f *folder) log(name string) {
	file, err := f.files.Open(name)
	if err != nil {
		f.pass(importer.Skipf(0, "%v", err).In(path.Join(f.dir, name)))
		return
	}
	defer file.Close()
	for item, err := range Read(path.Join(f.dir, name), file) {
		if err != nil {
			item = importer.Skipf(item.Line, "%v", err).In(path.Join(f.dir, name))
		}
		if !f.pass(item) {
			return
		}
	}
}

func (f *folder) pass(item importer.Item) bool {
	f.stopped = f.stopped || !f.yield(item, nil)
	return !f.stopped
}
