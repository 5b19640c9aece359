package gepa

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track"
	"track/importer/importertest"
)

func TestRead(t *testing.T) {
	run, err := Read("testdata")
	if err != nil {
		t.Fatal(err)
	}
	importertest.CheckRun(t, run)
	importertest.GoldenRun(t, run, "run.golden")
}

// Damage is named with the file, and with the byte or the field.
func TestRefuses(t *testing.T) {
	state, err := os.ReadFile("testdata/gepa_state.bin")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"cut":        {state[:400], "byte "},
		"no pickle":  {[]byte("{}"), "byte "},
		"number":     {[]byte("I1\n."), "not of a dictionary"},
		"other":      {[]byte("}."), "program_candidates: is missing"},
		"parent":     {bytes.Replace(state, []byte("parent_program_for_candidate"), []byte("parent_program_for_candidatX"), 1), "parent_program_for_candidate: is missing"},
		"wrong kind": {bytes.Replace(state, []byte("prog_candidate_val_subscores"), []byte("prog_candidate_val_subscoreX"), 1), "prog_candidate_val_subscores: is missing"},
	} {
		path := filepath.Join(t.TempDir(), StateFile)
		if err := os.WriteFile(path, tt.data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		if !errors.Is(err, track.ErrInvalid) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), StateFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(t.TempDir()); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("an empty folder: %v", err)
	}
}

// FuzzParse holds whatever is read against what every reader of runs promises.
func FuzzParse(f *testing.F) {
	state, err := os.ReadFile("testdata/gepa_state.bin")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(state)
	f.Add([]byte("}."))
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := parse("f", data)
		if err == nil {
			importertest.CheckRun(t, run)
		}
	})
}
