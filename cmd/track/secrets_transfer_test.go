package main

import (
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"modernc.org/sqlite"

	"track/store"
)

// change runs statements in a database behind the back of track.
func change(t *testing.T, path, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

// registerChecksum gives connections that are opened later the function checksum(column, …).
var registerChecksum = sync.OnceFunc(func() {
	sqlite.MustRegisterDeterministicScalarFunction("checksum", -1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		return store.Checksum(args...), nil
	})
})

// reseal gives the rows of a table, which nothing else belongs to, the checksums of what they are now.
func reseal(t *testing.T, path, table string) {
	t.Helper()
	registerChecksum()
	var columns []string
	for _, name := range rowsOf(t, path, "SELECT name FROM pragma_table_info('"+table+"')") {
		switch column := string(name); {
		case column == "content", column == "output", column == "prompt":
			columns = append(columns, column+" IS NOT NULL")
		case column != "checksum" && column != "is_indexed" && (column != "id" || table == "version"):
			columns = append(columns, column)
		}
	}
	change(t, path, "UPDATE "+table+" SET checksum = checksum("+strings.Join(columns, ", ")+")")
}

// The contents of an evolving lineage cannot be masked, so one with a secret is refused by every way in.
func TestEvolvingContentsAreRefused(t *testing.T) {
	from := newTrackIn(t)
	from.must("prompt "+madeUp[0]+"\n", "lineage", "new", "l", "--root", "-", "--keep-secrets", "--seed", "1")
	folder := t.TempDir()
	exported, all := filepath.Join(folder, "l.jsonl"), filepath.Join(folder, "all.jsonl")
	from.must("", "export", "lineage", "l", "-o", exported)
	from.must("", "export", "lines", "-o", all)
	for _, args := range [][]string{{"merge", exported}, {"merge", all}, {"merge", from.db}} {
		to := newTrackIn(t)
		_, stderr, code := to.run("", args...)
		if code != exitInvalid || !strings.Contains(stderr, "--allow-secret-name") || strings.Contains(stderr, madeUp[0]) {
			t.Errorf("%s: exit %d: %s", args[:2], code, stderr)
		}
		for _, leak := range leaks(t, to.db) {
			t.Errorf("%s recorded %s", args[:2], leak)
		}
		if out, stderr, code := to.run("", append(args, "--allow-secret-name")...); code != exitOK || len(leaks(t, to.db)) == 0 {
			t.Errorf("%s on purpose: exit %d: %s%s", args[:2], code, out, stderr)
		}
	}
}

// The content of a version without a ledger is masked when it is merged, and merging it again changes nothing.
func TestMergeMasksContents(t *testing.T) {
	from := newTrackIn(t)
	from.must("", "record", "execution", "--lineage", "l", "--version", "v1", "--key", "k")
	content := "prompt " + madeUp[0]
	digest := sha256.Sum256([]byte(content))
	change(t, from.db, `UPDATE version SET content = $1, content_digest = $2, masking = (SELECT masking FROM execution)`, content, digest[:])
	reseal(t, from.db, "version")
	all := filepath.Join(t.TempDir(), "all.jsonl")
	from.must("", "export", "lines", "-o", all)
	for _, args := range [][]string{{"merge", from.db}, {"merge", all}} {
		to := newTrackIn(t)
		to.must("", args...)
		to.must("", args...)
		for _, leak := range leaks(t, to.db) {
			t.Errorf("%s recorded %s", args[0], leak)
		}
		if masked := columnsWith(t, to.db, "prompt [masked:"); len(masked) != 1 {
			t.Errorf("%s: masked are %q", args[0], masked)
		}
	}
}

