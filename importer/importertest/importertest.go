// Package importertest holds what the tests of all readers share: a readable form of what was read, and ways to
// damage a source.
package importertest

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"track"
	"track/importer"
)

// Reader is the Read of a format.
type Reader func(file string, r io.Reader) iter.Seq2[importer.Item, error]

// Collect reads all items and holds each against what every reader promises.
func Collect(t testing.TB, items iter.Seq2[importer.Item, error]) ([]importer.Item, error) {
	t.Helper()
	var all []importer.Item
	for item, err := range items {
		if err != nil {
			return all, err
		}
		check(t, item)
		all = append(all, item)
	}
	return all, nil
}

func check(t testing.TB, item importer.Item) {
	t.Helper()
	kinds := 0
	for _, is := range []bool{item.Execution != nil, item.Version != nil, item.Event != nil, item.Skip != nil} {
		if is {
			kinds++
		}
	}
	if kinds != 1 || item.File == "" {
		t.Fatalf("an item of %d kinds, from file %q", kinds, item.File)
	}
	switch {
	case item.Skip != nil:
		if item.Skip.Reason == "" || len(item.Skip.Reason) > 1000 || item.Skip.File != item.File {
			t.Fatalf("a skip that says nothing, or too much: %+v", *item.Skip)
		}
	case item.Execution != nil:
		if err := item.Execution.Validate(); err != nil {
			t.Fatalf("%s:%d: not valid: %v", item.File, item.Line, err)
		}
		if item.Execution.Source == "" {
			t.Fatalf("%s:%d: no source", item.File, item.Line)
		}
	}
}

// Executions returns the executions among items.
func Executions(items []importer.Item) []track.Execution {
	var executions []track.Execution
	for _, item := range items {
		if item.Execution != nil {
			executions = append(executions, *item.Execution)
		}
	}
	return executions
}

// Skips returns the skips among items.
func Skips(items []importer.Item) []importer.Skip {
	var skips []importer.Skip
	for _, item := range items {
		if item.Skip != nil {
			skips = append(skips, *item.Skip)
		}
	}
	return skips
}

// Real opens a real log, of those that lie beside the project. Where they do not, the test is skipped.
func Real(t testing.TB, name string) *os.File {
	t.Helper()
	folder := RealFolder(t)
	file, err := os.Open(filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// RealFolder returns the folder of the real logs. Where it is missing, the test is skipped.
func RealFolder(t testing.TB) string {
	t.Helper()
	return realFolder(t, "agents")
}

func realFolder(t testing.TB, kind string) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(folder) != folder; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
	}
	folder = filepath.Join(folder, "..", "shared", "data", kind)
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the real data, in ../shared/data/%s beside the project, is not here", kind)
	}
	return folder
}

// Fixture returns a file of testdata.
func Fixture(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Goldens compares what is read of files of testdata with the file of the same name and .golden.
func Goldens(t *testing.T, read Reader, names ...string) {
	t.Helper()
	for _, name := range names {
		items, err := ReadBytes(t, read, Fixture(t, name))
		if err != nil {
			t.Fatal(err)
		}
		Golden(t, items, name+".golden")
	}
}

// Oddities reads texts, and compares the reasons why parts of each were left out.
func Oddities(t *testing.T, read Reader, texts map[string]string) {
	t.Helper()
	for text, want := range texts {
		items, err := ReadBytes(t, read, []byte(text))
		var skips strings.Builder
		for _, skip := range Skips(items) {
			skips.WriteString("skip " + skip.String() + "\n")
		}
		if skips.String() != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", text, skips.String(), err, want)
		}
	}
}

// Golden compares what was read with a file in testdata; with UPDATE_GOLDEN=1 it writes the file.
func Golden(t *testing.T, items []importer.Item, file string) {
	t.Helper()
	golden(t, Render(items...), file)
}

func golden(t *testing.T, got, file string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}

