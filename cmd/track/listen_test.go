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
