package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// readings are commands that read what the database of corruptible holds.
var readings = [][]string{
	{"seeds", "s", "--format", "json"},
	{"show", "seed", "s", "7", "--format", "json"},
	{"stability", "s@new", "--format", "json"},
	{"history", "s", "--format", "json"},
	{"improvement", "s@new", "--baseline", "s@old", "--format", "json"},
	{"executions", "--format", "json"},
	{"replay", "--format", "json"},
	{"spec", "show", "s", "--format", "json"},
	{"report", "stability", "s@new"},
	{"check"},
}

// corruptible records seeds of two configurations, executions and a ledger, and returns the bytes of the database.
func corruptible(t *testing.T) []byte {
	t.Helper()
	db := filepath.Join(evolvable(t), "track.db")
	var lines strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	for _, label := range []string{"old", "new"} {
		for i := range 40 {
			fmt.Fprintf(&lines, `{"kind":"seed","scenario":"s","seed":"%d","configuration":{"label":%q,"params":{"x":%d}},"values":{`, i, label, len(label))
			for m := range 12 {
				fmt.Fprintf(&lines, `"m%d":%v,`, m, random.Float64()*1.2)
			}
			lines.WriteString(`"last":1}}` + "\n")
		}
	}
	var spec strings.Builder
	spec.WriteString("scenario: s\nmetrics:\n")
	for m := range 12 {
		fmt.Fprintf(&spec, "  - {name: m%d, type: RANGE, min: 0, max: 1}\n", m)
	}
	batch, specFile := filepath.Join(t.TempDir(), "s.jsonl"), filepath.Join(t.TempDir(), "s.yaml")
	writeText(t, batch, lines.String())
	writeText(t, specFile, spec.String())
	for _, args := range [][]string{{"spec", "add", specFile}, {"record", "batch", batch}, {"backup", db + ".copy"}} {
		if code, _, errOut := inProcess(t, append(args, "--db", db)); code != exitOK {
			t.Fatalf("track %s: exit %d: %s", strings.Join(args, " "), code, errOut)
		}
	}
	data, err := os.ReadFile(db + ".copy") // one file without a log
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// inProcess runs a command, which must end within a minute.
func inProcess(t *testing.T, args []string) (code int, out, errOut string) {
	t.Helper()
	const most = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	var stdout, stderr bytes.Buffer
	code = run(ctx, append([]string{"track"}, args...), strings.NewReader(""), &stdout, &stderr, func(string) (string, bool) { return "", false })
	if ctx.Err() != nil {
		t.Errorf("track %s: not done after %v", strings.Join(args, " "), most)
	}
	return code, stdout.String(), stderr.String()
}

// numberFrom returns the number in a variable of the environment, or else a default.
func numberFrom(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}

// corrupt damages a file in one of the ways of disks and file systems.
func corrupt(random *rand.Rand, data []byte) (damaged []byte, how string) {
	const page = 4096
	damaged = bytes.Clone(data)
	at := random.IntN(len(data))
	switch random.IntN(6) {
	case 0:
		damaged[at] ^= 1 << random.IntN(8)
		return damaged, fmt.Sprintf("bit at %d", at)
	case 1:
		n := min(1+random.IntN(16), len(data)-at)
		for i := range n {
			damaged[at+i] = byte(random.Uint32())
		}
		return damaged, fmt.Sprintf("%d random bytes at %d", n, at)
	case 2:
		n := min(512, len(data)-at)
		clear(damaged[at : at+n])
		return damaged, fmt.Sprintf("%d zeros at %d", n, at)
	case 3:
		from := at / page * page
		clear(damaged[from:min(from+page, len(data))])
		return damaged, fmt.Sprintf("page of zeros at %d", from)
	case 4:
		from, to := random.IntN(len(data)/page)*page, at/page*page
		copy(damaged[to:to+page], data[from:from+page])
		return damaged, fmt.Sprintf("page %d at the place of page %d", from/page+1, to/page+1)
	}
	return damaged[:at], fmt.Sprintf("cut off at %d", at)
}

// No command panics over a damaged database, and none runs on for ever. TRACK_CORRUPT says how many databases are
// damaged, and TRACK_CORRUPT_SEED draws others; make nightly sets them. -run TestCorruptDatabases/^357$ tests one of them.
func TestCorruptDatabases(t *testing.T) {
	n, draw := numberFrom("TRACK_CORRUPT", 15), numberFrom("TRACK_CORRUPT_SEED", 7)
	data := corruptible(t)
	db := filepath.Join(t.TempDir(), "track.db")
	writeText(t, db, string(data))
	for _, args := range readings {
		if code, _, errOut := inProcess(t, append(args, "--db", db)); code != exitOK {
			t.Fatalf("track %s: exit %d: %s", strings.Join(args, " "), code, errOut)
		}
	}
	for seed := range uint64(n) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			damaged, how := corrupt(rand.New(rand.NewPCG(seed, uint64(draw))), data)
			writeText(t, db, string(damaged))
			for _, args := range readings {
				if _, _, errOut := inProcess(t, append(args, "--db", db)); strings.Contains(errOut, "internal error") {
					t.Errorf("%s: track %s panics: %s", how, strings.Join(args, " "), errOut)
				}
			}
			for _, end := range []string{"-wal", "-shm", ".lock"} {
				_ = os.Remove(db + end)
			}
		})
	}
}
