package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// A seed with large files and series reaches a server, whose requests are smaller than they are.
func TestLargeSeedsForServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	_, address := listen(t, dir, db, "127.0.0.1:0")
	random := rand.NewChaCha8([32]byte{20})
	file := make([]byte, 20<<20) // nothing makes it shorter
	_, _ = random.Read(file)
	numbers := make([]float64, 100_000)
	normal := rand.New(random)
	for i := range numbers {
		numbers[i] = normal.NormFloat64()
	}
	series, err := json.Marshal(map[string][]float64{"u": numbers})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"state.bin": file, "u.json": series, "values.json": []byte(`{"a":1}`)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	track := func(args ...string) {
		t.Helper()
		cmd := exec.Command("track", args...)
		cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"), "TRACK_SERVER="+address)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	for _, seed := range []string{"1", "2"} {
		track("record", "seed", "--scenario", "s", "--seed", seed, "values.json", "--series", "u.json", "--keep-file", "state.bin", "--max-file-size", "32MiB", "--commit", "c")
	}
	track("push")
	mustTrackWith(t, dir, db, "artifact", "get", "s", "--seed", "2", "state.bin", "-o", "back.bin")
	back, err := os.ReadFile(filepath.Join(dir, "back.bin"))
	if err != nil || !bytes.Equal(back, file) {
		t.Errorf("%d bytes came back of %d, %v", len(back), len(file), err)
	}
	var got map[string][]float64
	if err := json.Unmarshal([]byte(mustTrackWith(t, dir, db, "series", "export", "s", "1", "u", "--to", "json")), &got); err != nil || !slices.Equal(got["u"], numbers) {
		t.Errorf("%d numbers came back of %d, %v", len(got["u"]), len(numbers), err)
	}
}
