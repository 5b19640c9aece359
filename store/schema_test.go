package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/migrations"
	"track/store"
)

// raw runs statements on the file at path, past package store.
func raw(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func scan[T any](t testing.TB, path, query string) (value T) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRow(query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

func record(t testing.TB, st *store.Store, seeds ...track.Seed) error {
	t.Helper()
	return st.Update(t.Context(), func(tx *store.Tx) error {
		for _, seed := range seeds {
			seed.RecordedAt, seed.ID = st.Now(), fmt.Sprint(seed.Scenario, seed.Number)
			if _, _, err := tx.AddSeed(seed, seed.Digest()); err != nil {
				return err
			}
		}
		return nil
	})
}

func failed(number track.SeedNumber) track.Seed {
	return track.Seed{Scenario: "s", Number: number, Outcome: track.OutcomeError}
}

// works checks that a seed can be recorded in the database at path, and read again.
func works(t testing.TB, path string) {
	t.Helper()
	st, err := store.Open(t.Context(), path, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	if err := record(t, st, failed(1)); err != nil {
		t.Fatal(err)
	}
	seeds, err := st.Seeds(t.Context(), store.SeedFilter{})
	if err != nil || len(seeds) != 1 {
		t.Fatalf("%d seeds and error %v, want 1", len(seeds), err)
	}
	for query, want := range map[string]any{
		"PRAGMA application_id": int64(0x7472636b), "PRAGMA user_version": int64(migrations.Latest),
		"PRAGMA journal_mode": "wal", "PRAGMA integrity_check": "ok",
	} {
		if got := scan[any](t, path, query); got != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}

func TestInit(t *testing.T) {
	project := t.TempDir()
	path := filepath.Join(project, "new", store.DefaultDir, store.DefaultFile)
	if created, err := store.Init(t.Context(), path); err != nil || !created {
		t.Fatalf("Init: %v, %v", created, err)
	}
	if ignore, err := os.ReadFile(filepath.Join(filepath.Dir(path), ".gitignore")); string(ignore) != "*\n" {
		t.Errorf(".gitignore holds %q, error %v", ignore, err)
	}
	before := contents(t, path)
	if created, err := store.Init(t.Context(), path); err != nil || created {
		t.Errorf("again: %v, %v, want a no-op", created, err)
	}
	if diff := cmp.Diff(before, contents(t, path)); diff != "" {
		t.Errorf("the second Init changed files:\n%s", diff)
	}
	works(t, path)
	elsewhere := filepath.Join(project, "data.db")
	if _, err := store.Init(t.Context(), elsewhere); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(project, ".gitignore")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a .gitignore in a folder of the user: %v", err)
	}
}

// contents returns a digest of each file in the folder of path. The index of the log and an empty log, which readers
// leave behind, are no content.
func contents(t testing.TB, path string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if e.IsDir() || strings.HasSuffix(e.Name(), "-shm") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) == 0 && strings.HasSuffix(e.Name(), "-wal") {
			continue
		}
		files[e.Name()] = fmt.Sprintf("%d bytes, %x", len(data), sha256.Sum256(data))
	}
	return files
}

func TestInitAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), store.DefaultDir, store.DefaultFile)
	initAtOnce(t, path, 16)
	works(t, path)
}

// initAtOnce creates a database n times at once, and wants one creator.
func initAtOnce(t *testing.T, path string, n int) {
	t.Helper()
	type outcome struct {
		created bool
		err     error
	}
	outcomes := make(chan outcome, n)
	for range n {
		go func() {
			created, err := store.Init(t.Context(), path)
			if err == nil {
				var st *store.Store
				if st, err = store.OpenForUpdate(t.Context(), path, clock); err == nil {
					err = st.Close()
				}
			}
			outcomes <- outcome{created, err}
		}()
	}
	creators := 0
	for range n {
		o := <-outcomes
		if o.err != nil {
			t.Error(o.err)
		}
		if o.created {
			creators++
		}
	}
	if creators != 1 {
		t.Errorf("%d of %d created the database", creators, n)
	}
}

