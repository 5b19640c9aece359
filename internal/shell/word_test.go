package shell_test

import (
	"os/exec"
	"strings"
	"testing"

	"track/internal/shell"
)

// Whatever stands in a word, a shell reads it as it was, and a report can show it: nothing in it is invisible.
func TestWord(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"growth_plus@theta-14": "growth_plus@theta-14",
		"":                     "''",
		"it's":                 `'it'\''s'`,
		"日本 語":                 "'日本 語'",
		"two\nlines":           "'two\nlines'",
		"a\u200fb":             `"$(printf 'a\342\200\217b')"`,
		"50%\u202e\\'$x`\"!":   `"$(printf '50\045\342\200\256\134\047$x` + "`" + `"!')"`,
		"\ufeff\u200b 1\n2":    `"$(printf '\357\273\277\342\200\213 1\0122')"`,
		"-\x1b[0m\xff7":        `"$(printf '\055\033[0m\3777')"`,
	} {
		got := shell.Word(word)
		if got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
		for _, shell := range []string{"sh", "bash"} {
			path, err := exec.LookPath(shell)
			if err != nil {
				continue
			}
			out, err := exec.Command(path, "-c", "printf '%s.' "+got).Output()
			if err != nil || strings.TrimSuffix(string(out), ".") != word {
				t.Errorf("%s reads %s as %q, not %q: %v", shell, got, out, word, err)
			}
		}
	}
}
