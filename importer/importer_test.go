package importer_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"track"
	"track/importer"
	"track/importer/importertest"
)

// echo makes an execution of each line, named by it.
type echo struct{ ended bool }

func (e *echo) DecodeLine(number int, text []byte) ([]importer.Item, error) {
	if bytes.HasPrefix(text, []byte("bad")) {
		return nil, errors.New("bad line")
	}
	return []importer.Item{{Line: number, Execution: &track.Execution{Source: "echo", Status: track.ExecutionOK, Task: importer.Name(string(text))}}}, nil
}

func (e *echo) End() []importer.Item {
	e.ended = true
	return nil
}

func readEcho(t *testing.T, r io.Reader) (string, error) {
	t.Helper()
	decoder := &echo{}
	items, err := importertest.Collect(t, importer.ReadLines(importer.JSONL, "f", r, decoder))
	var got []string
	for _, item := range items {
		if item.Skip != nil {
			got = append(got, item.Skip.String())
		} else {
			got = append(got, item.Execution.Task)
		}
	}
	if !decoder.ended {
		t.Error("the decoder was not told of the end")
	}
	return strings.Join(got, "|"), err
}

func TestReadLines(t *testing.T) {
	text := "\ufeffone\n\n \r\ntwo\r\nbad\nthree"
	const want = "one|two|f:5: bad line|three"
	for name, r := range map[string]io.Reader{
		"at once": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
		"with the last EOF": iotest.DataErrReader(strings.NewReader(text)), "gzip": gzipped(t, text),
	} {
		if got, err := readEcho(t, r); got != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	failure := errors.New("unplugged")
	got, err := readEcho(t, io.MultiReader(strings.NewReader("one\ntw"), iotest.ErrReader(failure)))
	if got != "one" || !errors.Is(err, failure) { // half a line is none
		t.Errorf("broken: %q, %v", got, err)
	}
}

func gzipped(t *testing.T, text string) io.Reader {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

// A line that is too long is left out, with the reason; the next is read.
func TestReadLinesLong(t *testing.T) {
	long := strings.NewReader(strings.Repeat("x", importer.LongestRecord+1) + "\n")
	got, err := readEcho(t, io.MultiReader(long, strings.NewReader("two\n")))
	if got != "f:1: the line is longer than 64 MiB|two" || err != nil {
		t.Errorf("%.100q, %v", got, err)
	}
}

func TestReadLinesStops(t *testing.T) {
	for item := range importer.ReadLines(importer.JSONL, "f", strings.NewReader("one\ntwo\n"), &echo{}) {
		if item.Line != 1 {
			t.Fatal("went on")
		}
		break
	}
}

func TestName(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Bash": "Bash", " a\nb ": "a b", "\x00": "", "a\xffb": "a b",
		strings.Repeat("é", 150): strings.Repeat("é", 98) + "…",
	} {
		got := importer.Name(text)
		if got != want || got != "" && track.CheckName(got) != nil {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestKey(t *testing.T) {
	if got := importer.Key("claude-code", "s", "u"); got != "claude-code:s:u" {
		t.Error(got)
	}
	long := strings.Repeat("x", 300)
	a, b := importer.Key("f", long, "1"), importer.Key("f", long, "2")
	if a == b || track.CheckName(a) != nil || a != importer.Key("f", long, "1") {
		t.Errorf("%q and %q", a, b)
	}
}

func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		`{"b":1, "a":[1.50,"\u00e9"]}`: `{"a":[1.5,"é"],"b":1}`, `9007199254740993`: `9007199254740993`, "*** Begin": "*** Begin", "\xff": "\uFFFD", "": "",
	} {
		if got := importer.CanonicalText(text); got != want || !utf8.ValidString(got) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	if at := importer.Time("2026-03-01T12:00:00+02:00"); !at.Equal(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)) {
		t.Error(at)
	}
	for _, text := range []string{"", "yesterday", "0001-01-01T00:00:00Z", "2026-13-01T00:00:00Z"} {
		if at := importer.Time(text); !at.IsZero() {
			t.Errorf("%q: %v", text, at)
		}
	}
	if d := importer.Seconds(-1); d != nil {
		t.Error(d)
	}
	if d := importer.Seconds(0.1); *d != 100*time.Millisecond {
		t.Error(d)
	}
}

// What one execution holds is bounded: inputs beyond become digests, outputs unknown, calls are left out and said so.
func TestDraftBounds(t *testing.T) {
	d := importer.NewDraft(importer.NewBudget(), 1, track.Execution{Source: "s"})
	big := strings.Repeat("x", 40<<20)
	d.Call(track.ToolCall{Key: "a", Tool: "Bash", Input: big})
	d.Call(track.ToolCall{Key: "b", Tool: "Bash", Input: big})
	d.Answer(d.Find("b"), big, time.Time{})
	for range 100_000 {
		d.Call(track.ToolCall{Tool: "Read"})
	}
	items := d.Close()
	calls := items[0].Execution.Calls
	if len(calls) != 100_000 || calls[0].Input != big || calls[1].Input != importer.LeftOut(big) || calls[1].Output != nil || !calls[1].Answered {
		t.Errorf("%d calls, second input of %d bytes", len(calls), len(calls[1].Input))
	}
	if len(items) != 2 || items[1].Skip == nil || items[1].Skip.Reason != "the execution has too many tool calls: 2 after the first 100000 were left out" {
		t.Errorf("%+v", items[1:])
	}
}
