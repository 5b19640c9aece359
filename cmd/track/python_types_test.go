package main

import (
	"os/exec"
	"testing"

	"track/internal/outsidetest"
)

// The Python client says its types, as mypy --strict checks them, and Python 3.8 can read it.
func TestPythonTypes(t *testing.T) {
	t.Parallel()
	const client = "../../clients/python/track.py"
	python, err := exec.LookPath("python3")
	if err != nil {
		outsidetest.Missing(t, "there is no python3")
	}
	const read = "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read(), feature_version=(3, 8))"
	if out, err := exec.CommandContext(t.Context(), python, "-c", read, client).CombinedOutput(); err != nil {
		t.Errorf("Python 3.8 cannot read it: %v: %s", err, out)
	}
	mypy, err := exec.LookPath("mypy")
	if err != nil {
		outsidetest.Missing(t, "there is no mypy")
	}
	cmd := exec.CommandContext(t.Context(), mypy, "--strict", "--python-version", "3.8", "--cache-dir", t.TempDir(), client)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
