package keptfiles_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/internal/keptfiles"
	"track/internal/sizes"
)

// write makes files of some bytes in a new folder.
func write(t *testing.T, files map[string]int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, n := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Repeat("x", n)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// found lists names with their sizes, or with the reason why a content was left out.
func found(t *testing.T, r keptfiles.Rules, dir string) (list []string, k keptfiles.Kept) {
	t.Helper()
	k, err := r.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range k.Artifacts {
		if a.LeftOut != "" {
			list = append(list, a.Name+": "+a.LeftOut)
		} else {
			list = append(list, fmt.Sprintf("%s %d", a.Name, len(a.Content)))
		}
	}
	return list, k
}

func TestFind(t *testing.T) {
	dir := write(t, map[string]int{"out/a.log": 3, "out/b.log": 4, "out/logs/c.log": 5, "out/empty": 0, "beside/d.log": 6, "e.log": 7})
	for _, tt := range []struct {
		patterns []string
		want     []string
		missed   []string
	}{
		{[]string{"*.log"}, []string{"a.log 3", "b.log 4"}, nil},
		{[]string{"a.log", "./a.*", "*.log"}, []string{"a.log 3", "b.log 4"}, nil},
		{[]string{"*/*.log", "empty"}, []string{"empty 0", "logs/c.log 5"}, nil},
		{[]string{"logs", "none", "?"}, nil, []string{"logs", "none", "?"}},
		{[]string{"../e.log", "../beside/*.log", "logs/../../none/*"}, []string{"d.log 6", "e.log 7"}, []string{"logs/../../none/*"}},
		{[]string{filepath.Join(dir, "bes*", "*.log")}, []string{"beside/d.log 6"}, nil},
		{[]string{"logs/../a.log"}, []string{"a.log 3"}, nil},
	} {
		got, k := found(t, keptfiles.Rules{Patterns: tt.patterns}, filepath.Join(dir, "out"))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: %s", tt.patterns, diff)
		}
		if diff := cmp.Diff(tt.missed, k.Unmatched); diff != "" {
			t.Errorf("%q: unmatched: %s", tt.patterns, diff)
		}
	}
}

func TestLimits(t *testing.T) {
	files := map[string]int{"big": 11, "bad\nname": 1}
	for i := range 20 {
		files[fmt.Sprintf("f%02d", i)] = 1
	}
	refuse := func(name string) error {
		if name == "f00" {
			return errors.New("looks like a secret")
		}
		return nil
	}
	got, k := found(t, keptfiles.Rules{Patterns: []string{"*"}, Largest: 10, RefuseName: refuse}, write(t, files))
	if len(got) != 20 || got[0] != "big: it has 11 bytes; a file of up to 10 is kept" || got[16] != "f16 1" || got[17] != "f17: a run keeps 16 files" || k.NUnnamed != 2 {
		t.Errorf("%q, %d without a trace", got, k.NUnnamed)
	}
	// A file is as large as it may be, and together they are too large.
	got, _ = found(t, keptfiles.Rules{Patterns: []string{"*"}, Largest: 8 << 20}, write(t, map[string]int{"a": 8 << 20, "b": 1}))
	if len(got) != 2 || got[0] != "a 8388608" || !strings.HasPrefix(got[1], "b: it has 1 bytes, and with those before it more than") {
		t.Errorf("%q", got)
	}
	if err := keptfiles.CheckLargest(sizes.Size(33 << 20)); err == nil {
		t.Error("33 MiB is taken for a limit")
	}
}

// Links are followed within the folder alone.
func TestLinks(t *testing.T) {
	dir := write(t, map[string]int{"secret": 5, "out/real": 3})
	for name, target := range map[string]string{"out/near": "real", "out/far": "../secret", "out/dir": "..", "out/gone": "nothing"} {
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Skip("no symbolic links: ", err)
		}
	}
	got, _ := found(t, keptfiles.Rules{Patterns: []string{"*", "dir/secret"}}, filepath.Join(dir, "out"))
	const unread = ": it cannot be read, or is a link that leads out of the folder of the run"
	if diff := cmp.Diff([]string{"dir" + unread, "far" + unread, "gone" + unread, "near 3", "real 3"}, got); diff != "" {
		t.Error(diff)
	}
}
