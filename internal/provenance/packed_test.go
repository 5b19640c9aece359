package provenance

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestFindPacked(t *testing.T) {
	const name = "refs/heads/main"
	cases := []struct {
		packed, want string
	}{
		{"", ""},
		{idA + " " + name, idA},
		{idA + " " + name + "\n", idA},
		{idA + " " + name + "\r\n" + idB + " refs/heads/other\r\n", idA},
		{id256 + " " + name + "\n", id256},
		{strings.ToUpper(idA) + " " + name + "\n", idA},
		{"# " + name + "\n" + idA + " " + name + "\n", idA},
		{idB + " refs/tags/v1\n^" + idB + "\n" + idA + " " + name + "\n", idA},
		{idB + " " + name + "2\n" + idA + " " + name + "\n", idA},
		{idB + " x" + name + "\n", ""},
		{idB + " remote/" + name + "\n", ""},
		{idB + " " + name + " \n", ""},
		{idB + "  " + name + "\n", ""},
		{"^" + idB + " " + name + "\n", ""},
		{"abc " + name + "\n", ""},
		{" " + name + "\n", ""},
		{strings.Repeat("0", 40) + " " + name + "\n", ""},
		{idB + "\n " + name + "\n", ""},
		{idB + " " + name + " " + name + "\n", ""},
	}
	for _, c := range cases {
		got, ok := findPacked([]byte(c.packed), name)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("findPacked(%q) = %q, %v, want %q", c.packed, got, ok, c.want)
		}
	}
}

// TestNarrowPacked looks every ref of a large sorted file up, and names before, between and after them.
func TestNarrowPacked(t *testing.T) {
	const n = 2000
	for _, newline := range []string{"\n", "\r\n"} {
		var packed strings.Builder
		packed.WriteString("# pack-refs with: peeled fully-peeled sorted " + newline)
		for i := range n {
			fmt.Fprintf(&packed, "%040x refs/heads/b%06d%s", i+1, i, newline)
			if i%3 == 0 {
				packed.WriteString("^" + idB + newline)
			}
		}
		content := packed.String()
		look := func(name string) (string, bool) {
			start, end, err := narrowPacked(strings.NewReader(content), int64(len(content)), name)
			if err != nil {
				t.Fatal(err)
			}
			if end-start > packedBlock {
				t.Errorf("%s: %d bytes left to search, want at most %d", name, end-start, packedBlock)
			}
			return findPacked([]byte(content[start:end]), name)
		}
		for i := range n {
			want := fmt.Sprintf("%040x", i+1)
			if id, ok := look(fmt.Sprintf("refs/heads/b%06d", i)); id != want || !ok {
				t.Fatalf("ref %d = %q, %v, want %q", i, id, ok, want)
			}
		}
		for _, name := range []string{"refs/heads/a", "refs/heads/b000007x", "refs/heads/b00000", "refs/heads/c", "refs/zzz"} {
			if id, ok := look(name); ok {
				t.Errorf("%s = %q, but it is not there", name, id)
			}
		}
	}
}

// TestPackedRefsTooLargeToSearch leaves an unsorted file to git. It takes no room on disk.
func TestPackedRefsTooLargeToSearch(t *testing.T) {
	dir := newRepo(t)
	commit := git(t, dir, "rev-parse", "HEAD")
	git(t, dir, "pack-refs", "--all")
	write(t, dir, ".git/packed-refs", "# pack-refs with: peeled \n"+commit+" refs/heads/main\n")
	repo, err := findRepository(dir)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := repo.head(); id != commit || err != nil {
		t.Errorf("small and unsorted: %q, %v, want %q", id, err, commit)
	}
	truncate(t, dir, ".git/packed-refs", maxPackedRefs+1)
	if _, err := repo.head(); !errors.Is(err, errNeedsGit) {
		t.Errorf("large and unsorted: error %v, want errNeedsGit", err)
	}
}

// FuzzPackedRefs compares both ways of searching with a reading line by line.
func FuzzPackedRefs(f *testing.F) {
	f.Add([]byte("# pack-refs with: peeled\n"+idA+" refs/heads/main\n^"+idB+"\n"), "refs/heads/main")
	f.Add([]byte(idA+" refs/heads/main2\r\n"+id256+" refs/heads/main\r\n"), "refs/heads/main")
	f.Add([]byte(idA+" refs/x refs/x"), "refs/x")
	f.Add([]byte("\x00\n\n ^#"), "refs/x")
	f.Add([]byte("# pack-refs with: sorted\n"+strings.Repeat(idA+" refs/x\n", 1000)), "refs/y")
	f.Fuzz(func(t *testing.T, packed []byte, name string) {
		if !validRefName(name) {
			return
		}
		var want string
		for line := range bytes.SplitSeq(packed, []byte("\n")) {
			id, rest, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\r")), []byte(" "))
			if oid, ok := objectID(id); ok && string(rest) == name {
				want = oid
				break
			}
		}
		got, ok := findPacked(packed, name)
		if got != want || ok != (want != "") {
			t.Fatalf("findPacked(%q, %q) = %q, %v, want %q", packed, name, got, ok, want)
		}

		start, end, err := narrowPacked(bytes.NewReader(packed), int64(len(packed)), name)
		if err != nil || start < 0 || start > end || end > int64(len(packed)) {
			t.Fatalf("narrowPacked(%q, %q) = %d, %d, %v", packed, name, start, end, err)
		}
		if got, _ := findPacked(packed[start:end], name); got != want && !packedSorted(packed) {
			t.Fatalf("narrowPacked(%q, %q) leaves %q, want %q", packed, name, got, want)
		}
	})
}

// FuzzSortedPackedRefs has the refs sorted, as their first line says, and many enough to be narrowed down.
func FuzzSortedPackedRefs(f *testing.F) {
	f.Add("heads/a heads/b tags/v1", "refs/heads/b", 300)
	f.Add("heads/a/b heads/a-b heads/ab x", "refs/heads/a", 500)
	f.Fuzz(func(t *testing.T, names, name string, n int) {
		var refs []string
		for _, field := range strings.Fields(names) {
			for i := range max(0, min(n, 2000)) {
				if ref := fmt.Sprintf("refs/%s%d", field, i); validRefName(ref) {
					refs = append(refs, ref)
				}
			}
		}
		slices.Sort(refs)
		refs = slices.Compact(refs)
		var packed bytes.Buffer
		packed.WriteString("# pack-refs with: sorted \n")
		for i, ref := range refs {
			fmt.Fprintf(&packed, "%040x %s\n", i+1, ref)
		}
		for _, look := range append(refs[:min(len(refs), 20):min(len(refs), 20)], name) {
			if !validRefName(look) {
				continue
			}
			want := ""
			if i, ok := slices.BinarySearch(refs, look); ok {
				want = fmt.Sprintf("%040x", i+1)
			}
			start, end, err := narrowPacked(bytes.NewReader(packed.Bytes()), int64(packed.Len()), look)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := findPacked(packed.Bytes()[start:end], look); got != want {
				t.Fatalf("%q = %q, want %q", look, got, want)
			}
		}
	})
}
