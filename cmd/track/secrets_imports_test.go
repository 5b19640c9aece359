package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"track/internal/testdb"
)

// secretText is a text with both secrets.
func secretText() string { return "see " + madeUp[0] + " and DB_PASSWORD=" + madeUp[1] }

// withSecrets returns copies of a text. Each has the secrets in another place: behind every string of one path of its
// JSON values, or else behind one line.
func withSecrets(t *testing.T, text string) (copies []string) {
	t.Helper()
	values, ok := jsonValues(text)
	if !ok {
		lines := strings.SplitAfter(text, "\n")
		for i, line := range lines {
			changed := slices.Clone(lines)
			changed[i] = strings.TrimSuffix(line, "\n") + " " + secretText() + "\n"
			copies = append(copies, strings.Join(changed, ""))
		}
		return copies
	}
	paths := map[string]bool{}
	for _, v := range values {
		changeStrings("", v, func(path, s string) string { paths[path] = true; return s })
	}
	for _, wanted := range slices.Sorted(maps.Keys(paths)) {
		var b strings.Builder
		values, _ := jsonValues(text)
		for _, v := range values {
			line, err := json.Marshal(changeStrings("", v, func(path, s string) string {
				if path == wanted {
					s += " " + secretText()
				}
				return s
			}))
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		copies = append(copies, b.String())
	}
	return copies
}

// jsonValues returns the JSON value of a text, or those of its lines. Lines that are damaged on purpose are left out.
func jsonValues(text string) (values []any, ok bool) {
	var whole any
	if json.Unmarshal([]byte(text), &whole) == nil {
		return []any{whole}, true
	}
	for line := range strings.Lines(text) {
		var v any
		if json.Unmarshal([]byte(line), &v) == nil {
			values = append(values, v)
		}
	}
	return values, len(values) > 0 && strings.HasPrefix(text, "{")
}

// changeStrings returns a JSON value with the strings that change returns for the path of each.
func changeStrings(path string, v any, change func(path, s string) string) any {
	switch v := v.(type) {
	case string:
		return change(path, v)
	case []any:
		for i := range v {
			v[i] = changeStrings(path+"[]", v[i], change)
		}
	case map[string]any:
		for name := range v {
			v[name] = changeStrings(path+"."+name, v[name], change)
		}
	}
	return v
}

// writeFile writes a file of a folder for the test.
func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// No format of import records secrets, wherever in a log they are.
func TestNoImportRecordsSecrets(t *testing.T) {
	t.Parallel()
	for format, file := range map[string]string{
		"claude-code": "claudecode/testdata/session.jsonl", "claude-hooks": "claudehooks/testdata/hooks.jsonl", "codex": "codex/testdata/rollout.jsonl",
		"inspect": "inspect/testdata/log.json", "tau-bench": "taubench/testdata/episodes.json", "openevolve": "openevolve/testdata/programs.jsonl",
		"atif": "atif/testdata/lines.jsonl", "swe-agent": "sweagent/testdata/org__repo-7.traj", "openhands": "openhands/testdata/output.jsonl", "messages": "messages/testdata/records.jsonl", "otlp": "otlp/testdata/traces.jsonl", "shinka": "shinka/testdata/programs.jsonl", "jsonl": "",
	} {
		text := `{"kind":"execution","lineage":"x","task":"t","key":"k","message":"m","status":"error","output":"o","session":"s",` +
			`"calls":[{"tool":"Bash","input":"i","error":"e","output":"o","key":"c"}]}` + "\n"
		if file != "" {
			text = readText(t, filepath.Join("../../importer", file))
		}
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			in, folder := newTrackIn(t), t.TempDir()
			for i, changed := range withSecrets(t, text) {
				path := writeFile(t, filepath.Join(folder, fmt.Sprint(i)+filepath.Ext(file)), changed)
				in.importInto(format, fmt.Sprint("l", i), path)
			}
			in.wantMasked(format)
		})
	}
}

// importInto imports a log with secrets; it may be refused.
func (in trackIn) importInto(format, lineage, path string) {
	in.t.Helper()
	args := []string{"import", format, path, "--lineage", lineage}
	if format != "openevolve" && format != "shinka" {
		args = append(args, "--keep-text")
	}
	out, stderr, code := in.run("", args...)
	if code == exitUsage || code == exitInternal {
		in.t.Errorf("%s: exit %d: %s", format, code, stderr)
	}
	for _, secret := range madeUp {
		if strings.Contains(out+stderr, secret) {
			in.t.Errorf("%s shows a secret: %s%s", format, out, stderr)
		}
	}
}

// wantMasked fails if a database holds a secret, or if nothing in it was masked.
func (in trackIn) wantMasked(route string) {
	in.t.Helper()
	for _, leak := range leaks(in.t, in.db) {
		in.t.Errorf("%s recorded %s", route, leak)
	}
	if len(columnsWith(in.t, in.db, "[masked:")) == 0 {
		in.t.Errorf("%s masked nothing, so nothing was tested", route)
	}
}

// The folder of sepa has files of three forms.
func TestImportOfFoldersRecordsNoSecrets(t *testing.T) {
	t.Parallel()
	const memory = "../../importer/sepa/testdata/memory"
	for _, name := range []string{"scores.yaml", "context.md", "evolution-log.md", "observations.jsonl", "executions.jsonl", "versions/v002.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, folder := newTrackIn(t), filepath.Join(t.TempDir(), "memory")
			if err := os.CopyFS(folder, os.DirFS(memory)); err != nil {
				t.Fatal(err)
			}
			for i, changed := range withSecrets(t, readText(t, filepath.Join(memory, name))) {
				writeFile(t, filepath.Join(folder, name), changed)
				in.importInto("sepa", fmt.Sprint("l", i), folder)
			}
			for _, leak := range leaks(t, in.db) {
				t.Errorf("sepa recorded %s", leak)
			}
			if strings.HasPrefix(name, "versions/") && len(columnsWith(t, in.db, "[masked:")) == 0 {
				t.Error("sepa masked nothing, so nothing was tested")
			}
		})
	}
}

