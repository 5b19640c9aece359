package pages

import (
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestCommandsExist holds that the command of each page, with all parameters of its question, is in the reference. A
// test of the command line holds that the reference is true.
func TestCommandsExist(t *testing.T) {
	reference := referenceOfCommands(t)
	n := 0
	for _, page := range All() {
		q := page.question
		if q.Name == "" {
			continue
		}
		for _, p := range q.Params {
			value := "7"
			if p.Value.Type() == "boolean" {
				value = "true"
			}
			command, _ := commandOf(q, url.Values{p.Name: {value}})
			n++
			checkCommand(t, reference, page.Path, p.Name, command)
		}
		if len(q.Params) == 0 {
			command, _ := commandOf(q, nil)
			checkCommand(t, reference, page.Path, "", command)
		}
	}
	if n < 100 || len(reference) < 80 {
		t.Errorf("%d commands were compared with %d of the reference", n, len(reference))
	}
}

// referenceOfCommands returns the part of the reference on each command, by its name.
func referenceOfCommands(t *testing.T) map[string]string {
	text, err := os.ReadFile("../docs/reference/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, part := range regexp.MustCompile(`(?m)^###+ `).Split(string(text), -1)[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		parts[name] = rest
	}
	return parts
}

// checkCommand compares a command with the reference: its name, its flags, and whether it takes arguments.
func checkCommand(t *testing.T, reference map[string]string, path, param, command string) {
	words := strings.Fields(command)
	name := words[:1]
	for _, word := range words[1:] {
		if _, known := reference[strings.Join(append(name[:len(name):len(name)], word), " ")]; !known {
			break
		}
		name = append(name, word)
	}
	about, known := reference[strings.Join(name, " ")]
	if !known || len(name) < 2 {
		t.Errorf("%s, %s: %s: no such command", path, param, command)
		return
	}
	usage := regexp.MustCompile(`(?m)^    (track .*)$`).FindString(about)
	for i, word := range words[len(name):] {
		isFlag := strings.HasPrefix(word, "-")
		switch {
		case isFlag && !strings.Contains(about, "| `"+word+"`") && !strings.Contains(about, "| `"+word+" "):
			t.Errorf("%s, %s: %s: the reference has no flag %s", path, param, command, word)
		case !isFlag && i == 0 && !regexp.MustCompile(` [\[(]?[A-Z]{2,}`).MatchString(strings.ReplaceAll(usage, "[FLAGS]", "")):
			t.Errorf("%s, %s: %s: takes no argument: %s", path, param, command, usage)
		}
	}
}
