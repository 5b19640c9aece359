package main

import (
	"net"
	"strings"
	"testing"

	"track"
)

// An address that cannot be listened on is an error of the command line, which says why.
func TestListenOn(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	for address, want := range map[string]string{
		taken.Addr().String(): "address already in use",
		"127.0.0.1:99999":     "invalid port",
		"192.0.2.1:0":         "cannot assign requested address",
	} {
		_, err := listenOn(address)
		if exitCode(err) != exitUsage || !strings.Contains(err.Error(), "--addr "+address+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: exit code %d: %v", address, exitCode(err), err)
		}
		if inUse := address == taken.Addr().String(); (len(track.Hints(err)) > 0) != inUse {
			t.Errorf("%s: hints %v", address, track.Hints(err))
		}
	}
}

// A server that listens on all addresses says one at which it answers.
func TestReachedAt(t *testing.T) {
	for _, tt := range []struct {
		ip    string
		hosts []string
		want  string
	}{
		{"127.0.0.1", nil, "127.0.0.1:7717"}, {"10.0.0.5", []string{"track.example.org"}, "10.0.0.5:7717"}, {"::1", nil, "[::1]:7717"},
		{"0.0.0.0", nil, "127.0.0.1:7717"}, {"::", nil, "127.0.0.1:7717"}, {"::", []string{"track.example.org", "b"}, "track.example.org:7717"}, {"::", []string{"fd00::1"}, "[fd00::1]:7717"},
	} {
		if got := reachedAt(&net.TCPAddr{IP: net.ParseIP(tt.ip), Port: 7717}, tt.hosts); got != tt.want {
			t.Errorf("%s %v: %s, want %s", tt.ip, tt.hosts, got, tt.want)
		}
	}
	for host, good := range map[string]bool{"track.example.org": true, "10.0.0.5": true, "fd00::1": true, "http://foo": false, "foo:7717": false, "": false, "a/b": false, "[::1]": false} {
		if err := checkHosts([]string{host}); (err == nil) != good {
			t.Errorf("%q: %v", host, err)
		}
	}
}
