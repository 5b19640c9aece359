package programs_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"track"
	"track/importer"
	"track/importer/importertest"
	"track/importer/programs"
	"track/internal/property"
)

// draft makes a program of an iteration: id, code and parents.
func draft(id string, iteration int, code string, parents ...string) *programs.Draft {
	score, generation := float64(iteration), iteration
	d := &programs.Draft{ParentField: "parent_id"}
	d.Program = importer.Program{ID: id, Parents: parents, Content: code, Score: &score, Iteration: &iteration, Generation: &generation, File: "f", Line: iteration + 1}
	return d
}

// collect makes a run of drafts and holds it against what runs promise.
func collect(t importertest.Failing, drafts ...*programs.Draft) importer.Run {
	t.Helper()
	c := programs.NewCollector()
	for _, d := range drafts {
		if err := c.Add(d); err != nil {
			t.Fatalf("%v", err)
		}
	}
	run := c.Run()
	importertest.CheckRun(t, run)
	return run
}

// lineage writes a run as id<parents, in its order.
func lineage(run importer.Run) string {
	var list []string
	for _, p := range run.Programs {
		list = append(list, p.ID+"<"+strings.Join(p.Parents, "+"))
	}
	return strings.Join(list, " ")
}

func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		name   string
		drafts []*programs.Draft
		want   string
	}{
		{"iterations", []*programs.Draft{draft("b", 2, "x", "a"), draft("c", 1, "x", "a"), draft("a", 0, "x")}, "a< c<a b<a"},
		{"a parent of a later iteration", []*programs.Draft{draft("a", 0, "x"), draft("b", 1, "x", "d"), draft("c", 2, "x"), draft("d", 3, "x", "a")}, "a< c< d<a b<d"},
		{"two parents", []*programs.Draft{draft("c", 0, "x", "b", "a"), draft("a", 1, "x"), draft("b", 2, "x")}, "a< b< c<b+a"},
		{"equal", []*programs.Draft{draft("z", 1, "x"), draft("y", 1, "x")}, "y< z<"},
	} {
		if got := lineage(collect(t, tt.drafts...)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// What cannot be a parent is taken away and said; the rest of the program stays.
func TestImpossibleParents(t *testing.T) {
	for _, tt := range []struct {
		name        string
		drafts      []*programs.Draft
		want, skips string
	}{
		{"itself", []*programs.Draft{draft("a", 0, "x", "a", "b"), draft("b", 1, "x")}, "b< a<b", `f:1: parent_id: is the program itself, which cannot be its own parent: it is taken as unknown`},
		{"twice", []*programs.Draft{draft("a", 0, "x"), draft("b", 1, "x", "a", "a")}, "a< b<a", ""},
		{
			"a circle of two", []*programs.Draft{draft("a", 0, "x", "b"), draft("b", 1, "x", "a")}, "a< b<a",
			`f:1: parent_id: "b" descends from this program "a", and cannot be its parent: it is taken as unknown`,
		},
		{
			"a circle and what hangs on it", []*programs.Draft{draft("a", 0, "x", "c"), draft("b", 1, "x", "d", "z"), draft("c", 2, "x", "b"), draft("d", 3, "x", "c")},
			"b<z c<b a<c d<c", `f:2: parent_id: "d" descends from this program "b", and cannot be its parent: it is taken as unknown`,
		},
	} {
		run := collect(t, tt.drafts...)
		if got := lineage(run); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		var skips []string
		for _, s := range run.Skips {
			skips = append(skips, s.String())
		}
		if got := strings.Join(skips, "\n"); got != tt.skips {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.skips)
		}
	}
}

// Whatever parents say, all programs are there, each behind its parents, and in the same order whatever the order of
// the files.
func TestOrderOfAnything(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "programs")
		var drafts, again []*programs.Draft
		for i := range n {
			parents := rapid.SliceOfN(rapid.IntRange(0, n), 0, 3).Draw(t, "parents")
			iteration := rapid.IntRange(0, 3).Draw(t, "iteration")
			var ids []string
			for _, p := range parents {
				ids = append(ids, fmt.Sprint("p", p)) // one of them is nowhere
			}
			drafts = append(drafts, draft(fmt.Sprint("p", i), iteration, "x", ids...))
			again = append(again, draft(fmt.Sprint("p", i), iteration, "x", ids...))
		}
		slices.Reverse(again)
		a, b := collect(t, drafts...), collect(t, again...)
		if len(a.Programs) != n || importertest.RenderRun(a) != importertest.RenderRun(b) {
			t.Fatalf("%s\n%s", importertest.RenderRun(a), importertest.RenderRun(b))
		}
	})
}

func TestMerge(t *testing.T) {
	later := draft("a", 0, "y")
	later.File = "g"
	same := draft("b", 1, "x", "a")
	same.File, same.Line = "g", 7
	run := collect(t, draft("a", 0, "x"), draft("b", 1, "x", "a"), later, same)
	if run.Repeated != 1 || run.Differing != 1 || len(run.Skips) != 0 || run.Programs[0].Content != "y" || run.Programs[1].Line != 7 {
		t.Errorf("%s", importertest.RenderRun(run))
	}
	run = collect(t, draft("a", 0, "x"), draft("a", 3, "x"))
	if want := `f:1: another program "a" follows on line 4, and the later counts: give each an id of its own if they are two`; len(run.Skips) != 1 || run.Skips[0].String() != want {
		t.Errorf("%v, want %s", run.Skips, want)
	}
}

