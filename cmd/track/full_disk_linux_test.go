package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const fullDiskVariable = "TRACK_TEST_FULL_DISK"

// onSmallDisk runs the calling test again in a process that has a disk of three megabytes, and returns its folder there.
// In the parent it returns nothing, once that has passed.
func onSmallDisk(t *testing.T) (disk string) {
	t.Helper()
	if os.Getenv(fullDiskVariable) != t.Name() {
		cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), fullDiskVariable+"="+t.Name())
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		output, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		switch {
		case err != nil && !errors.As(err, &exit), strings.Contains(string(output), "--- SKIP"):
			t.Skipf("SKIPPED, NOTHING WAS CHECKED: no small disk: %v: %s", err, output)
		case err != nil, !strings.Contains(string(output), "--- PASS: "+t.Name()):
			t.Fatalf("%v\n%s", err, output)
		}
		return ""
	}
	disk = t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("mounting a small disk: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	return disk
}

// fillDisk leaves not one byte on a disk, and returns what makes room again.
func fillDisk(t *testing.T, disk string) (free func()) {
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
	return func() {
		if err := os.Remove(filler.Name()); err != nil {
			t.Fatal(err)
		}
	}
}

// A server whose disk is full acknowledges nothing, says why, answers what is asked, and goes on when there is room.
func TestServerOnFullDisk(t *testing.T) {
	t.Parallel()
	disk := onSmallDisk(t)
	if disk == "" {
		return
	}
	p := &pushing{T: t, dir: t.TempDir(), db: filepath.Join(disk, "track.db")}
	mustTrack(t, p.dir, "init", "--db", p.db)
	p.token = addToken(t, p.dir, p.db, "record")
	p.address, p.kill = startKilled(t, p.dir, p.db, "127.0.0.1:0")
	p.record(p.address, "1", "2")
	p.pushUntilSent(p.address)
	free := fillDisk(t, disk)
	acknowledged := 2
	for n := 3; n < 40; n++ { // the log of the database may have room for some
		line := fmt.Sprintf(`{"kind":"seed","scenario":"s","seed":"%d","values":{"a":1},"configuration":{"label":"c"},"message":"%s"}`+"\n", n, strings.Repeat("x", 20000))
		status, said := p.post("lines", line)
		if status == http.StatusOK {
			acknowledged++
			continue
		}
		if status != http.StatusServiceUnavailable || !strings.Contains(said, "the disk is full") || !strings.Contains(said, `"kind":"database"`) {
			t.Errorf("seed %d: %d: %s", n, status, said)
		}
	}
	if acknowledged > 30 {
		t.Fatalf("%d seeds were acknowledged on a full disk", acknowledged)
	}
	p.record(p.address, "50", "51")
	if out, code := p.track(p.address, "push"); code == exitOK || !strings.Contains(out, "the disk is full") {
		t.Errorf("push: exit code %d: %s", code, out)
	}
	if out, code := p.track(p.address, "seeds", "s", "--format", "csv"); code == exitOK && strings.Count(out, ",ok,") != acknowledged {
		t.Errorf("%d seeds were acknowledged: exit code %d: %s", acknowledged, code, out)
	}
	free()
	p.pushUntilSent(p.address)
	p.kill()
	if counted := countRecorded(t, p.dir, p.db); counted != [2]int{acknowledged + 2, acknowledged + 2} {
		t.Errorf("%d seeds of %d numbers, want %d", counted[0], counted[1], acknowledged+2)
	}
}

// post sends a body to a path of the API with the token.
func (p *pushing) post(path, body string) (status int, said string) {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), http.MethodPost, p.address+"/api/v1/"+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+p.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		p.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// A client whose disk is full claims nothing: the record is neither kept nor sent, and the exit code says so. What was
// kept before is sent all the same.
func TestClientOnFullDisk(t *testing.T) {
	t.Parallel()
	disk := onSmallDisk(t)
	if disk == "" {
		return
	}
	p := &pushing{T: t, dir: t.TempDir()}
	p.db = filepath.Join(p.dir, "track.db")
	mustTrack(t, p.dir, "init", "--db", p.db)
	p.token = addToken(t, p.dir, p.db, "record")
	p.address, p.kill = startKilled(t, p.dir, p.db, "127.0.0.1:0")
	client := func(args ...string) (string, int) {
		cmd := exec.Command("track", args...)
		cmd.Dir, cmd.Env = p.dir, append(environ(), "XDG_CONFIG_HOME="+disk, "TRACK_SERVER="+p.address, "TRACK_TOKEN="+p.token)
		out, _ := cmd.CombinedOutput() // the exit code says it
		return string(out), cmd.ProcessState.ExitCode()
	}
	record := func(n string) (string, int) {
		return client("record", "seed", "--scenario", "s", "--seed", n, "--outcome", "error", "--label", "c")
	}
	p.kill()
	if out, code := record("1"); code != exitOK || !strings.Contains(out, "kept seed 1") {
		t.Fatalf("exit code %d: %s", code, out)
	}
	p.start()
	free := fillDisk(t, disk)
	out, code := record("2")
	if code != exitInternal || !strings.Contains(out, "no space left") || strings.Contains(out, "kept seed") || strings.Contains(out, "sent seed") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if python, err := exec.LookPath("python3"); err == nil {
		cmd := pythonCommand(t, p.dir, "full_disk.py", "XDG_CONFIG_HOME="+disk, "TRACK_SERVER="+p.address, "TRACK_TOKEN="+p.token)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "the record is not kept") {
			t.Errorf("%s: %v: %s", python, err, out)
		}
	}
	client("push")
	if counted := countRecorded(t, p.dir, p.db); counted != [2]int{1, 1} {
		t.Errorf("%d seeds of %d numbers while the disk is full, want the one that was kept before", counted[0], counted[1])
	}
	free()
	if out, code := record("2"); code != exitOK {
		t.Errorf("exit code %d: %s", code, out)
	}
	if out, code := client("push"); code != exitOK {
		t.Errorf("exit code %d: %s", code, out)
	}
	if counted := countRecorded(t, p.dir, p.db); counted != [2]int{2, 2} {
		t.Errorf("%d seeds of %d numbers, want 2", counted[0], counted[1])
	}
}