// Render writes items as text, for people and for comparing.
func Render(items ...importer.Item) string {
	var b strings.Builder
	for _, item := range items {
		switch {
		case item.Skip != nil:
			fmt.Fprintf(&b, "skip %s\n", item.Skip)
		case item.Version != nil:
			renderVersion(&b, item)
		case item.Event != nil:
			e := item.Event
			fmt.Fprintf(&b, "event %s:%d %s at %s from %q%s to %q by %q: %s\n", filepath.Base(item.File), item.Line, e.Kind, stamp(e.At), e.From, value(" ", e.FromScore), e.To, e.Operator, e.Reason)
		default:
			renderExecution(&b, item)
		}
	}
	return b.String()
}

func renderVersion(b *strings.Builder, item importer.Item) {
	v := item.Version
	fmt.Fprintf(b, "version %s:%d %s parent %q by %q status %q created %s%s%s", filepath.Base(item.File), item.Line, v.Name, v.Parent, v.Operator, v.Status, stamp(v.CreatedAt), value(" score ", v.Score), value(" parent_score ", v.ParentScore))
	if v.Content != nil {
		fmt.Fprintf(b, " content of %d bytes", len(*v.Content))
	}
	fmt.Fprintf(b, " note %q\n", v.Note)
}

func renderExecution(b *strings.Builder, item importer.Item) {
	e := item.Execution
	fmt.Fprintf(b, "execution %d %s\n", item.Line, e.Key)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %s: "+format+"\n", append([]any{name}, args...)...)
	}
	line("of", "%s session %q lineage %q version %q task %q %s %s trial %d", e.Source, e.Session, e.Lineage, e.Version, e.Task, e.TaskType, e.Complexity, e.Trial)
	line("status", "%s %q open %v subagent %v truncated %v corrections %d", e.Status, e.Message, item.Open, item.Subagent, e.Truncated, e.Corrections)
	line("when", "%s took %s", stamp(e.StartedAt), took(e.Duration))
	line("model", "%s tokens%s%s%s", e.Model, tokens(e.Tokens), value(" cost ", e.CostUSD), value(" score ", e.Score))
	for _, name := range slices.Sorted(maps.Keys(e.Truths)) {
		line("truth", "%s %v", name, e.Truths[name])
	}
	if e.Prompt != nil {
		line("prompt", "%q", *e.Prompt)
	}
	if e.Output != nil {
		line("output", "%q", *e.Output)
	}
	for _, f := range e.Files {
		line("file", "%s %q", f.Name, f.Content)
	}
	for i, r := range e.Requests {
		line("request", "%d %s%s", i+1, r.Model, tokens(r.Tokens))
	}
	for _, c := range e.Calls {
		renderCall(line, c)
	}
}

func renderCall(line func(name, format string, args ...any), c track.ToolCall) {
	output := "none"
	if c.Output != nil {
		output = fmt.Sprintf("%q", *c.Output)
	}
	request := ""
	if c.Request > 0 {
		request = fmt.Sprintf(" request %d", c.Request)
	}
	line("call", "%s %q%s%s answered %v rejected %v error %q at %s took %s command %q input %s output %s",
		c.Tool, c.Key, request, value(" exit ", c.Exit), c.Answered, c.Rejected, c.Error, stamp(c.StartedAt), took(c.Duration), c.Command, c.Input, output)
}

func tokens(t *track.Tokens) string {
	if t == nil {
		return ""
	}
	return value(" input ", t.Input) + value(" output ", t.Output) + value(" cache_read ", t.CacheRead) + value(" cache_write ", t.CacheWrite) + value(" reasoning ", t.Reasoning)
}

func value[T any](name string, x *T) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%s%v", name, *x)
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func took(d *time.Duration) string {
	if d == nil {
		return "-"
	}
	return d.String()
}

// ReadBytes reads a source that is in memory.
func ReadBytes(t testing.TB, read Reader, text []byte) ([]importer.Item, error) {
	t.Helper()
	return Collect(t, read("f", bytes.NewReader(text)))
}