// An error quotes what was given, but no secret.
func TestErrorsShowNoSecrets(t *testing.T) {
	in := newTrackIn(t)
	address := "postgres://u:" + madeUp[1] + "@h/db"
	in.must("", "record", "execution", "--lineage", "l", "--key", "k")
	for _, tt := range []struct {
		in   string
		args []string
	}{
		{"", []string{"record", "seed", "--scenario", address, "--seed", "1", "--outcome", "error"}},
		{"", []string{"stability", madeUp[0]}},
		{"", []string{madeUp[0]}},
		{`{"kind":"seed","scenario":"` + address + `","seed":"1","outcome":"error"}` + "\n", []string{"record", "batch", "-"}},
		{`{"kind":"seed","scenario":"` + address + `","seed":"1","outcome":"error"}` + "\n", []string{"record", "batch", "-", "--spool"}},
	} {
		out, stderr, code := in.run(tt.in, tt.args...)
		if code == exitOK || !strings.Contains(stderr, "[masked:") {
			t.Errorf("%s: exit %d: nothing in %q is masked", tt.args[0], code, stderr)
		}
		for _, secret := range madeUp {
			if strings.Contains(out+stderr, secret) {
				t.Errorf("%s shows a secret: %s%s", tt.args[0], out, stderr)
			}
		}
	}
}

// A parameter may have several lines, and its name may not. A line of a batch that is refused says how to record it.
func TestParametersAndBatchesAreAdmitted(t *testing.T) {
	in := newTrackIn(t)
	seed := []string{"record", "seed", "--scenario", "s", "--seed", "1", "--outcome", "error"}
	in.must("", append(seed, "--param", "prompt=line1\nline2")...)
	in.must("", append(seed, "--params", `{"prompt":"Do this.\n\tThen that."}`)...)
	if _, stderr, code := in.run("", append(seed, "--params", `{"a\nb":"c"}`)...); code != exitInvalid {
		t.Errorf("a name of two lines: exit %d: %s", code, stderr)
	}
	line := `{"kind":"seed","scenario":"` + madeUp[0] + `","seed":"1","outcome":"error"}` + "\n"
	if _, stderr, code := in.run(line, "record", "batch", "-"); code != exitInvalid || !strings.Contains(stderr, "--allow-secret-name") {
		t.Errorf("batch: exit %d: %s", code, stderr)
	}
}

// The title of a spec stands in its document and in a column; both are masked.
func TestMergeChecksColumns(t *testing.T) {
	from := newTrackIn(t)
	from.must("scenario: s\ntitle: t\nmetrics:\n- {name: a, type: RANGE, min: 0, max: 1}\n", "spec", "add", "-")
	change(t, from.db, `UPDATE spec SET title = $1`, madeUp[0])
	to := newTrackIn(t)
	to.must("", "merge", from.db)
	for _, leak := range leaks(t, to.db) {
		t.Error("merged: ", leak)
	}
}

// What no record of track holds does not come by a merge either.
func TestMergeChecksComplexity(t *testing.T) {
	from := newTrackIn(t)
	from.must("", "record", "execution", "--lineage", "l", "--version", "v", "--task", "t", "--complexity", "simple", "--score", "50")
	change(t, from.db, `DELETE FROM execution_score; UPDATE execution SET complexity = $1, rubric = NULL`, "none")
	reseal(t, from.db, "execution")
	if _, stderr, code := newTrackIn(t).run("", "merge", from.db); code != exitInvalid || !strings.Contains(stderr, "complexity") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// A refusal of a line says which parameter is meant, and how to record it, wherever the line is read.
func TestRefusalsNameParameters(t *testing.T) {
	line := `{"kind":"seed","scenario":"s","seed":"1","outcome":"error","configuration":{"params":{"a":1,"b":{"token":"` + madeUp[0] + `"}}}}` + "\n"
	for _, args := range [][]string{{"record", "batch", "-"}, {"record", "batch", "--spool", "-"}} {
		_, stderr, code := newTrackIn(t).run(line, args...)
		if code != exitInvalid || !strings.Contains(stderr, "configuration.params.b.token: ") || !strings.Contains(stderr, "--allow-secret-name") || strings.Contains(stderr, madeUp[0]) {
			t.Errorf("%v: exit %d: %s", args, code, stderr)
		}
	}
	execution := `{"kind":"execution","lineage":"l","version":"v","task":"` + madeUp[0] + `","score":50}` + "\n"
	log := newTrackIn(t)
	if _, stderr, code := log.run(execution, "import", "jsonl", "-"); code != exitInvalid || !strings.Contains(stderr, "task: ") || !strings.Contains(stderr, "--allow-secret-name") {
		t.Errorf("import: exit %d: %s", code, stderr)
	}
}
