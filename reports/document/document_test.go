package document_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/reports/chart"
	"track/reports/document"
)

var options = document.MarkdownOptions{PictureDir: "report files/", Suffix: ".svg"}

// writers are those of documents, by the suffixes of their files.
var writers = map[string]func(document.Document, io.Writer) error{
	"md":   func(d document.Document, w io.Writer) error { return d.Markdown(w, options) },
	"html": document.Document.HTML,
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// written are the bytes of a document, which are the same each time.
func written(t failer, suffix string, d document.Document) string {
	t.Helper()
	var b, again bytes.Buffer
	if err := errors.Join(writers[suffix](d, &b), writers[suffix](d, &again)); err != nil {
		t.Fatalf("%v", err)
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Fatalf("the same document gave different bytes")
	}
	return b.String()
}

// Goldens leave out the style, which is the same in all of them.
func TestGolden(t *testing.T) {
	style, err := os.ReadFile("style.css")
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range documents() {
		for suffix := range writers {
			t.Run(name+"."+suffix, func(t *testing.T) {
				got := strings.Replace(written(t, suffix, d), string(style), "", 1)
				path := filepath.Join("testdata", name+"."+suffix)
				if os.Getenv("UPDATE_GOLDEN") != "" {
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
					t.Errorf("%s (UPDATE_GOLDEN=1 writes it; look at it): %s", path, diff)
				}
			})
		}
	}
}

func TestPictures(t *testing.T) {
	var names []string
	for _, p := range rich().Pictures() {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"scores", "metrics", "noise"}, names); diff != "" {
		t.Error(diff)
	}
}

// What is not right is refused before a byte is written.
func TestRefused(t *testing.T) {
	line := chart.Line{}
	for want, b := range map[string]document.Block{
		`two pictures are called "a"`:   document.Details{Blocks: []document.Block{document.Picture{Name: "a", Chart: line}, document.Note{Kind: document.NoteInfo, Blocks: []document.Block{document.Picture{Name: "a", Chart: line}}}}},
		`picture "../a": a name has`:    document.Picture{Name: "../a", Chart: line},
		`picture "a" has no chart`:      document.Picture{Name: "a"},
		`level 1 is not`:                document.Heading{Level: 1},
		`row 1 has 1 cells for 2`:       document.Table{Columns: make([]document.Column, 2), Rows: [][]document.Text{{nil}}},
		`table without columns`:         document.Table{},
		`unknown kind of note ""`:       document.Note{},
		`unknown block *document.Table`: &document.Table{},
		`document "T": unknown block`:   nil,
	} {
		for suffix, write := range writers {
			var out bytes.Buffer
			err := write(document.Document{Title: "T", Blocks: []document.Block{b}}, &out)
			if err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
				t.Errorf("%s: %v and %d bytes, want %q", suffix, err, out.Len(), want)
			}
		}
	}
}

// A writer that fails is not taken for one that has written.
func TestWriteError(t *testing.T) {
	for suffix, write := range writers {
		if err := write(rich(), full{}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", suffix, err)
		}
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// What writing allocates grows with the rows, not with their square.
func TestManyRows(t *testing.T) {
	for suffix, write := range writers {
		allocated := func(rows int) uint64 {
			d := document.Document{Title: "Many", Blocks: []document.Block{ledger(rows)}}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := write(d, io.Discard); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		if few, many := allocated(1_000), allocated(10_000); many > 20*few {
			t.Errorf("%s: %d bytes for 1,000 rows, %d for 10,000", suffix, few, many)
		}
	}
}

// A page needs no font of pictures for the signs of verdicts; Markdown has the pictures of code hosts.
func TestSigns(t *testing.T) {
	d := document.Document{Title: "t", Blocks: []document.Block{document.Paragraph{Text: document.Text{{Text: "❌", Style: document.SignFail}, {Text: " FAIL"}}}}}
	for format, want := range map[string]string{"md": "\n❌ FAIL\n", "html": `<p><span class="sign fail" aria-hidden="true">✗</span>&nbsp;FAIL</p>`} {
		var b strings.Builder
		if err := writers[format](d, &b); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%v: no %q in %s", err, want, &b)
		}
	}
}
