package importertest

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"track/importer"
)

// Damage cuts, flips and interleaves a fixture of at least five executions, and checks that nothing panics, that what
// is read is valid, that the executions away from the damage are read as before, and that what is left out is said.
func Damage(t *testing.T, read Reader, fixture []byte, lines bool) {
	t.Helper()
	whole, err := ReadBytes(t, read, fixture)
	if err != nil || len(Executions(whole)) < 5 {
		t.Fatalf("%d executions, %v", len(Executions(whole)), err)
	}
	whole = slices.DeleteFunc(whole, func(item importer.Item) bool { return item.Execution == nil })
	slices.SortStableFunc(whole, func(a, b importer.Item) int { return a.Line - b.Line })
	d := damage{read, fixture, whole}
	t.Run("cut off", d.cut)
	t.Run("flipped", d.flip)
	if lines {
		t.Run("interleaved", d.interleave)
	}
}

type damage struct {
	read    Reader
	fixture []byte
	whole   []importer.Item // the executions of the fixture
}

// stride returns how far apart so many places of a fixture are; with -short, a quarter of them.
func stride(fixture []byte, places int) int {
	if testing.Short() {
		places /= 4
	}
	return 1 + len(fixture)/places
}

// cut reads the beginning of the fixture, up to many places.
func (d damage) cut(t *testing.T) {
	for end := 0; end <= len(d.fixture); end += stride(d.fixture, 250) {
		items, err := ReadBytes(t, d.read, d.fixture[:end])
		if err != nil {
			continue // too little to tell the format
		}
		complete := bytes.Count(d.fixture[:end], []byte("\n"))
		for i := 0; i+1 < len(d.whole) && d.whole[i+1].Line <= complete; i++ {
			d.has(t, items, i, "cut at byte %d", end)
		}
	}
}

// flip changes single bytes.
func (d damage) flip(t *testing.T) {
	said := 0
	for at := 0; at < len(d.fixture); at += stride(d.fixture, 800) {
		text := bytes.Clone(d.fixture)
		text[at] ^= 1 << (at % 7)
		line := 1 + bytes.Count(d.fixture[:at], []byte("\n"))
		if text[at] == '\n' || d.fixture[at] == '\n' || line < d.whole[0].Line {
			continue
		}
		items, err := ReadBytes(t, d.read, text)
		if err != nil {
			t.Fatalf("byte %d: %v", at, err)
		}
		said += len(Skips(items))
		d.away(t, items, line, line, "byte %d (%q) flipped to %q", at, d.fixture[at], text[at])
	}
	if said == 0 {
		t.Error("nothing was ever said to be left out")
	}
}

// interleave puts a line into the midst of the one before, as concurrent writers do.
func (d damage) interleave(t *testing.T) {
	lines := bytes.SplitAfter(d.fixture, []byte("\n"))
	for i := d.whole[0].Line - 1; i+1 < len(lines) && len(lines[i+1]) > 0; i++ {
		half := len(lines[i]) / 2
		if half < 2 {
			continue
		}
		mixed := slices.Concat(bytes.Join(lines[:i], nil), lines[i][:half], lines[i+1], lines[i][half:], bytes.Join(lines[i+2:], nil))
		items, err := ReadBytes(t, d.read, mixed)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if len(Skips(items)) == 0 {
			t.Errorf("line %d was mixed with the next, and nothing said", i+1)
		}
		d.away(t, items, i+1, i+2, "line %d mixed with the next", i+1)
	}
}

// away checks that the executions are there that do not touch the lines from first to last, nor stand next to one
// that does.
func (d damage) away(t *testing.T, items []importer.Item, first, last int, format string, args ...any) {
	t.Helper()
	touched := func(i int) bool {
		end := 1 << 30
		if i < 0 || i >= len(d.whole) {
			return false
		}
		if i+1 < len(d.whole) {
			end = d.whole[i+1].Line
		}
		return d.whole[i].Line <= last && first < end
	}
	isDocument := json.Valid(d.fixture) // of which nothing is read behind damage
	for i := range d.whole {
		if !touched(i-1) && !touched(i) && !touched(i+1) && !(isDocument && d.whole[i].Line > last) {
			d.has(t, items, i, format, args...)
		}
	}
}

// has checks that the i-th execution of the fixture is among items.
func (d damage) has(t *testing.T, items []importer.Item, i int, format string, args ...any) {
	t.Helper()
	want := d.whole[i]
	for _, item := range items {
		if item.Execution != nil && item.Execution.Key == want.Execution.Key {
			item.Line, item.Open = want.Line, want.Open
			if got := Render(item); got != Render(want) {
				t.Errorf(format+": execution %d became:\n%s\nwant:\n%s", append(args, i, got, Render(want))...)
			}
			return
		}
	}
	t.Errorf(format+": execution %d is missing", append(args, i)...)
}

// Fuzz reads whatever the fuzzer makes of the seeds. Collect holds what is read against what readers promise.
func Fuzz(f *testing.F, read Reader, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := ReadBytes(t, read, text)
		if err != nil {
			return
		}
		again, err := ReadBytes(t, read, text)
		if err != nil || Render(again...) != Render(once...) {
			t.Fatalf("read twice, it is not the same: %v", err)
		}
	})
}

// Benchmark measures how fast a fixture is read, over and over.
func Benchmark(b *testing.B, read Reader, text []byte) {
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for item, err := range read("f", bytes.NewReader(text)) {
			if err != nil {
				b.Fatal(err)
			}
			_ = item
		}
	}
}
