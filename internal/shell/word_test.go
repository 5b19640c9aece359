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

// What bash inserts is one word again, whatever the name is, and nothing in it runs.
func TestInsert(t *testing.T) {
	t.Parallel()
	const breaks = " \t\n\"'@><=;|&(:"
	names := []string{"plain", "two words", "$(touch pwned)", "`touch pwned`", "it's", `say "hi"`, `back\slash`, "a!b", "a;b|c&d", "~", "#x", "*", "{a,b}", "sepa@v002", "a:b=c", "日本"}
	for _, name := range names {
		first := name[:1]
		for _, typed := range []string{"", `\` + first, "'", `"`, "'" + first, `"` + first} {
			if strings.Contains("'\"\\$`", first) && len(typed) > 1 || first == "日"[:1] && len(typed) > 1 || first == "~" && len(typed) > 1 {
				continue // the first character would have to be quoted
			}
			line := shell.ParseTyped("track seeds "+typed, breaks)
			inserted, safe := line.Insert(name)
			if quote := strings.Trim(typed, first+`\`); !safe && quote != "" && strings.HasSuffix(name, quote) {
				continue // bash would not close the quote
			}
			if !safe {
				t.Errorf("%q after %s is not offered", name, typed)
				continue
			}
			word := inserted
			if quote := strings.Trim(typed, first+`\`); quote != "" {
				word = quote + inserted + quote
			}
			out, err := exec.Command("bash", "-c", "printf '%s.' "+word).Output()
			if err != nil || strings.TrimSuffix(string(out), ".") != name {
				t.Errorf("bash reads %s, after %s, as %q, not %q: %v", word, typed, out, name, err)
			}
		}
	}
	for typed, name := range map[string]string{"$(touch": "x", "$x": "y", "`x": "y", "": "two\nlines", "'": "\x1b[31m", `"a"b`: "abc", "\"$x": "$x"} {
		if inserted, safe := shell.ParseTyped("track seeds "+typed, breaks).Insert(name); safe {
			t.Errorf("%q after %s is offered as %s", name, typed, inserted)
		}
	}
	if inserted, _ := shell.ParseTyped("track executions sepa@v", breaks).Insert("sepa@v002"); inserted != "v002" {
		t.Errorf("bash gets %q for what follows the last @", inserted)
	}
}
