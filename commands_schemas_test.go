package track_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// answerSchemas returns a compiler of docs/reference/answers.schema.json that allows no field without a name there.
func answerSchemas(t *testing.T) *jsonschema.Compiler {
	t.Helper()
	text, err := os.ReadFile("docs/reference/answers.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, definition := range document.(map[string]any)["$defs"].(map[string]any) {
		if definition := definition.(map[string]any); definition["type"] == "object" {
			definition["additionalProperties"] = false
		}
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("answers.json", document); err != nil {
		t.Fatal(err)
	}
	return compiler
}

func fitsSchema(t *testing.T, schemas *jsonschema.Compiler, command, out string) {
	t.Helper()
	schema, err := schemas.Compile("answers.json#/properties/" + strings.ReplaceAll(command, " ", "%20"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
	if err != nil {
		t.Fatalf("track %s: %v\n%s", command, err, out)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("track %s: %v\n%s", command, err, out)
	}
}

// What commands print with --format json fits docs/reference/answers.schema.json. Package ask tests the questions.
func TestCommandsFitTheirSchemas(t *testing.T) {
	in, dir, schemas := newDatabase(t), t.TempDir(), answerSchemas(t)
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	folder, err := filepath.Abs("importer")
	if err != nil {
		t.Fatal(err)
	}
	const values = `{"a": 0.5, "b": NaN}`
	spec := "scenario: s\nmetrics:\n  - {name: a, type: RANGE, min: 0, max: 1}\n"
	in.mustRun(t, "", "init")
	in.mustRun(t, "", "spec", "add", file("s.yaml", spec))
	in.mustRun(t, "", "spec", "add", file("s2.yaml", strings.Replace(spec, "max: 1", "max: 2", 1)))
	simulate := []string{"--", "sh", "-c", `echo '{"a": 0.5}'`}
	for _, tt := range []struct {
		command, stdin string
		args           []string
	}{
		{"init", "", []string{"--db", filepath.Join(dir, "new.db")}},
		{"record seed", values, []string{"--scenario", "s", "--seed", "1", "--commit", "c", "-"}},
		{"record seed --spool", values, []string{"--scenario", "s", "--seed", "2", "--commit", "c", "-"}},
		{"record execution", "", []string{"--lineage", "l", "--version", "v1", "--task", "t", "--score", "50"}},
		{"record batch", `{"kind":"seed","scenario":"s","seed":"3","values":{"a":1},"configuration":{"commit":"c"}}` + "\nno line\n", []string{"-"}},
		{"ingest", "", nil},
		{"status", "", nil},
		{"spec diff", "", []string{"s@1", "s@2"}},
		{"design", "", []string{"lhs", "--param", "x=0..1", "--n", "3"}},
		{"sweep", "", append([]string{"--scenario", "s", "--seeds", "5..7", "--label", "d", "--commit", "c", "--quiet"}, simulate...)},
		{"import", "", []string{"claude-code", folder + "/claudecode/testdata/session.jsonl", "--lineage", "logs"}},
		{"import openevolve", "", []string{folder + "/openevolve/testdata/programs.jsonl", "--lineage", "evolved"}},
		{"merge", "", []string{in.path, "--db", filepath.Join(dir, "new.db")}},
		{"hook status", "", nil},
		{"remote list", "", nil},
		{"backup", "", []string{filepath.Join(dir, "copy.db")}},
		{"migrate", "", nil},
	} {
		words, isSpooled := strings.CutSuffix(tt.command, " --spool")
		args := append(strings.Fields(words), "--format", "json")
		if isSpooled {
			args = append(args, "--spool")
		}
		out, stderr, code := in.run(tt.stdin, append(args, tt.args...)...)
		if out == "" {
			t.Errorf("track %s: exit %d: %s", tt.command, code, stderr)
			continue
		}
		fitsSchema(t, schemas, tt.command, out)
	}
}
