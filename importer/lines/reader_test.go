package lines_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/importer/lines"
)

// brief is a record in short: "1 s 7", or "2 field: message".
func brief(r lines.Record) string {
	if r.Err != nil {
		text, _, _ := strings.Cut(r.Err.Error(), " within ") // the JSON package varies its words
		text, _, _ = strings.Cut(text, " in ")
		text, _, _ = strings.Cut(text, " at ")
		return text
	}
	return fmt.Sprint(r.Line, " ", r.Seed.Scenario, " ", r.Seed.Number)
}

func readAll(t *testing.T, r io.Reader) (records []string, err error) {
	t.Helper()
	for record, readErr := range lines.Read("f.jsonl", r) {
		if err = readErr; err != nil {
			records = append(records, fmt.Sprint(record.Line, " broken"))
			break
		}
		records = append(records, brief(record))
	}
	return records, err
}

func seedLine(n int) string {
	return fmt.Sprintf(`{"kind":"seed","scenario":"s","seed":"%d","values":{"m":1}}`, n)
}

func TestRead(t *testing.T) {
	text := "\ufeff" + seedLine(1) + "\n\n \t\r\n" + seedLine(2) + "\r\nnot json\n" + seedLine(3) + "\n\ufeff" + seedLine(4) + "\n" + seedLine(5)
	want := []string{
		"1 s 1", "4 s 2", "f.jsonl:5: not JSON: invalid character 'o'", "6 s 3",
		"f.jsonl:7: not JSON: invalid character '\\ufeff'", "8 s 5",
	}
	for name, r := range map[string]io.Reader{
		"at once":           strings.NewReader(text),
		"byte by byte":      iotest.OneByteReader(strings.NewReader(text)),
		"with the last EOF": iotest.DataErrReader(strings.NewReader(text)),
	} {
		got, err := readAll(t, r)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
	for _, empty := range []string{"", "\n", "\n\n \n", "\ufeff"} {
		if got, err := readAll(t, strings.NewReader(empty)); len(got) > 0 || err != nil {
			t.Errorf("%q: %q, %v, want nothing", empty, got, err)
		}
	}
}

// What follows the last line break of a broken stream is no line: it may be half of one.
func TestReadBroken(t *testing.T) {
	for _, failure := range []error{errors.New("unplugged"), io.ErrUnexpectedEOF} {
		r := io.MultiReader(strings.NewReader(seedLine(1)+"\n"+seedLine(2)), iotest.ErrReader(failure))
		got, err := readAll(t, r)
		if diff := cmp.Diff([]string{"1 s 1", "2 broken"}, got); diff != "" || !errors.Is(err, failure) {
			t.Errorf("error %v, want %v (-want +got):\n%s", err, failure, diff)
		}
		if err != nil && !strings.Contains(err.Error(), "f.jsonl") {
			t.Errorf("%v does not name the file", err)
		}
	}
}

func TestReadStops(t *testing.T) {
	for record := range lines.Read("f", strings.NewReader(seedLine(1)+"\n"+seedLine(2)+"\n")) {
		if record.Line != 1 {
			t.Fatal("went on")
		}
		break
	}
}

// A loop over sent lines that ends early leaves the rest to the next one.
func TestReadSentGoesOn(t *testing.T) {
	sent := lines.ReadSent(strings.NewReader("{}\n\n{}\n{}"))
	var got []int
	for range 4 {
		for record, err := range sent {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, record.Line)
			break
		}
	}
	if diff := cmp.Diff([]int{1, 3, 4}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// A line may be longer than the buffer, up to 64 MiB; one that is longer is reported, and the next is read.
func TestReadLongLines(t *testing.T) {
	const limit = 64 << 20
	long := func(size int) io.Reader {
		head := `{"kind":"seed","scenario":"s","seed":"7","outcome":"error","message":"`
		tail := `"}` + "\n"
		return io.MultiReader(strings.NewReader(head), &filler{left: size - len(head) - len(tail)}, strings.NewReader(tail))
	}
	for _, tt := range []struct {
		size int
		want string
	}{
		{1<<20 - 1, "1 s 7"}, {1 << 20, "1 s 7"}, {1<<20 + 1, "1 s 7"}, {3 << 20, "1 s 7"},
		{limit, "1 s 7"}, {limit + 1, "f.jsonl:1: the line is longer than 64 MiB"}, {limit + 3<<20, "f.jsonl:1: the line is longer than 64 MiB"},
	} {
		got, err := readAll(t, io.MultiReader(long(tt.size), strings.NewReader(seedLine(8))))
		if diff := cmp.Diff([]string{tt.want, "2 s 8"}, got); diff != "" || err != nil {
			t.Errorf("%d bytes: error %v (-want +got):\n%s", tt.size, err, diff)
		}
	}
}

// filler is a stream of the letter x.
type filler struct{ left int }

func (f *filler) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), f.left)
	copy(p, bytes.Repeat([]byte{'x'}, n))
	f.left -= n
	return n, nil
}

