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

// A version whose parent was inferred says so, and its line is dashed.
func TestInferredParent(t *testing.T) {
	t.Parallel()
	tree := answer.LineageTree{Lineage: "l", List: answer.List[answer.TreeVersion]{Items: []answer.TreeVersion{
		{Version: "v1", Root: true}, {Version: "v2", Parents: []string{"v1"}}, {Version: "v3", Parents: []string{"v1"}, Inferred: true},
	}}}
	layout, _ := layoutTree(tree, "", false)
	for i, want := range []bool{false, false, true} {
		if words := layout.Nodes[i].words(answer.Numbers{}, "v2"); strings.Contains(words, "from v1 (inferred)") != want {
			t.Errorf("version %d: %s", i+1, words)
		}
	}
	var v treeView
	v.draw(&builder{}, layout, tree, 100)
	if strings.Count(v.Edges, "M") != 1 || strings.Count(v.Inferred, "M") != 1 {
		t.Errorf("edges %q, inferred %q", v.Edges, v.Inferred)
	}
}