// A series is named in its file, and its name is refused like any other.
func TestNoSeriesRecordsSecrets(t *testing.T) {
	t.Parallel()
	in, folder := newTrackIn(t), t.TempDir()
	files := []string{
		writeFile(t, filepath.Join(folder, "a.csv"), madeUp[0]+",b\n1,2\n"),
		writeFile(t, filepath.Join(folder, "a.json"), `{"`+madeUp[0]+`":[1,2]}`),
		writeFile(t, filepath.Join(folder, madeUp[0]+".json"), `[1,2]`),
	}
	for i, file := range files {
		seed := fmt.Sprint(i + 1)
		_, stderr, code := in.run("", "record", "seed", "--scenario", "s", "--seed", seed, "--series", file)
		_, lines, refused := in.run(fmt.Sprintf(`{"kind":"seed","scenario":"s","seed":%q,"series_file":%q}`+"\n", seed, file), "record", "batch", "-")
		if code != exitInvalid || refused != exitInvalid || strings.Contains(stderr+lines, madeUp[0]) {
			t.Errorf("%s: exit %d and %d: %s%s", filepath.Base(file), code, refused, stderr, lines)
		}
	}
	for _, leak := range leaks(t, in.db) {
		t.Error("recorded: ", leak)
	}
}

// An exported lineage that was changed on its way brings no secret in, wherever it is.
func TestNoImportedLineageRecordsSecrets(t *testing.T) {
	t.Parallel()
	from, folder := newTrackIn(t), t.TempDir()
	from.recordEverything(folder)
	exported := filepath.Join(folder, "l.jsonl")
	from.must("", "export", "lineage", "evolving", "-o", exported)
	for i, changed := range withSecrets(t, readText(t, exported)) {
		to := trackIn{t, testdb.NewFile(t)}
		_, stderr, code := to.run("", "merge", writeFile(t, filepath.Join(folder, "changed.jsonl"), changed))
		if code == exitInternal || strings.Contains(stderr, madeUp[0]) {
			t.Errorf("%d: exit %d: %s", i, code, stderr)
		}
		for _, leak := range leaks(t, to.db) {
			t.Errorf("%d: recorded %s", i, leak)
		}
	}
}

// A merge brings in no secret that somebody put into a column of another database.
func TestNoColumnOfAnotherDatabaseBringsSecrets(t *testing.T) {
	t.Parallel()
	from, folder := newTrackIn(t), t.TempDir()
	from.recordEverything(folder)
	original := readText(t, from.db)
	bring := func(t *testing.T, column string, route ...string) {
		table, name, _ := strings.Cut(column, ".")
		other := writeFile(t, filepath.Join(t.TempDir(), "other.db"), original)
		change(t, other, fmt.Sprintf(`UPDATE %s SET %s = %s || ' %s'`, table, name, name, secretText()))
		to := trackIn{t, testdb.NewFile(t)}
		_, stderr, code := to.run("", append(route, other)...)
		if code == exitInternal || strings.Contains(stderr, madeUp[0]) {
			t.Errorf("%s by %s: exit %d: %s", column, route[0], code, stderr)
		}
		for _, leak := range leaks(t, to.db) {
			t.Errorf("%s by %s: %s", column, route[0], leak)
		}
	}
	for kind, columns := range recordedTexts {
		if kind == "made" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for _, column := range strings.Fields(columns) {
				if column != "attachment.data" && column != "execution_score.document" { // they are compressed
					bring(t, column, "merge")
				}
			}
		})
	}
}

// recordEverything records something of each kind.
func (in trackIn) recordEverything(folder string) {
	in.t.Helper()
	file := func(name, text string) string { return writeFile(in.t, filepath.Join(folder, name), text) }
	in.must("scenario: s\ntitle: t\nmetrics:\n- {name: a, type: RANGE, min: 0, max: 1, group: g}\n", "spec", "add", "-")
	in.must("", "sweep", "--scenario", "s", "--seeds", "1..3", "--label", "swept", "--param", "x=y", "--env-cmd", "echo lib", "--", "sh", "-c", `echo note >&2; echo '{"a":0.5}'`)
	in.must("", "record", "seed", "--scenario", "s", "--seed", "9", "--label", "other", "--outcome", "error", "--message", "m", "--series", file("x.json", `{"x":[1,2]}`))
	in.must("", "baseline", "set", "s@swept", "--reason", "r")
	in.must("", "lineage", "new", "evolving", "--root", file("root.md", "A plain prompt."), "--seed", "1")
	in.must("", "mutation", "propose", "--lineage", "evolving", "--child", file("child.md", "Another prompt."), "--note", "n", "--id", "m1", "--operator", "o")
	in.must("", "mutation", "withdraw", "m1", "--reason", "r")
	in.must(`{"kind":"execution","lineage":"evolving","task":"t","key":"k","message":"m","status":"error","output":"o","session":"s","model":"m","truths":{"u":1},`+
		`"calls":[{"tool":"Bash","input":"i","error":"e","output":"o","key":"c"}]}`+"\n", "record", "batch", "-")
}