// doors are the ways to a database; each returns the error it met.
var doors = map[string]func(ctx context.Context, path string) error{
	"Open": func(ctx context.Context, path string) error {
		st, err := store.Open(ctx, path, clock)
		if st != nil {
			err = errors.Join(err, st.Close())
		}
		return err
	},
	"OpenForUpdate": func(ctx context.Context, path string) error {
		st, err := store.OpenForUpdate(ctx, path, clock)
		if st != nil {
			err = errors.Join(err, st.Close())
		}
		return err
	},
	"Init": func(ctx context.Context, path string) error {
		_, err := store.Init(ctx, path)
		return err
	},
	"Migrate": func(ctx context.Context, path string) error {
		_, err := store.Migrate(ctx, path, clock())
		return err
	},
}

func TestRefusedFiles(t *testing.T) {
	foreign := []string{"CREATE TABLE t (x)", "INSERT INTO t VALUES (1)"}
	for _, tt := range []struct {
		name    string
		make    func(t *testing.T, path string)
		sentry  error
		message string
		hint    string
		opens   []string // doors that are open all the same
	}{
		{name: "no file", make: func(*testing.T, string) {}, sentry: track.ErrNotFound, message: "not found", hint: "create it: init", opens: []string{"Init"}},
		{
			name:   "another program's database",
			make:   func(t *testing.T, path string) { raw(t, path, foreign...) },
			sentry: track.ErrDatabase, message: "not made by track", hint: "db=FILE",
		},
		{
			name: "another program's database with an application id",
			make: func(t *testing.T, path string) {
				raw(t, path, append(foreign, "PRAGMA application_id = 252006674", "PRAGMA user_version = 1")...)
			},
			sentry: track.ErrDatabase, message: "not made by track", hint: "db=FILE",
		},
		{
			name:   "another program's empty database",
			make:   func(t *testing.T, path string) { raw(t, path, "PRAGMA application_id = 252006674") },
			sentry: track.ErrDatabase, message: "not made by track", hint: "db=FILE",
		},
		{
			name:   "another program's database, which counts versions as well",
			make:   func(t *testing.T, path string) { raw(t, path, append(foreign, "PRAGMA user_version = 1")...) },
			sentry: track.ErrDatabase, message: "not made by track", hint: "db=FILE",
		},
		{
			// A checkpoint of the log, harmless as it is, would be a change to the file. Only OpenForUpdate, which
			// looks through the connection that it will write to, makes one.
			name: "another program's database after a crash", opens: []string{"OpenForUpdate"},
			make: func(t *testing.T, path string) {
				crashed(t, path, append([]string{"PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0"}, foreign...)...)
			},
			sentry: track.ErrDatabase, message: "not made by track", hint: "db=FILE",
		},
		{
			name:   "no database",
			make:   func(t *testing.T, path string) { write(t, path, "metric,value\n"+strings.Repeat("a,1\n", 1000)) },
			sentry: track.ErrDatabase, message: "not a SQLite database", hint: "db=FILE",
		},
		{
			name:   "a few bytes",
			make:   func(t *testing.T, path string) { write(t, path, "SQLite format 3\x00") },
			sentry: track.ErrDatabase, message: "not a SQLite database", hint: "db=FILE",
		},
		{
			name: "a newer schema",
			make: func(t *testing.T, path string) {
				raw(t, path, foreign[0], "PRAGMA application_id = 0x7472636b", fmt.Sprintf("PRAGMA user_version = %d", migrations.Latest+1))
			},
			sentry: track.ErrDatabase, message: "newer", hint: "use a newer track",
		},
		{
			name: "an older schema", // none is older than the first yet, so that number has to do which is
			make: func(t *testing.T, path string) {
				raw(t, path, foreign[0], "PRAGMA application_id = 0x7472636b", "PRAGMA user_version = -1")
			},
			sentry: track.ErrDatabase, message: "this track needs", hint: "migrate db=", opens: []string{"Migrate"},
		},
	} {
		for door, enter := range doors {
			if slices.Contains(tt.opens, door) {
				continue
			}
			t.Run(tt.name+"/"+door, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "some.db")
				tt.make(t, path)
				before := contents(t, path)
				err := enter(t.Context(), path)
				if !errors.Is(err, tt.sentry) || !strings.Contains(fmt.Sprint(err), tt.message) {
					t.Fatalf("%v, want %v and %q", err, tt.sentry, tt.message)
				}
				if hints := fmt.Sprint(track.Hints(err)); door != "Migrate" && !strings.Contains(hints, tt.hint) {
					t.Errorf("hints %q, want %q", hints, tt.hint)
				}
				if strings.Count(err.Error(), path) > 1 {
					t.Errorf("%q names the file more than once", err)
				}
				if diff := cmp.Diff(before, contents(t, path)); diff != "" {
					t.Errorf("files changed:\n%s", diff)
				}
			})
		}
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// crashed leaves at path what a program leaves that dies after these statements, log or journal included.
func crashed(t testing.TB, path string, statements ...string) {
	t.Helper()
	crashedWith(t, filepath.Join(t.TempDir(), "alive.db"), path, statements...)
}

