package main

import (
	"bytes"
	"strings"
	"testing"
)

// A command for a database says which variable names a server.
func TestServeNamesVariable(t *testing.T) {
	t.Parallel()
	var errOut bytes.Buffer
	lookup := func(name string) (string, bool) {
		if name == "TRACK_SERVER" {
			return "https://track.example.org", true
		}
		return "", false
	}
	if code := run(t.Context(), []string{"track", "serve"}, strings.NewReader(""), &bytes.Buffer{}, &errOut, lookup); code != 2 || !strings.Contains(errOut.String(), "TRACK_SERVER names the server https://track.example.org: name a database with --db") {
		t.Errorf("exit code %d: %s", code, errOut.String())
	}
}
