package lines_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"track"
	"track/importer/lines"
	"track/internal/property"
)

// readOne reads a text that has one line.
func readOne(t testing.TB, text string) lines.Record {
	t.Helper()
	var all []lines.Record
	for record, err := range lines.Read("f", strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, record)
	}
	if len(all) != 1 {
		t.Fatalf("%d records in %s", len(all), text)
	}
	return all[0]
}

// checkSweep writes a sweep and reads it again.
func checkSweep(t testing.TB, s track.Sweep) {
	t.Helper()
	line, err := lines.AppendSweep(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	record := readOne(t, string(line))
	if record.Err != nil || record.Sweep == nil {
		t.Fatalf("%s: %v", line, record.Err)
	}
	if diff := cmp.Diff(s, *record.Sweep, cmpopts.EquateEmpty(), cmpopts.EquateApproxTime(0)); diff != "" {
		t.Fatalf("written and read again (-want +got):\n%s", diff)
	}
}

func TestSweepLines(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-zA-Z0-9 ü<>"\\]{0,20}`)
		s := track.Sweep{
			ID: rapid.StringMatching(`[0-9A-Z]{26}`).Draw(t, "id"), Scenario: "s", Plan: `{"command":["true"]}`, Shard: rapid.IntRange(0, 9).Draw(t, "shard"), NShards: 9,
			Environment: track.Environment{"host": text.Draw(t, "host")}, Changes: text.Draw(t, "changes"), Libraries: text.Draw(t, "libraries"),
			StartedAt: time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "start")).UTC(),
			Ending:    rapid.SampledFrom([]track.SweepEnding{"", track.SweepFinished, track.SweepDecided, track.SweepInterrupted}).Draw(t, "ending"),
		}
		if rapid.Bool().Draw(t, "has a spec") {
			s.Spec = `{"scenario":"s","metrics":[{"name":"a","type":"RANGE","min":0,"max":1}]}`
		}
		if s.Ending != "" {
			s.EndedAt = s.StartedAt.Add(time.Minute)
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "configurations") {
			s.Planned = append(s.Planned, track.PlannedSeeds{
				Configuration: track.Configuration{Label: strings.Repeat("x", i), Params: `{"theta":14}`, Revision: track.Revision{Commit: "c", Dirty: i > 0}},
				Seeds:         track.NewSeedRanges(track.SeedRange{First: track.SeedNumber(i), Last: 1 << 63}),
			})
		}
		line, err := lines.AppendSweep(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		for record, err := range lines.Read("f", strings.NewReader(string(line))) {
			if err != nil || record.Err != nil || record.Sweep == nil {
				t.Fatalf("%s: %v %v", line, err, record.Err)
			}
			if diff := cmp.Diff(s, *record.Sweep, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("written and read again (-want +got):\n%s", diff)
			}
		}
	})
}

func TestSweepLinesRefused(t *testing.T) {
	const good = `{"kind":"sweep","id":"01A","scenario":"s","plan":{},"started_at":"2026-01-02T15:04:05Z","planned":[{"configuration":{},"seeds":"0..9"}]}`
	if record := readOne(t, good); record.Err != nil {
		t.Fatal(record.Err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{`"01A"`, `""`, `f:1: id: "" is not the id of a sweep`},
		{`"s"`, `""`, `f:1: scenario: `},
		{`"plan":{}`, `"plan":[]`, `f:1: plan: missing`},
		{`"0..9"`, `"9..0"`, `f:1: planned.0.seeds: seeds "9..0": 9..0 ends before it begins`},
		{`"configuration":{}`, `"configuration":{"params":[]}`, `f:1: planned.0.configuration.params: params must be a JSON object`},
		{`"2026-01-02T15:04:05Z"`, `"yesterday"`, `f:1: started_at: "yesterday" is not a time`},
		{`"planned"`, `"ending":"soon","planned"`, `f:1: ending: unknown ending "soon"`},
		{`"planned"`, `"colour":1,"planned"`, `f:1: colour: unknown field`},
	} {
		record := readOne(t, strings.Replace(good, tt.old, tt.new, 1))
		if record.Err == nil || !strings.HasPrefix(record.Err.Error(), tt.want) {
			t.Errorf("%s for %s: %v, want %s", tt.new, tt.old, record.Err, tt.want)
		}
	}
	for run, want := range map[string]string{
		`{"attempts":1}`:                               "f:1: run.sweep: missing",
		`{"sweep":"01A","attempts":0}`:                 "f:1: run.attempts: 0 is not a number from 1",
		`{"sweep":"01A","attempts":1,"cpu_s":-1}`:      "f:1: run.cpu_s: -1 is not a number of seconds from 0",
		`{"sweep":"01A","attempts":1,"exit_code":1.5}`: "f:1: run.exit_code: 1.5 is not a whole number",
	} {
		record := readOne(t, `{"kind":"seed","scenario":"s","seed":"1","outcome":"error","run":`+run+`}`)
		if record.Err == nil || record.Err.Error() != want {
			t.Errorf("%s: %v, want %s", run, record.Err, want)
		}
	}
}

func TestRunOfASeed(t *testing.T) {
	code, rss, cpu, took := 3, int64(1<<40), 1500*time.Microsecond, time.Second
	seed := track.Seed{
		Scenario: "s", Number: 7, Outcome: track.OutcomeError, Message: "exit code 3", Duration: &took, StartedAt: time.UnixMicro(1e15).UTC(),
		Run: &track.Run{Sweep: "01A", Attempts: 2, ExitCode: &code, Stderr: "boom\n", CPU: &cpu, MaxRSS: &rss},
	}
	checkSeed(t, seed)
	seed.Run = &track.Run{Sweep: "01A", Attempts: 1, Signal: "SIGKILL"}
	checkSeed(t, seed)
}
