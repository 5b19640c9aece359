package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track"
	"track/internal/property"
)

func grid(t interface{ Fatal(...any) }, pairs ...string) []track.Params {
	list, err := Grid(nil, pairs)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func seedRanges(t *rapid.T) track.SeedRanges {
	var list []track.SeedRange
	for range rapid.IntRange(1, 4).Draw(t, "ranges") {
		first := rapid.Uint64Range(0, 1<<63).Draw(t, "first")
		list = append(list, track.SeedRange{First: track.SeedNumber(first), Last: track.SeedNumber(first + rapid.Uint64Range(0, 30).Draw(t, "more"))})
	}
	return track.NewSeedRanges(list...)
}

// A plan comes back as it was written.
func TestPlanJSON(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[a-zäß .*"\\$]{0,8}`), 0, 3)
		p := Plan{
			Scenario: rapid.StringMatching(`[a-z]{1,5}`).Draw(t, "scenario"), Command: append([]string{"sim", "{seed}", "{a}"}, texts.Draw(t, "command")...),
			Label: rapid.StringMatching(`[a-z]{0,5}`).Draw(t, "label"), Grid: grid(t, "a=1,x", "b=null,[1]"), Seeds: seedRanges(t),
			Revision: track.Revision{Commit: rapid.StringMatching(`[0-9a-f]{0,8}`).Draw(t, "commit"), Dirty: rapid.Bool().Draw(t, "dirty")},
			Timeout:  time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "timeout")) * time.Microsecond, Retries: rapid.IntRange(0, 100).Draw(t, "retries"),
			CollapsedExit: rapid.IntRange(0, 255).Draw(t, "exit"), LibrariesFrom: "pip freeze", RepeatShare: rapid.Float64Range(0, 1).Draw(t, "share"), CreatedVersion: "1",
		}
		if series := rapid.SliceOfN(rapid.StringMatching(`[a-zäß .*"$?]{0,8}`), 0, 3).Draw(t, "series"); len(series) > 0 {
			p.Series = series
		}
		for i := range rapid.IntRange(0, 2).Draw(t, "env") {
			p.Env = append(p.Env, fmt.Sprintf("V%d=%s", i, rapid.StringMatching(`[a-z= ]{0,5}`).Draw(t, "value")))
		}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			p.Shards = rapid.IntRange(1, p.Seeds.Len()).Draw(t, "shards")
		case 1:
			p.Halving = []Tier{{4, 1}}
		case 2:
			p.Until = "se<0.01"
		case 3:
			p.Spec = jsontext.Value(`{"scenario":"s"}`)
		}
		text, err := p.JSON()
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadPlan("plan.json", text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(p, back); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// plan is a whole one, with a change of its text.
func planText(change ...string) string {
	return strings.NewReplacer(change...).Replace(
		`{"kind":"track sweep plan 1","scenario":"s","command":["sim","{seed}"],"revision":{},"grid":[{}],"seeds":"0..9","timeout_s":0,"shards":2}`)
}

func TestReadPlanRefused(t *testing.T) {
	if _, err := ReadPlan("plan.json", []byte(planText())); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, text, field, message string }{
		{`"seeds"`, `"sseeds"`, "sseeds", ""},
		{"plan 1", "plan 2", "kind", `a plan of a sweep has "track sweep plan 1"`},
		{`"s"`, `"a@b"`, "scenario", "@"},
		{`"timeout_s":0`, `"label":"a\nb"`, "label", "control"},
		{`"revision":{}`, `"revision":{"commit":" c"}`, "revision.commit", "white space"},
		{`[{}]`, `[]`, "grid", "0 configurations"},
		{`[{}]`, `[{},[1]]`, "grid.1", ""},
		{`[{}]`, `[{"a":1},{"a":1.0}]`, "grid.1", "duplicated"},
		{`[{}]`, `[{"a":1},{"b":1}]`, "grid.1", "parameters"},
		{`[{}]`, `[{"seed":1}]`, "grid.0", "{seed}"},
		{`0..9`, `9..0`, "seeds", ""},
		{`0..9`, ``, "seeds", ""},
		{`"timeout_s":0`, `"timeout_s":-1`, "timeout_s", "from 0"},
		{`"timeout_s":0`, `"timeout_s":1e10`, "timeout_s", "from 0"},
		{`"timeout_s":0`, `"retries":101`, "retries", "100"},
		{`"timeout_s":0`, `"retries":-1`, "retries", "100"},
		{`"timeout_s":0`, `"collapsed_exit":256`, "collapsed_exit", "255"},
		{`"timeout_s":0`, `"repeat_check":1.5`, "repeat_check", "share"},
		{`"timeout_s":0`, `"env":["A=1","B"]`, "env", "entry 2"},
		{`"timeout_s":0`, `"env":["=1"]`, "env", "entry 1"},
		{`{seed}`, `{theta}`, "command", "{theta}"},
		{`["sim","{seed}"]`, `[]`, "command", "no command"},
		{`"shards":2`, `"shards":11`, "shards", "10"},
		{`"shards":2`, `"shards":-1`, "shards", "10"},
		{`"shards":2`, `"shards":2,"until":"se<1"`, "shards", "cannot be cut"},
		{`"shards":2`, `"halving":[{"configurations":1,"seeds":5}],"until":"se<1"`, "halving", "rule to end early"},
		{`"shards":2`, `"halving":[{"configurations":2,"seeds":5}]`, "halving", "the grid has 1"},
		{`"shards":2`, `"halving":[{"configurations":1,"seeds":11}]`, "halving", "there are 10"},
		{`"shards":2`, `"halving":[{"configurations":1,"seeds":0}]`, "halving", "from 1"},
	} {
		_, err := ReadPlan("plan.json", []byte(planText(tt.old, tt.text)))
		var problem *track.FieldError
		if !errors.As(err, &problem) || problem.File != "plan.json" || problem.Field != tt.field || !strings.Contains(problem.Message, tt.message) {
			t.Errorf("%s: %v, want %s: …%s…", tt.text, err, tt.field, tt.message)
		}
	}
}

