package sepa

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

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

// versionName is how the versions of a prompt are called.
var versionName = regexp.MustCompile(`^v\d{1,9}[\w.-]{0,50}$`)

// parseScores finds the versions in a scores.yaml, wherever they stand, in their order. What cannot be used is among
// the items.
func parseScores(text []byte) []importer.Item {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		items := []importer.Item{importer.Skipf(0, "not YAML: %v: its versions are looked for line by line", err)}
		return append(items, scanScores(string(text))...)
	}
	var items []importer.Item
	walk(&document, nil, &items)
	return items
}

func walk(node *yaml.Node, path []string, items *[]importer.Item) {
	const deepest = 20
	if len(path) > deepest {
		return
	}
	if node.Kind != yaml.MappingNode {
		for _, child := range node.Content {
			walk(child, path, items)
		}
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if fields := scalars(value); versionName.MatchString(key.Value) && isVersion(fields) {
			version := newVersion(key.Value, fields)
			if len(path) != 1 || path[0] != "versions" {
				version.Note = strings.TrimSpace(version.Note + " (stood under " + strings.Join(append(path, ""), ".") + key.Value + ")")
			}
			*items = append(*items, importer.Item{Line: key.Line, Version: &version})
			continue
		}
		walk(value, append(path[:len(path):len(path)], importer.Name(key.Value)), items)
	}
}

func scalars(node *yaml.Node) map[string]string {
	fields := map[string]string{}
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if value := node.Content[i+1]; value.Kind == yaml.ScalarNode && value.Tag != "!!null" {
			fields[node.Content[i].Value] = value.Value
		} else if value.Kind == yaml.ScalarNode {
			fields[node.Content[i].Value] = ""
		}
	}
	return fields
}

func isVersion(fields map[string]string) bool {
	_, scored := fields["score"]
	_, created := fields["created"]
	_, parent := fields["parent"]
	return scored || created || parent
}

func newVersion(name string, fields map[string]string) importer.Version {
	return importer.Version{
		Name: name, Parent: versionNamed(fields["parent"]), Operator: importer.Name(fields["mutation"]), Score: score(fields["score"]),
		ParentScore: score(fields["parent_score"]), Status: importer.Name(fields["status"]), Note: fields["notes"],
		CreatedAt: importer.Time(fields["created"]),
	}
}

// versionNamed returns a name if it can be that of a version.
func versionNamed(text string) string {
	if strings.ContainsAny(text, "[]{}, ") {
		return ""
	}
	return importer.Name(text)
}

func score(text string) *float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

var (
	yamlKey   = regexp.MustCompile(`^(\s*)(v\d{1,9}[\w.-]{0,50}):\s*$`)
	yamlField = regexp.MustCompile(`^(\s*)(\w{1,50}):\s+"?([^"#]*?)"?\s*(?:#.*)?$`)
)

// scanScores finds versions in a text that is no YAML as a whole: a line with a name, and the fields that are
// indented deeper below it.
func scanScores(text string) []importer.Item {
	var items []importer.Item
	name, at, indent := "", 0, ""
	fields := map[string]string{}
	end := func() {
		if name != "" && isVersion(fields) {
			version := newVersion(name, fields)
			items = append(items, importer.Item{Line: at, Version: &version})
		} else if name != "" {
			items = append(items, importer.Skipf(at, "%s has no field of a version", name))
		}
		name, fields = "", map[string]string{}
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if key := yamlKey.FindStringSubmatch(line); key != nil {
			end()
			name, at, indent = key[2], number, key[1]
		} else if field := yamlField.FindStringSubmatch(line); field != nil && name != "" && len(field[1]) > len(indent) {
			if value := field[3]; value != "null" && value != "~" {
				fields[field[2]] = value
			} else {
				fields[field[2]] = ""
			}
		} else if strings.TrimSpace(line) != "" {
			end()
		}
	}
	end()
	return items
}

// sizeError says that a file is larger than what it should hold.
func sizeError(most int) error { return fmt.Errorf("larger than %d MiB", most>>20) }
