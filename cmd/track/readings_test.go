package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"track/store"
)

// trackWith runs a command with a database. What it prints has DB for the name of the database.
func trackWith(t *testing.T, dir, db string, args ...string) (out, errOut string, code int) {
	t.Helper()
	out, errOut, code = runTrack(t, dir, withFlag(args, "--db", db)...)
	return strings.ReplaceAll(out, db, "DB"), strings.ReplaceAll(errOut, db, "DB"), code
}

// withFlag returns arguments with a flag of track, which stands before those of the command that track runs.
func withFlag(args []string, name, value string) []string {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	return slices.Concat(args[:end], []string{name, value}, args[end:])
}

func mustTrackWith(t *testing.T, dir, db string, args ...string) string {
	t.Helper()
	out, errOut, code := trackWith(t, dir, db, args...)
	if code != exitOK {
		t.Fatalf("track %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errOut)
	}
	return out
}

// recordExamples records the results of examples/bam, some of examples/market, an evolution by examples/evolve, and
// values and texts that are hard to keep.
func recordExamples(t *testing.T, dir, db, market string) {
	t.Helper()
	folder := func(name string) string {
		path, err := filepath.Abs("../../examples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	if store.IsServer(db) {
		if output, err := loopCommand(db).CombinedOutput(); err != nil {
			t.Fatalf("loop.sh: %v\n%s", err, output)
		}
	} else {
		evolveLoop(t, db)
	}
	bam := folder("bam")
	for _, name := range []string{"baseline", "growth_plus", "buffer_stock"} {
		mustTrackWith(t, dir, db, "spec", "add", bam+"/"+name+".yaml")
	}
	for _, name := range []string{"growth_plus__small_economy", "growth_plus__theta_14", "baseline__consumer_matching_random", "baseline", "growth_plus", "buffer_stock"} {
		mustTrackWith(t, bam, db, "record", "batch", name+".jsonl")
	}
	mustTrackWith(t, dir, db, "baseline", "set", "growth_plus@bam-engine-0.10.2", "--reason", "release 0.10.2")
	mustTrackWith(t, dir, db, "spec", "add", folder("market")+"/market.spec.yaml")
	mustTrackWith(t, dir, db, "sweep", "--scenario", "market", "--seeds", "0..9", "-j", "1", "--commit", "c", "--param", "theta=8,14", "--",
		market, "--seed", "{seed}", "--theta", "{theta}", "--out", "{out}")
	writeText(t, filepath.Join(dir, "odd.jsonl"), oddLines)
	mustTrackWith(t, dir, db, "record", "batch", "odd.jsonl")
}

const oddLines = `{"kind":"seed","scenario":"odd","seed":"18446744073709551615","values":{"nan":"NaN","minus":-0.0,"up":"Infinity","down":"-Infinity","least":5e-324},"configuration":{"commit":"c"}}
{"kind":"seed","scenario":"odd","seed":"9223372036854775808","outcome":"error","message":"zero \u0000 and \udbff\udffe","configuration":{"commit":"c"}}
{"kind":"execution","lineage":"odd","version":"v1","task":"t","key":"1","message":"zero \u0000 end","score":1}
`

// sameReadings are commands that only read, but for track noise, which simulates: package ask has it. The queries leave
// out times, which SQLite rounds to milliseconds less exactly, and sums, which the databases add up in different
// orders. MUTATION is the first mutation of the evolution, and MARKET the newest configuration of the market.
const sameReadings = `stability baseline@bam-engine-0.10.2
stability growth_plus@theta-14
stability buffer_stock --format json
stability MARKET --format json
seeds growth_plus
seeds market --format json
seeds odd --format json
seeds baseline --format csv
show seed growth_plus@theta-14 3
show seed MARKET 7 --format json
show seed odd 18446744073709551615 --format json
show seed odd 9223372036854775808 --format json
history growth_plus
history market --format json
gate growth_plus@theta-14
gate MARKET --format json
gate buffer_stock
improvement growth_plus@theta-14
improvement growth_plus@theta-14 --format json
compare growth_plus@theta-14 growth_plus@small-economy --format json
params market
params growth_plus
seeds-needed MARKET --effect 0.01
series list MARKET 7
series show MARKET 7
artifact list MARKET
baseline list --format json
spec list
spec show growth_plus
executions
executions sepa --format json
executions odd --format json
search example
search bank --format json
fitness sepa
fitness sepa --format json
rubric list
rubric check sepa
lineage list
lineage show sepa
lineage show sepa --format json
lineage head sepa
version list sepa
version list sepa --format json
version show sepa@v002
version export sepa@v002
version diff sepa@v001 sepa@v002
mutation list sepa
mutation list --lineage sepa --format json
mutation show MUTATION --lineage sepa
mutation next sepa --at 2026-04-01T00:00:00Z --format json
replay
replay --strict
replay --lineage sepa --strict --format json
operators sepa
operators sepa --format json
draws sepa
compare versions sepa@v001 sepa@v002 --by task
export lineage sepa
note list
tag list
sweep list
check
nosuch
stability nosuch
show seed odd 3
query SELECT scenario,seed,label,configuration,n_pass,n_warn,n_fail,duration_s,environment,id FROM v_seed ORDER BY scenario,configuration,seed --format json
query SELECT * FROM v_result ORDER BY scenario,configuration,seed,metric --format csv
query SELECT lineage,key,cost_usd,duration_s,source FROM v_execution ORDER BY lineage,key --format json
query SELECT scenario,label,configuration,n_seeds,n_scored,n_failed,pass_rate,min_score,max_score,stable FROM v_stability ORDER BY scenario,configuration --format csv
query SELECT * FROM v_ledger ORDER BY lineage,number --format jsonl
query DELETE FROM seed
report stability growth_plus@theta-14 -o FILE
report stability MARKET -o FILE
report improvement growth_plus@theta-14 -o FILE
report scenario growth_plus@theta-14 -o FILE
report scenario MARKET -o FILE
report lineage sepa -o FILE
report index -o FILE
export table --scenario market -o TABLE`

// expandReadings returns the arguments of the readings.
func expandReadings(t *testing.T, dir, db string) (list [][]string) {
	t.Helper()
	word := func(query string) string {
		lines := strings.Split(strings.TrimSpace(mustTrackWith(t, dir, db, "query", query, "--format", "csv")), "\n")
		return lines[len(lines)-1]
	}
	named := strings.NewReplacer(
		"MUTATION", word("SELECT mutation FROM v_mutation ORDER BY mutation LIMIT 1"),
		"MARKET", "market@"+word("SELECT configuration FROM v_seed WHERE scenario = 'market' ORDER BY configuration LIMIT 1"))
	for line := range strings.SplitSeq(named.Replace(sameReadings), "\n") {
		args := strings.Fields(line)
		if query, ok := strings.CutPrefix(line, "query "); ok {
			query, format, _ := strings.Cut(query, " --format ")
			args = []string{"query", query, "--format", cmp.Or(format, "table")}
		}
		switch last := args[len(args)-1]; last {
		case "FILE":
			list = append(list, append(slices.Clone(args[:len(args)-1]), "got.html"))
			args[len(args)-1] = "got.md"
		case "TABLE":
			args[len(args)-1] = "got.csv"
		}
		list = append(list, args)
	}
	return list
}

const countOfAll = `SELECT (SELECT count(*) FROM seed) AS seeds, (SELECT count(*) FROM v_value) AS n_values, (SELECT count(*) FROM execution) AS executions,
	(SELECT count(*) FROM ledger) AS entries, (SELECT count(*) FROM v_result) AS results, (SELECT count(*) FROM version) AS versions`