// crashedWith does what crashed does, with the file alive.
func crashedWith(t testing.TB, alive, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", alive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	for _, suffix := range []string{"", "-wal", "-journal"} {
		data, err := os.ReadFile(alive + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, path+suffix, string(data))
	}
}

func TestUnfinishedCreation(t *testing.T) {
	const id = "PRAGMA application_id = 0x7472636b"
	for _, tt := range []struct {
		name string
		make func(t *testing.T, path string)
	}{
		{"empty file", func(t *testing.T, path string) { write(t, path, "") }},
		{"application id", func(t *testing.T, path string) { raw(t, path, id) }},
		{"log", func(t *testing.T, path string) { raw(t, path, id, "PRAGMA journal_mode = WAL") }},
		{"log not yet in the file", func(t *testing.T, path string) {
			crashed(t, path, id, "PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", "CREATE TABLE goose_half_way (x)", "DROP TABLE goose_half_way")
		}},
		{"a part of the transaction, in the log", func(t *testing.T, path string) {
			crashed(t, path, id, "PRAGMA journal_mode = WAL", "PRAGMA cache_size = 2", "BEGIN IMMEDIATE", "CREATE TABLE t (x)",
				"WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO t SELECT randomblob(3000) FROM n")
			if info, err := os.Stat(path + "-wal"); err != nil || info.Size() < 100_000 {
				t.Fatal(info, err)
			}
		}},
		{"a transaction without a log", func(t *testing.T, path string) {
			// The pages do not fit into memory, so the file holds what the journal takes back.
			crashed(t, path, "PRAGMA cache_size = 2", "BEGIN IMMEDIATE", id, "CREATE TABLE t (x)",
				"WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO t SELECT randomblob(3000) FROM n")
			if _, err := os.Stat(path + "-journal"); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		for door, enter := range doors {
			t.Run(tt.name+"/"+door, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "some.db")
				tt.make(t, path)
				err := enter(t.Context(), path)
				if (tt.name == "empty file" || tt.name == "log") && door == "Open" { // it may be what is left of a database, so reading must not fill it
					if info, _ := os.Stat(path); err == nil || info.Size() > 4096 {
						t.Fatalf("error %v, %d bytes", err, info.Size())
					}
					_, err = store.Init(t.Context(), path)
				}
				if err != nil {
					t.Fatal(err)
				}
				works(t, path)
			})
		}
	}
}

func TestMigrate(t *testing.T) {
	path := newDatabase(t)
	st, err := store.Open(t.Context(), path, clock)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(record(t, st, failed(7)), st.Close()); err != nil {
		t.Fatal(err)
	}
	before := contents(t, path)
	if backup, err := store.Migrate(t.Context(), path, clock()); err != nil || backup != "" {
		t.Errorf("up to date: backup %q, error %v, want none", backup, err)
	}
	if diff := cmp.Diff(before, contents(t, path)); diff != "" {
		t.Errorf("up to date, yet changed:\n%s", diff)
	}

	raw(t, path, "PRAGMA user_version = -1")
	backup, err := store.Migrate(t.Context(), path, clock())
	if want := path + ".v-1-20260102T030405Z.backup"; err != nil || backup != want {
		t.Fatalf("backup %q, error %v, want %q", backup, err, want)
	}
	for file, version := range map[string]int64{path: migrations.Latest, backup: -1} {
		if got := scan[int64](t, file, "PRAGMA user_version"); got != version {
			t.Errorf("%s has version %d, want %d", file, got, version)
		}
		if got := scan[int64](t, file, "SELECT count(*) FROM seed WHERE number = 7"); got != 1 {
			t.Errorf("%s has %d of the seed, want 1", file, got)
		}
	}
	st = openDatabase(t, path)
	if seeds, err := st.Seeds(t.Context(), store.SeedFilter{}); err != nil || len(seeds) != 1 {
		t.Errorf("%d seeds and error %v after the migration, want 1", len(seeds), err)
	}

	// Nothing is migrated that has no backup.
	raw(t, path, "PRAGMA user_version = -1")
	if _, err := store.Migrate(t.Context(), path, clock()); err == nil {
		t.Error("the backup of the same second was overwritten")
	}
	if got := scan[int64](t, path, "PRAGMA user_version"); got != -1 {
		t.Errorf("without a backup, version %d, want -1", got)
	}
}