// repeated repeats a line n times.
type repeated struct {
	line []byte
	n    int
	rest []byte
}

func (l *repeated) Read(p []byte) (int, error) {
	total := 0
	for total < len(p) {
		if len(l.rest) == 0 {
			if l.n == 0 {
				break
			}
			l.n--
			l.rest = l.line
		}
		n := copy(p[total:], l.rest)
		l.rest = l.rest[n:]
		total += n
	}
	if total == 0 {
		return 0, io.EOF
	}
	return total, nil
}

const largeFile = 30 << 20

// What Read holds in memory does not grow with the file.
func TestReadMemory(t *testing.T) {
	values := strings.Repeat(`"a_metric_with_a_name_%d":0.07123456789,`, 66)
	for i := range 66 {
		values = strings.Replace(values, "%d", fmt.Sprint(i), 1)
	}
	line := []byte(`{"kind":"seed","scenario":"s","seed":"7","values":{` + strings.TrimSuffix(values, ",") + "}}\n")
	heap := func(size int) uint64 {
		peak := uint64(0)
		n := 0
		for record, err := range lines.Read("f", &repeated{line: line, n: size / len(line)}) {
			if err != nil || record.Err != nil {
				t.Fatal(err, record.Err)
			}
			if n++; n%1000 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
			}
		}
		return peak
	}
	if small, large := heap(5<<20), heap(largeFile); large > small+4<<20 {
		t.Errorf("%d bytes in use while reading 5 MiB, %d while reading %d MiB", small, large, largeFile>>20)
	}
}

func TestReadExamples(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "bam", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for record, err := range lines.Read(file, bytes.NewReader(data)) {
			if err != nil || record.Err != nil || record.Seed.Number != track.SeedNumber(n) || record.Line != n+1 {
				t.Errorf("%s: %+v, %v", file, record, err)
			}
			n++
		}
		if n != 10 {
			t.Errorf("%s: %d seeds, want 10", file, n)
		}
	}
}

// Lines of both kinds stand in one batch, each error with the number of its own line.
func TestReadBothKinds(t *testing.T) {
	text := `{"kind":"seed","scenario":"s","seed":"1","values":{"m":1}}
{"lineage":"l","kind":"execution","output":"x"}

{"kind":"execution","lineage":"l","trial":-1}
{"kind":"exec","lineage":"l"}
`
	var got []string
	for record, err := range lines.Read("f", strings.NewReader(text)) {
		switch {
		case err != nil:
			t.Fatal(err)
		case record.Err != nil:
			got = append(got, record.Err.Error())
		case record.Execution != nil:
			got = append(got, fmt.Sprint(record.Line, " execution of ", record.Execution.Lineage))
		default:
			got = append(got, fmt.Sprint(record.Line, " seed of ", record.Seed.Scenario))
		}
	}
	want := []string{"1 seed of s", "2 execution of l", "f:4: trial: -1 is negative", `f:5: kind: "exec" is not known: use "seed" or "execution"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
