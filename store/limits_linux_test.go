package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"track"
	"track/store"
)

const childVariable = "TRACK_TEST_CHILD"

// inChild runs the calling test again in a process with these attributes and reports true in it. In the parent it
// returns false once the child has passed, and skips the test where there can be no such process.
func inChild(t *testing.T, attributes *syscall.SysProcAttr) bool {
	t.Helper()
	if os.Getenv(childVariable) == t.Name() {
		return true
	}
	// The link needs no way to the folder of the binary, which other users have not.
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = "/"
	folder := t.TempDir() // TMPDIR may be another user's
	if err := errors.Join(os.Chmod(filepath.Dir(folder), 0o755), os.Chmod(folder, 0o777)); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), childVariable+"="+t.Name(), "TMPDIR="+folder)
	cmd.SysProcAttr = attributes
	output, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Skipf("no process with %+v: %v", *attributes, err)
	case err != nil:
		t.Fatalf("%v\n%s", err, output)
	case strings.Contains(string(output), "--- SKIP"):
		t.Skipf("%s", output)
	case !strings.Contains(string(output), "--- PASS: "+t.Name()):
		t.Fatalf("nothing was tested:\n%s", output)
	}
	return false
}

const nobody = 65534

// asNobody runs the calling test as a user who is bound by permissions, as root is not.
func asNobody(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return true
	}
	return inChild(t, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}})
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(path, 0o755) })
}

func TestReadOnlyFolder(t *testing.T) {
	if !asNobody(t) {
		return
	}
	path := newDatabase(t)
	if err := record(t, openDatabase(t, path), failed(1)); err != nil {
		t.Fatal(err)
	}
	sealed := filepath.Join(t.TempDir(), "sealed")
	copyOf := func(suffixes ...string) string { // what somebody handed over on a disk that cannot be written
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		sealed = filepath.Join(dir, "track.db")
		for _, suffix := range append(suffixes, "") {
			data, err := os.ReadFile(path + suffix)
			if err != nil {
				t.Fatal(err)
			}
			write(t, sealed+suffix, string(data))
			chmod(t, sealed+suffix, 0o444)
		}
		chmod(t, dir, 0o555)
		return sealed
	}
	for name, suffixes := range map[string][]string{"open": {"-wal", "-shm"}, "with its lock": {"-wal", "-shm", ".lock"}} {
		st := openDatabase(t, copyOf(suffixes...))
		if seeds, err := st.Seeds(t.Context(), store.SeedFilter{}); err != nil || len(seeds) != 1 {
			t.Errorf("%s: %d seeds and error %v, want 1", name, len(seeds), err)
		}
	}
	// Closed, it has no log.
	st, err := store.OpenForUpdate(t.Context(), path, clock)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	raw(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
	sealed = copyOf()
	st = openDatabase(t, sealed)
	if seeds, err := st.Seeds(t.Context(), store.SeedFilter{}); err != nil || len(seeds) != 1 {
		t.Errorf("closed: %d seeds and error %v, want 1", len(seeds), err)
	}
	before := contents(t, sealed)
	for name, err := range map[string]error{
		"recording":             record(t, st, failed(2)),
		"OpenForUpdate":         recordAfresh(t, sealed, failed(2)),
		"Init beside it":        doors["Init"](t.Context(), filepath.Join(filepath.Dir(sealed), "new.db")),
		"Init in a folder":      doors["Init"](t.Context(), filepath.Join(filepath.Dir(sealed), store.DefaultDir, store.DefaultFile)),
		"a folder not readable": unreadable(t),
	} {
		if !errors.Is(err, track.ErrDatabase) || len(track.Hints(err)) == 0 {
			t.Errorf("%s: %v, want ErrDatabase with a hint", name, err)
		}
	}
	if created, err := store.Init(t.Context(), sealed); created || err != nil {
		t.Errorf("Init of what is there: %v, %v", created, err)
	}
	if backup, err := store.Migrate(t.Context(), sealed, clock()); backup != "" || err != nil {
		t.Errorf("Migrate of what is up to date: %q, %v", backup, err)
	}
	if after := contents(t, sealed); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("files changed from %v to %v", before, after)
	}
}

func recordAfresh(t *testing.T, path string, seed track.Seed) error {
	st, err := store.OpenForUpdate(t.Context(), path, clock)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	return record(t, st, seed)
}

func unreadable(t *testing.T) error {
	path := newDatabase(t)
	chmod(t, path, 0)
	return doors["Open"](t.Context(), path)
}

// inNamespace runs the calling test in a process that may mount file systems, which go with it.
func inNamespace(t *testing.T) bool {
	t.Helper()
	return inChild(t, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	})
}

// mountSmall mounts a disk of three megabytes.
func mountSmall(t *testing.T, disk string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("mounting a small disk: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
}

// fill leaves not one byte on a disk.
func fill(t *testing.T, disk string) {
	t.Helper()
	filler, err := os.OpenFile(filepath.Join(disk, "filler"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = filler.Write(make([]byte, 4096))
	}
	if err := filler.Close(); err != nil {
		t.Fatal(err)
	}
}

// The disk is a file system that only the child sees.
func TestFullDisk(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	disk := t.TempDir()
	mountSmall(t, disk)
	path, other := filepath.Join(disk, "track.db"), filepath.Join(disk, "other.db")
	for _, path := range []string{path, other} {
		if _, err := store.Init(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	isFull := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, track.ErrDatabase) || !strings.Contains(err.Error(), "the disk is full") || !strings.Contains(fmt.Sprint(track.Hints(err)), "space") {
			t.Errorf("%s on a full disk: %v with hints %q, want ErrDatabase and the way out", what, err, track.Hints(err))
		}
	}
	st := openDatabase(t, path)
	acknowledged := 0
	recordUntilFull := func(record func(track.Seed) error) {
		t.Helper()
		var err error
		for ; err == nil && acknowledged < 10_000; acknowledged++ {
			seed := failed(track.SeedNumber(acknowledged))
			seed.Message = strings.Repeat("x", 1000)
			if err = record(seed); err != nil {
				break
			}
		}
		isFull("recording", err)
	}
	recordUntilFull(func(seed track.Seed) error { return record(t, st, seed) })
	if acknowledged == 0 {
		t.Fatal("the disk was full before the first seed")
	}
	all := func(st *store.Store) {
		t.Helper()
		if seeds, err := st.Seeds(t.Context(), store.SeedFilter{}); err != nil || len(seeds) != acknowledged {
			t.Errorf("%d seeds and error %v, want the %d acknowledged ones", len(seeds), err, acknowledged)
		}
	}
	all(st)
	fill(t, disk)
	recordUntilFull(func(seed track.Seed) error { return recordAfresh(t, path, seed) })
	fresh := filepath.Join(disk, "new", "track.db")
	isFull("Init", doors["Init"](t.Context(), fresh))
	if _, err := os.Stat(fresh); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Init left a file: %v", err)
	}
	all(st)
	_, err := store.OpenOther(t.Context(), other, time.Now) // a reader cannot make the files that it shares with others
	isFull("OpenOther", err)
	if errors.Is(err, track.ErrInvalid) {
		t.Errorf("a full disk is not the fault of the file: %v", err)
	}
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	all(openDatabase(t, path))
	if got := scan[string](t, path, "PRAGMA integrity_check"); got != "ok" {
		t.Error(got)
	}
}