func TestCheckHalving(t *testing.T) {
	p := Plan{Scenario: "s", Command: []string{"sim"}, Grid: grid(t, "a=1,2,3,4"), Seeds: track.SeedRanges{{First: 0, Last: 99}}}
	for text, want := range map[string]string{
		"4:10": "", "4:10,2:20,1:100": "",
		"3:10": "begins with 3", "4:10,4:20": "no fewer", "4:10,2:10": "no more seeds", "4:10,2:101": "needs 101", "4:10,0:20": "from 1", "4:10,-1:20": "from 1", "4:0": "from 1",
	} {
		tiers, err := ParseHalving(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Halving = tiers
		switch problem := p.Check(); {
		case want == "" && problem != nil:
			t.Errorf("%s: %v", text, problem)
		case want != "" && (problem == nil || problem.Field != "halving" || !strings.Contains(problem.Message, want)):
			t.Errorf("%s: %v, want %q", text, problem, want)
		}
	}
}

func TestParseHalving(t *testing.T) {
	if tiers, err := ParseHalving("100:10, 50:20,10:100"); err != nil || !slices.Equal(tiers, []Tier{{100, 10}, {50, 20}, {10, 100}}) {
		t.Errorf("%v, error %v", tiers, err)
	}
	for _, text := range []string{"", "100", "100:", ":10", "100:10,", "100:10x", "100:10 5", "1e2:10", "100:10:1", "100;10", "99999999999999999999:1"} {
		if tiers, err := ParseHalving(text); err == nil || !strings.Contains(err.Error(), "CONFIGURATIONS:SEEDS") {
			t.Errorf("%q: %v, error %v", text, tiers, err)
		}
	}
}

// However many shards there are, each seed is in one of them, and no shard is longer than another by more than one.
func TestShards(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := Plan{Seeds: seedRanges(t)}
		p.Shards = rapid.IntRange(1, p.Seeds.Len()).Draw(t, "shards")
		var all []track.SeedNumber
		least, most := p.Seeds.Len(), 0
		for i := range p.Shards {
			shard, err := p.Shard(i + 1)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, slices.Collect(shard.Seeds.All())...)
			least, most = min(least, shard.Seeds.Len()), max(most, shard.Seeds.Len())
		}
		if want := slices.Collect(p.Seeds.All()); !slices.Equal(all, want) {
			t.Fatalf("%v, want %v", all, want)
		}
		if least < 1 || most > least+1 {
			t.Fatalf("shards of %d to %d seeds", least, most)
		}
		for _, number := range []int{-1, 0, p.Shards + 1} {
			if _, err := p.Shard(number); !errors.Is(err, track.ErrInvalid) {
				t.Fatalf("shard %d: %v", number, err)
			}
		}
	})
	if _, err := (Plan{}).Shard(1); !errors.Is(err, track.ErrInvalid) || len(track.Hints(err)) == 0 {
		t.Errorf("without shards: %v", err)
	}
}

func TestConfigurations(t *testing.T) {
	revision := track.Revision{Commit: "c0ffee"}
	p := Plan{Label: "l", Revision: revision, Grid: grid(t, "a=1,2")}
	want := []track.Configuration{{Label: "l", Params: `{"a":1}`, Revision: revision}, {Label: "l", Params: `{"a":2}`, Revision: revision}}
	if got := p.Configurations(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	// No parameters are what track record seed without --param has.
	if got := (Plan{Grid: grid(t)}).Configurations()[0].Hash(); got != (track.Configuration{}).Hash() {
		t.Errorf("hash %s", got)
	}
}

// What is read is a plan that passes its own check, and is written as it is read.
func FuzzReadPlan(f *testing.F) {
	f.Add([]byte(planText()))
	f.Add([]byte(planText(`[{}]`, `[{"a":1},{"a":"x"}]`, `"shards":2`, `"halving":[{"configurations":2,"seeds":5}]`)))
	f.Add([]byte(planText(`"timeout_s":0`, `"env":["A=1"],"series":["*.csv"],"repeat_check":0.5,"spec":{"x": 1}`)))
	f.Add([]byte(planText(`0..9`, `0..18446744073709551615`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ReadPlan("p", text)
		if err != nil {
			var problem *track.FieldError
			if !errors.As(err, &problem) || problem.File != "p" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if problem := p.Check(); problem != nil {
			t.Fatal(problem)
		}
		once, err := p.JSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadPlan("p", once)
		if err != nil {
			t.Fatalf("%v: %s", err, once)
		}
		if twice, err := again.JSON(); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s is written as %s, %v", once, twice, err)
		}
	})
}
