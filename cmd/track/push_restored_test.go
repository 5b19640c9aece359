package main

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"track/answer"
)

// pushing is a client of a server that is killed and started again.
type pushing struct {
	*testing.T
	dir, db, address, token string
	kill                    func()
}

func newPushing(t *testing.T) *pushing {
	t.Helper()
	p := &pushing{T: t, dir: t.TempDir()}
	p.db = filepath.Join(p.dir, "track.db")
	mustTrack(t, p.dir, "init", "--db", p.db)
	var added answer.AddedToken
	if err := json.Unmarshal([]byte(mustTrack(t, p.dir, "token", "add", "ci", "--scope", "record", "--db", p.db, "--format", "json")), &added); err != nil {
		t.Fatal(err)
	}
	p.token = string(added.Secret)
	p.address, p.kill = startKilled(t, p.dir, p.db, "127.0.0.1:0")
	return p
}

// start starts the server again at its address.
func (p *pushing) start() {
	_, p.kill = startKilled(p.T, p.dir, p.db, strings.TrimPrefix(p.address, "http://"))
}

// track runs a command for a server at an address.
func (p *pushing) track(address string, args ...string) (out string, code int) {
	p.Helper()
	cmd := exec.Command("track", args...)
	cmd.Dir, cmd.Env = p.dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(p.dir, "settings"), "TRACK_SERVER="+address)
	if address != p.address { // of a proxy
		cmd.Env = append(cmd.Env, "TRACK_TOKEN="+p.token)
	}
	text, _ := cmd.CombinedOutput() // the exit code says it
	return string(text), cmd.ProcessState.ExitCode()
}

// record records seeds by a batch for a server at an address.
func (p *pushing) record(address string, numbers ...string) {
	p.Helper()
	var text strings.Builder
	for _, n := range numbers {
		text.WriteString(`{"kind":"seed","scenario":"s","seed":"` + n + `","values":{"a":` + n + `},"configuration":{"label":"c"}}` + "\n")
	}
	if err := os.WriteFile(filepath.Join(p.dir, "batch.jsonl"), []byte(text.String()), 0o600); err != nil {
		p.Fatal(err)
	}
	if out, code := p.track(address, "record", "batch", "batch.jsonl"); code != exitOK {
		p.Fatalf("exit code %d: %s", code, out)
	}
}

// push sends what waits, and wants a text in the answer.
func (p *pushing) push(address, want string) {
	p.Helper()
	if out, code := p.track(address, "push"); code != exitOK || !strings.Contains(out, want) {
		p.Errorf("push: exit code %d, not %q: %s", code, want, out)
	}
}

func (p *pushing) wantSeeds(want string) {
	p.Helper()
	const counts = "SELECT count(*) AS n, count(DISTINCT number) AS numbers, (SELECT coalesce(sum(through), 0) FROM spool) AS through FROM seed"
	if out := tables(p.T, p.dir, p.db, counts); !strings.Contains(out, want) {
		p.Errorf("%s, not %s", out, want)
	}
}

// A server that was restored from an older copy gets again what it had acknowledged since, whether the copy was made by
// track backup or by other means; and so does one whose database was made anew.
func TestPushToRestoredServer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		copy       func(p *pushing, file string)
		restored   string // how many seeds the copy has
	}{
		{"backup", "2 recorded", func(p *pushing, file string) { mustTrack(p.T, p.dir, "backup", file, "--db", p.db) }, "2,2,2"},
		{"copy", "2 recorded", func(p *pushing, file string) {
			text, err := os.ReadFile(p.db)
			if err != nil {
				p.Fatal(err)
			}
			if err := os.WriteFile(file, text, 0o600); err != nil {
				p.Fatal(err)
			}
		}, "2,2,2"},
		{"new", "4 recorded", func(p *pushing, file string) { mustTrack(p.T, p.dir, "init", "--db", file) }, "0,0,0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPushing(t)
			p.record(p.address, "1", "2")
			p.push(p.address, "")
			p.kill()
			mustTrackWith(t, p.dir, p.db, "note", "add", "s", "the log is in the file now")
			older := filepath.Join(p.dir, "older.db")
			tt.copy(p, older)
			p.start()
			p.record(p.address, "3", "4")
			p.push(p.address, "")
			p.push(p.address, "nothing to send")
			p.kill()
			p.wantSeeds("4,4,4")
			for _, end := range []string{"-wal", "-shm", ""} {
				if err := os.Remove(p.db + end); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
			if err := os.Rename(older, p.db); err != nil {
				t.Fatal(err)
			}
			p.wantSeeds(tt.restored)
			p.start()
			p.push(p.address, tt.want)
			p.push(p.address, "nothing to send")
			p.kill()
			p.wantSeeds("4,4,4")
			status, _ := p.track(p.address, "status", "--format", "json")
			if !strings.Contains(status, `"files_kept": 2`) || !strings.Contains(status, `"server_epoch": "`) {
				t.Error(status)
			}
		})
	}
}

// An answer that is lost after the commit lets lines be sent twice: they are recorded once, and what was refused in the
// lost answer is told all the same.
func TestPushAfterLostAnswer(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	target, err := url.Parse(p.address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	var cut, plain atomic.Int32
	var away atomic.Bool
	away.Store(true)
	proxy.ModifyResponse = func(r *http.Response) error {
		if strings.HasSuffix(r.Request.URL.Path, "/api/v1/lines") {
			plain.Add(1)
		}
		if r.Request.Method == http.MethodPost && cut.Add(-1) >= 0 {
			panic(http.ErrAbortHandler)
		}
		return nil
	}
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(between.Close)
	p.record(between.URL, "1", "2")
	p.record(between.URL, "3")
	p.wantSeeds("0,0,0")
	away.Store(false)
	cut.Store(1)
	p.push(between.URL, "1 recorded, 2 duplicate")
	p.wantSeeds("3,3,3")
	if n := plain.Load(); n != 0 {
		t.Errorf("%d requests without a position", n)
	}

	if err := os.WriteFile(filepath.Join(p.dir, "other.json"), []byte(`{"a": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	away.Store(true)
	p.track(between.URL, "record", "seed", "--scenario", "s", "--seed", "1", "--label", "c", "other.json")
	away.Store(false)
	cut.Store(1)
	if out, code := p.track(between.URL, "push"); code != exitConflict || !strings.Contains(out, "1 conflicting") {
		t.Errorf("exit code %d: %s", code, out)
	}
	p.push(between.URL, "nothing to send")
	p.wantSeeds("3,3,4")
}

// A file that a process still writes is sent from where the last sending ended, also by another process.
func TestPushOpenFileInParts(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	p.record(p.address, "1")
	p.push(p.address, "")
	var path string
	err := filepath.WalkDir(filepath.Join(p.dir, "settings"), func(file string, _ fs.DirEntry, err error) error {
		if strings.Contains(file, "ingested") && strings.HasSuffix(file, ".jsonl") {
			path = file
		}
		return err
	})
	if err != nil || path == "" {
		t.Fatalf("no file was kept: %v", err)
	}
	open := filepath.Join(filepath.Dir(filepath.Dir(path)), "01ARZ3NDEKTSV4RRFFQ69G5FAV-host-7.open.jsonl")
	line := func(n string) string {
		return `{"kind":"seed","scenario":"s","seed":"` + n + `","values":{"a":1},"configuration":{"label":"c"}}` + "\n"
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(open, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(line("5") + line("6"))
	p.push(p.address, "2 recorded, 0 duplicate")
	write(line("5") + line("6") + line("7"))
	p.push(p.address, "1 recorded, 2 duplicate")
	p.wantSeeds("4,4,4")
}