// Equal contents under different ids stay two programs.
func TestDuplicatesStay(t *testing.T) {
	run := collect(t, draft("a", 0, "same"), draft("b", 1, "same", "a"))
	if got := lineage(run); got != "a< b<a" || run.Repeated+run.Differing != 0 {
		t.Error(importertest.RenderRun(run))
	}
}

func TestBest(t *testing.T) {
	c := programs.NewCollector()
	_ = c.Add(draft("a", 0, "x"))
	c.Best("a", "m", "best_program_id")
	c.Best("", "n", "best_program_id") // says nothing
	if run := c.Run(); !run.Programs[0].Best {
		t.Error("not the best")
	}
	c = programs.NewCollector()
	_ = c.Add(draft("a", 0, "x"))
	c.Best("z", "m", "best_program_id")
	run := c.Run()
	if want := `m: best_program_id: names the program "z", which no file has`; run.Programs[0].Best || len(run.Skips) != 1 || run.Skips[0].String() != want {
		t.Errorf("%v", run.Skips)
	}
}

func TestManySkips(t *testing.T) {
	c := programs.NewCollector()
	for i := range 1003 {
		c.Skip("f", i+1, "", "broken")
	}
	run := c.Run()
	if last := run.Skips[len(run.Skips)-1].String(); len(run.Skips) != 1001 || last != "f: 3 more parts were not used" {
		t.Errorf("%d skips, the last %s", len(run.Skips), last)
	}
}

// A run holds at most 1 GiB; a program that comes again counts once.
func TestTooLarge(t *testing.T) {
	code := strings.Repeat("x", importer.LongestRecord)
	c := programs.NewCollector()
	for i := range 40 {
		if err := c.Add(draft(fmt.Sprint(i%16), i%16, code)); err != nil {
			t.Fatal(err)
		}
	}
	err := c.Add(draft("one more", 16, code))
	if want := "f:17: with this one the programs of the run hold more than 1 GiB"; err == nil || err.Error() != want || len(track.Hints(err)) != 1 {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestCandidates(t *testing.T) {
	with := func(candidates ...string) []*programs.Draft {
		d := draft("d", 3, "x")
		d.ParentField, d.Candidates = "parent_generation", candidates
		return []*programs.Draft{draft("a", 0, "x"), draft("b", 1, "x"), draft("e", 5, "x"), d}
	}
	run := collect(t, with("a", "b")...)
	want := `f:4: parent_generation: the source does not say which of these is the parent: a, b`
	if lineage(run) != "a< b< d< e<" || run.Ambiguous != 1 || len(run.Skips) != 1 || run.Skips[0].String() != want {
		t.Error(importertest.RenderRun(run))
	}
	picked := with("a", "b")
	picked[3].Parents = []string{"a"}
	if run := collect(t, picked...); lineage(run) != "a< b< d<a e<" || run.Picked != 1 || run.Ambiguous != 0 {
		t.Error(importertest.RenderRun(run))
	}
}

func TestSecondParent(t *testing.T) {
	base := func() []*programs.Draft {
		return []*programs.Draft{draft("a", 0, "one\ntwo\n"), draft("b", 1, "three\nfive\nsix\n"), draft("c", 2, "one\ntwo\nfour\n")}
	}
	cross := func(parents []string, inspirations ...string) *programs.Draft {
		d := draft("x", 3, "one\ntwo\nthree\n", parents...)
		d.Crossover, d.Inspirations = true, inspirations
		return d
	}
	for _, tt := range []struct {
		name    string
		child   *programs.Draft
		parents string
		unknown int
	}{
		{"recorded", cross([]string{"a", "b"}, "c"), "a+b", 0},
		{"the only inspiration", cross([]string{"a"}, "b", "a", "b", "x"), "a+b", 0},
		{"the only inspiration, lost", cross([]string{"a"}, "gone"), "a+gone", 0},
		{"one of two: c is closer, but what is not of a is of b", cross([]string{"a"}, "c", "b"), "a", 1},
		{"none", cross([]string{"a"}), "a", 1},
		{"itself", cross([]string{"a"}, "a"), "a", 1},
		{"no first parent", cross(nil, "b"), "", 1},
	} {
		run := collect(t, append(base(), tt.child)...)
		if got := strings.Join(run.Programs[3].Parents, "+"); got != tt.parents || run.SecondUnknown != tt.unknown {
			t.Errorf("%s: %s", tt.name, importertest.RenderRun(run))
		}
	}
}

func TestDatabaseIsRefused(t *testing.T) {
	c := programs.NewCollector()
	files := fstest.MapFS{"evolution": {Data: []byte("SQLite format 3\x00\x10\x00")}}
	err := c.Lines("d", files, "evolution", func(programs.Object, string, int) error { return nil })
	if hints := track.Hints(err); !errors.Is(err, track.ErrInvalid) || len(hints) != 1 || !strings.HasPrefix(hints[0].String(), `sqlite3 evolution "SELECT json_object('id',id,`) {
		t.Errorf("%v, %q", err, hints)
	}
}
