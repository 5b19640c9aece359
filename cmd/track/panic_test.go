package main

import (
	"bytes"
	"strings"
	"testing"

	"track/internal/testdb"
)

// brokenInput panics when it is read.
type brokenInput struct{}

func (brokenInput) Read([]byte) (int, error) {
	var nothing map[string]*int
	return *nothing["none"], nil
}

// brokenOutput panics when it is written.
type brokenOutput struct{}

func (brokenOutput) Write([]byte) (int, error) { panic("no output") }

// A panic, in whatever goroutine, ends with exit code 70 and no stack trace, unless TRACK_DEBUG asks for one.
func TestPanic(t *testing.T) {
	db := testdb.NewFile(t)
	for _, tt := range []struct {
		name, debug, want string
		args              []string
	}{
		{"in a goroutine", "", "internal error: runtime error: invalid memory address", []string{"record", "batch", "-"}},
		{"in the command", "", "internal error: no output", []string{"seeds", "--format", "json"}},
		{"with a stack trace", "1", "panic_test.go", []string{"seeds", "--format", "json"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var errOut bytes.Buffer
			lookup := func(name string) (string, bool) { return tt.debug, name == "TRACK_DEBUG" }
			code := run(t.Context(), append(append([]string{"track"}, tt.args...), "--db", db), brokenInput{}, brokenOutput{}, &errOut, lookup)
			text := errOut.String()
			if code != exitInternal || !strings.Contains(text, tt.want) || !strings.Contains(text, "track check "+db) {
				t.Errorf("exit %d:\n%s", code, text)
			}
			if strings.Contains(text, "goroutine") != (tt.debug != "") {
				t.Errorf("with TRACK_DEBUG=%s:\n%s", tt.debug, text)
			}
		})
	}
}
