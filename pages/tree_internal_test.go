package pages

import (
	"strings"
	"testing"

	"track/answer"
)

func TestTreeNodeWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version answer.TreeVersion
		want    string
	}{
		{answer.TreeVersion{Version: "v1", NFailed: 1}, "v1, active"},
		{answer.TreeVersion{Version: "v2", NFailed: 1}, "v2, failed"},
		{answer.TreeVersion{Version: "v3", NFailed: 1, N: 1}, "v3, open"},
	} {
		if got := (treeNode{Version: c.version}).words(answer.Numbers{}, "v1"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.version, got, c.want)
		}
		if letter, class := treeClass(c.version, "v1"); (letter == "e") != (class == "failed") || (class == "failed") != strings.HasSuffix(c.want, "failed") {
			t.Errorf("%+v has the mark %s of %s", c.version, letter, class)
		}
	}
}