func TestFind(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if path, err := store.Find(deep); !errors.Is(err, track.ErrNotFound) || len(track.Hints(err)) == 0 {
		t.Errorf("found %q, %v, want ErrNotFound with a hint", path, err)
	}
	for _, dir := range []string{top, filepath.Join(top, "a")} { // the closest wins
		want := filepath.Join(dir, store.DefaultDir, store.DefaultFile)
		if _, err := store.Init(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{dir, deep} {
			if got, err := store.Find(from); got != want || err != nil {
				t.Errorf("from %s: %s and error %v, want %s", from, got, err, want)
			}
		}
	}
}

// Anybody could have put a database into a folder such as /tmp.
func TestFindPassesOverSharedFolders(t *testing.T) {
	own := t.TempDir()
	shared := filepath.Join(own, "tmp")
	deep := filepath.Join(shared, "a")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	planted := filepath.Join(shared, store.DefaultDir, store.DefaultFile)
	if _, err := store.Init(t.Context(), planted); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Find(deep); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("from below: %s and error %v, want ErrNotFound", got, err)
	}
	if got, err := store.Find(shared); got != planted || err != nil {
		t.Errorf("from the folder itself: %s and error %v, want %s", got, err, planted)
	}
	want := filepath.Join(own, store.DefaultDir, store.DefaultFile)
	if _, err := store.Init(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Find(deep); got != want || err != nil {
		t.Errorf("%s and error %v, want %s, which is above the shared folder", got, err, want)
	}
}

func TestOddPaths(t *testing.T) {
	names := []string{
		"a b", "what?", "mode=memory&x", "50%", "%41", "#1", "a+b", "α β", "日本", "it's", `"q"`, "semi;colon", "[x]", "*", "-dash", ":memory:", "file:x",
		"a?mode=memory", "x?_pragma=user_version(5)", "new\nline", "~", "$HOME",
	}
	if runtime.GOOS == "windows" {
		names = []string{"a b", "50%", "%41", "#1", "α β", "it's", "semi;colon"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), name)
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, name)
			if created, err := store.Init(t.Context(), path); err != nil || !created {
				t.Fatal(created, err)
			}
			if data, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(data, []byte("SQLite format 3\x00")) {
				t.Fatalf("the database is not at its path: %.20q, %v", data, err)
			}
			works := func(path string) {
				st := openDatabase(t, path)
				if err := record(t, st, failed(1)); err != nil {
					t.Fatal(err)
				}
				if seeds, err := st.Seeds(t.Context(), store.SeedFilter{}); err != nil || len(seeds) != 1 {
					t.Fatalf("%d seeds and error %v, want 1", len(seeds), err)
				}
			}
			works(path)
			t.Chdir(dir)
			if seeds, err := openDatabase(t, name).Seeds(t.Context(), store.SeedFilter{}); err != nil || len(seeds) != 1 {
				t.Errorf("by its relative path: %d seeds and error %v, want 1", len(seeds), err)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	path := newDatabase(t)
	st := openDatabase(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ran := false
	if err := st.Update(ctx, func(*store.Tx) error { ran = true; return nil }); !errors.Is(err, context.Canceled) || ran {
		t.Errorf("Update: %v, ran %v", err, ran)
	}
	if _, err := st.Seeds(ctx, store.SeedFilter{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Seeds: %v", err)
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for door, enter := range doors {
		if err := enter(t.Context(), dir); err == nil {
			t.Errorf("%s takes a folder for a database", door)
		}
		blocked := filepath.Join(newDatabase(t), "track.db") // below a file
		if err := enter(t.Context(), blocked); err == nil {
			t.Errorf("%s works below a file", door)
		}
	}
}
