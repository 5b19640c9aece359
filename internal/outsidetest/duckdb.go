package outsidetest

import (
	_ "embed" // the script
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed duckdb.mjs
var duckdbScript string

// QueryDuckDB runs a statement in a DuckDB of its own, in a folder, and returns the rows. Wide integers and times are
// texts, as are NaN and infinities.
func QueryDuckDB(t *testing.T, folder, statement string) (rows []map[string]any) {
	t.Helper()
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(string(root[:len(root)-1]), "bin", "duckdb", "node_modules", "@duckdb", "node-api", "lib", "index.js")
	node, err := exec.LookPath("node")
	if _, statErr := os.Stat(module); err != nil || statErr != nil {
		Missing(t, "there is no DuckDB")
	}
	script := filepath.Join(t.TempDir(), "duckdb.mjs")
	if err := os.WriteFile(script, []byte(duckdbScript), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), node, script, module, statement)
	command.Dir = folder
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	if err := json.Unmarshal(output, &rows); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return rows
}
