package server

import (
	"fmt"
	"testing"
)

// Answers and pages are kept up to a size, and those that were used longest ago go first.
func TestWrittenStore(t *testing.T) {
	s := newWrittenStore()
	const n = 8 // of the largest size are kept
	body := make([]byte, largestWritten)
	s.put("larger", written{body: append(body, 0)})
	for i := range n {
		s.put(fmt.Sprint(i), written{body: body})
		s.put(fmt.Sprint(i), written{body: body}) // by two who asked at once
	}
	s.put("", written{body: body})
	s.get("0")
	s.put("next", written{body: body})
	for tag, want := range map[string]bool{"larger": false, "0": true, "1": false, "2": true, "7": true, "next": true} {
		if _, found := s.get(tag); found != want {
			t.Errorf("%s is kept: %t", tag, found)
		}
	}
	if s.bytes != mostWrittenBytes || len(s.byTag) != n || s.newest.Len() != n {
		t.Errorf("%d bytes, %d tags and %d in order", s.bytes, len(s.byTag), s.newest.Len())
	}
}
