package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"track/internal/outsidetest"
)

// pageLanguages are the languages of docs/how-to/api.md: the program that runs blocks from a file, and a statement that
// prints a mark.
var pageLanguages = []pageLanguage{
	{"sh", []string{"sh", "-eu"}, "echo '%s'\n"},
	{"python", []string{"python3"}, "print('%s')\n"},
	{"r", []string{"Rscript"}, "cat('%s\\n')\n"},
}

type pageLanguage struct {
	fence   string
	program []string
	mark    string
}

// The blocks of the page about the API run in each language against a server of their own, and print what it shows.
func TestAPIPage(t *testing.T) {
	t.Parallel()
	const page = "docs/how-to/api.md"
	text, err := os.ReadFile(filepath.Join("../..", page))
	if err != nil {
		t.Fatal(err)
	}
	all, err := parseDocument(page, string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range pageLanguages {
		t.Run(language.fence, func(t *testing.T) {
			t.Parallel()
			testAPIPage(t, all, language)
		})
	}
}

func testAPIPage(t *testing.T, all []documentBlock, language pageLanguage) {
	for _, needed := range []string{language.program[0], "curl"} {
		if _, err := exec.LookPath(needed); err != nil {
			outsidetest.Missing(t, "there is no %s", needed)
		}
	}
	dir := t.TempDir()
	var blocks []documentBlock
	for _, block := range all {
		switch name, isFile := strings.CutPrefix(block.mark, "file: "); {
		case isFile:
			if err := os.WriteFile(filepath.Join(dir, name), []byte(block.text), 0o600); err != nil {
				t.Fatal(err)
			}
		case block.mark == "ask" && block.fence == language.fence:
			blocks = append(blocks, block)
		}
	}
	if len(blocks) < 5 {
		t.Fatalf("only %d blocks of %s", len(blocks), language.fence)
	}
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	token := addToken(t, dir, db, "read,record,spec")
	_, address := listen(t, dir, db, "127.0.0.1:0")
	printed := runBlocks(t, dir, language, blocks, "TRACK_SERVER="+address, "TRACK_TOKEN="+token)
	for i, block := range blocks {
		block.check(t, printed[i])
	}
	for name, begin := range map[string]string{"stability.html": "<!DOCTYPE html>", "history.svg": "<svg"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.HasPrefix(text, []byte(begin)) {
			t.Errorf("%s: %v, %.40q", name, err, text)
		}
	}
}

// runBlocks runs blocks as one program, and returns what each of them printed.
func runBlocks(t *testing.T, dir string, language pageLanguage, blocks []documentBlock, variables ...string) []string {
	t.Helper()
	var source strings.Builder
	between := func(i int) string { return fmt.Sprintf("==== block %d", i) }
	for i, block := range blocks {
		source.WriteString(block.text)
		fmt.Fprintf(&source, language.mark, between(i))
	}
	path := filepath.Join(dir, "page")
	if err := os.WriteFile(path, []byte(source.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), language.program[0], append(language.program[1:], path)...)
	cmd.Dir, cmd.Env = dir, append(environ(), variables...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v: %s\nprinted so far:\n%s", language.program[0], err, &errOut, &out)
	}
	var printed []string
	rest := out.String()
	for i := range blocks {
		text, after, found := strings.Cut(rest, between(i)+"\n")
		if !found {
			t.Fatalf("%s: the block did not end:\n%s", blocks[i].place(), rest)
		}
		printed, rest = append(printed, text), after
	}
	return printed
}
