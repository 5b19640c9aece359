package server

import (
	"errors"
	"testing"
)

// Nobody does more at once than they may, and neither do all.
func TestAtOnce(t *testing.T) {
	b := atOnce{own: 2, all: 3}
	var leaves []func()
	for i, tt := range []struct {
		name string
		busy bool
	}{{"a", false}, {"a", false}, {"a", true}, {"b", false}, {"b", true}, {"c", true}} {
		leave, err := b.enter(tt.name)
		if errors.Is(err, errBusy) != tt.busy {
			t.Errorf("%d, %s: %v", i, tt.name, err)
		}
		if err == nil {
			leaves = append(leaves, leave)
		}
	}
	for _, leave := range leaves {
		leave()
	}
	if _, err := b.enter("c"); err != nil || len(b.of) != 1 {
		t.Errorf("after all left: %v, %d are known", err, len(b.of))
	}
}
