package reportfiles

import (
	"strings"
	"testing"
)

// The difference in a long line is shown where it is.
func TestFirstDifference(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 400)
	for _, tt := range []struct{ there, now, want string }{
		{"same\nold\n", "same\nnew\n", "line 2 differs\n  file      old\n  database  new"},
		{"same", "same\nnew", "line 2 differs\n  file      (nothing: the file ends)\n  database  new"},
		{"same\n" + long + "old rest", "same\n" + long + "new", "line 2 differs from character 401 on\n  file      …" + long[:40] + "old rest\n  database  …" + long[:40] + "new"},
		{long, long + "é", "line 1 differs from character 401 on\n  file      …" + long[:40] + "\n  database  …" + long[:40] + "é"},
		{long + "x" + long, long + "y" + long, "line 1 differs from character 401 on\n  file      …" + long[:40] + "x" + long[:117] + "…\n  database  …" + long[:40] + "y" + long[:117] + "…"},
	} {
		if got := firstDifference([]byte(tt.there), []byte(tt.now)); got != tt.want {
			t.Errorf("got\n%s\nwant\n%s", got, tt.want)
		}
	}
}
