package main

import (
	"path/filepath"
	"strings"
	"testing"

	"track/internal/textdiff"
)

// Every command that reads prints the same of a database that was written as lines and merged into an empty one, and
// its lines are the same again.
func TestSameAnswersFromLines(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	db := filepath.Join(from, "recorded.db")
	recordExamples(t, from, db, market(t))
	writeText(t, filepath.Join(from, "more.jsonl"), strings.ReplaceAll(`{"kind":"seed","scenario":"more","seed":"1","values":{"x":1},"configuration":{"commit":"c"},"series":{"u":[1,"NaN",3]},"artifacts":[{"name":"a.txt","text":"a"}]}
{"kind":"seed","scenario":"more","seed":"2","values":{"x":"-Infinity"},"configuration":{"commit":"c"}}
{"kind":"seed","scenario":"more","seed":"3","outcome":"error","message":"crashed","configuration":{"commit":"c"}}
{"kind":"execution","lineage":"more","version":"v1","key":"k","output":"to be forgotten","truths":{"reward":1}}
`, "\r", ""))
	writeText(t, filepath.Join(from, "again.jsonl"), `{"kind":"seed","scenario":"more","seed":"2","values":{"x":2},"configuration":{"commit":"c"}}`+"\n")
	writeText(t, filepath.Join(from, "one.yaml"), "scenario: more\nmetrics:\n  - {name: x, type: RANGE, min: 0, max: 1}\n  - {name: m, type: RANGE, min: 0, max: 9, from: {reduce: mean, series: u}}\n")
	writeText(t, filepath.Join(from, "two.yaml"), "scenario: more\nmetrics:\n  - {name: x, type: RANGE, min: 0, max: 5}\n")
	for _, args := range [][]string{
		{"record", "batch", "more.jsonl"}, {"spec", "add", "one.yaml"}, {"record", "batch", "--replace", "again.jsonl"}, {"spec", "add", "two.yaml"}, {"rescore", "more"},
		{"baseline", "set", "more@c", "--reason", "r"}, {"note", "add", "more@c", "a note"}, {"tag", "add", "more@c", "released"}, {"prune", "series", "--keep", "1"},
		{"withdraw", "seed", "more", "3", "--reason", "a mistake"}, {"gate", "more", "--looks", "10,20"},
	} {
		_, _, _ = trackWith(t, from, db, args...) // a gate may fail
	}
	id := strings.Split(mustTrackWith(t, from, db, "query", "SELECT id FROM v_execution WHERE lineage = 'more'", "--format", "csv"), "\n")[1]
	mustTrackWith(t, from, db, "forget", "execution", id)
	readings := append(expandReadings(t, from, db), [][]string{
		{"stability", "more"}, {"stability", "more", "--spec", "1", "--format", "json"}, {"seeds", "more", "--format", "json"}, {"seeds", "more", "--withdrawn"},
		{"show", "seed", "more", "1", "--format", "json"}, {"show", "seed", "more", "2", "--format", "json"}, {"history", "more", "--format", "json"},
		{"note", "list", "more"}, {"tag", "list", "more"}, {"baseline", "show", "more"}, {"executions", "more", "--format", "json"}, {"show", "execution", id, "--format", "json"},
		{"artifact", "list", "more"}, {"spec", "list", "--format", "json"},
	}...)
	mustTrackWith(t, from, db, "export", "lines", "-o", "all.jsonl.gz")
	for range 2 { // the second time adds nothing
		mustTrackWith(t, to, filepath.Join(to, "recorded.db"), "merge", filepath.Join(from, "all.jsonl.gz"))
	}
	mustTrackWith(t, to, filepath.Join(to, "recorded.db"), "export", "lines", "-o", "all.jsonl.gz")
	if readText(t, filepath.Join(from, "all.jsonl.gz")) != readText(t, filepath.Join(to, "all.jsonl.gz")) {
		t.Error("the lines of the merged database are others")
	}
	answers := map[string][]string{}
	for _, dir := range []string{from, to} {
		t.Chdir(dir)
		for _, args := range readings {
			_, out, errOut := inProcess(t, withFlag(args, "--db", "recorded.db"))
			answers[dir] = append(answers[dir], out+errOut+takeFile(t, dir, args))
		}
	}
	for i, args := range readings {
		if want, got := answers[from][i], answers[to][i]; got != want {
			changes, _, _ := textdiff.Unified("recorded", want, "merged", got)
			t.Errorf("track %s:\n%.3000s", strings.Join(args, " "), changes)
		}
	}
}
