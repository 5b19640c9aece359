package server

import (
	"fmt"
	"testing"
)

// Pages are kept up to a size, and those that were used longest ago go first.
func TestPageStore(t *testing.T) {
	s := newPageStore()
	const n = 8 // pages of the largest size are kept
	body := make([]byte, largestKeptPage)
	s.put(keptPage{tag: "larger", body: append(body, 0)})
	for i := range n {
		s.put(keptPage{tag: fmt.Sprint(i), body: body})
		s.put(keptPage{tag: fmt.Sprint(i), body: body}) // by two who asked at once
	}
	s.get("0")
	s.put(keptPage{tag: "next", body: body})
	for tag, want := range map[string]bool{"larger": false, "0": true, "1": false, "2": true, "7": true, "next": true} {
		if _, found := s.get(tag); found != want {
			t.Errorf("page %s is kept: %t", tag, found)
		}
	}
	if s.bytes != mostPageBytes || len(s.byTag) != n || s.newest.Len() != n {
		t.Errorf("%d bytes, %d tags and %d pages", s.bytes, len(s.byTag), s.newest.Len())
	}
}
