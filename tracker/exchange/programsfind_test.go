package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track/tracker/exchange"
)

// Runs are found by what files hold, where their names do not say it.
func TestFindPrograms(t *testing.T) {
	state, err := os.ReadFile("../../importer/gepa/testdata/gepa_state.bin")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"named/gepa_state.bin":   string(state),
		"other/deep/state.pkl":   string(state),
		"other/model.pkl":        "\x80\x04N.",
		"other/notes.bin":        "program_candidates",
		"other/empty.bin":        "",
		"agent.json":             `{"run_id": "initial", "overall_performance": {"accuracy_score": 0.2}}`,
		"run/one/metadata.json":  `{"run_id": "one", "overall_performance": {"accuracy_score": 0.2}}`,
		"run/two/metadata.json":  `{"run_id": "two", "overall_performance": {"accuracy_score": 0.4}}`,
		"seed.json":              `{"kind": "seed", "values": {"accuracy_score": 0.2}}`,
		"evolved/programs.jsonl": `{"id": "p", "metrics": {}}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"":                     "dgm agent.json, openevolve evolved, gepa named, gepa other/deep/state.pkl, dgm run; rest .",
		"other/deep/state.pkl": "gepa other/deep/state.pkl; rest",
		"agent.json":           "dgm agent.json; rest",
		"run":                  "dgm run; rest",
		"seed.json":            "; rest seed.json",
		"other/model.pkl":      "; rest other/model.pkl",
		"nosuch":               "; rest nosuch",
	} {
		runs, rest := exchange.FindPrograms([]string{filepath.Join(dir, name)})
		relative := func(path string) string {
			short, err := filepath.Rel(dir, path)
			if err != nil {
				t.Error(err)
			}
			return filepath.ToSlash(short)
		}
		var found []string
		for _, r := range runs {
			found = append(found, fmt.Sprint(r.Format.Name, " ", relative(r.Path)))
		}
		text := strings.Join(found, ", ") + "; rest"
		for _, path := range rest {
			text += " " + relative(path)
		}
		if text != want {
			t.Errorf("%s: %s, want %s", name, text, want)
		}
	}
}
