package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"track/internal/outsidetest"
)

// maxMemory is what a server may take at any time, in kB.
const maxMemory = 200_000

// A server answers beside more connections than it may hold, each of which has asked something, half of it or nothing,
// and stays.
func TestManyConnections(t *testing.T) {
	const held, more = 4096, 1000
	dir := t.TempDir()
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	cmd, address := listen(t, dir, db, "127.0.0.1:0")
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	host := strings.TrimPrefix(address, "http://")
	connections := make([]net.Conn, held+more)
	for i := range connections {
		c, err := net.Dial("tcp", host)
		if err != nil {
			outsidetest.Missing(t, "connection %d: %v", i, err)
		}
		defer func() { _ = c.Close() }()
		connections[i] = c
		switch i % 3 {
		case 0:
			askHealth(t, c, host)
			expectAnswer(t, c)
		case 1: // half a request
			if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: "); err != nil {
				t.Fatal(err)
			}
		}
	}
	if peak := peakMemory(t, cmd.Process.Pid); peak > maxMemory {
		t.Errorf("%d kB with %d connections", peak, held)
	}
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	askHealth(t, c, host)
	expectAnswer(t, c)
}

// Whoever sends a body slowly keeps nobody from recording, however many they are.
func TestSlowBodies(t *testing.T) {
	const slow = 600
	dir := t.TempDir()
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	token := addToken(t, dir, db, "record")
	address, kill := startKilled(t, dir, db, "127.0.0.1:0")
	t.Cleanup(kill)
	host := strings.TrimPrefix(address, "http://")
	for range slow {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if _, err := fmt.Fprintf(c, "POST /api/v1/lines HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nExpect: 100-continue\r\nContent-Length: 100000\r\n\r\n", host, token); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") { // the body is awaited
			t.Fatalf("%q, %v", line, err)
		}
		if _, err := io.WriteString(c, "{"); err != nil {
			t.Fatal(err)
		}
	}
	sendUntilAcknowledged(t, address, token, 1)
}

func askHealth(t *testing.T, c net.Conn, host string) {
	t.Helper()
	if _, err := fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", host); err != nil {
		t.Fatal(err)
	}
}

func expectAnswer(t *testing.T, c net.Conn) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v", response.Status, err)
	}
}

// peakMemory returns the largest resident size that a process has had, in kB.
func peakMemory(t *testing.T, pid int) (kB int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(peak, &kB); err != nil {
		t.Fatal(err)
	}
	return kB
}
