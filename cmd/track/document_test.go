package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documentBlock is a fenced block of a document that a comment above it marks, and what it says is printed.
type documentBlock struct {
	document string
	line     int    // of the fence
	mark     string // "run", "ask", "file: NAME", or "copy: PATH" of a file of this project
	fence    string // the language that the fence names
	text     string
	prints   []string // the indented lines between a block to run and what comes next
}

// place is where a block stands.
func (b documentBlock) place() string { return fmt.Sprintf("%s:%d", b.document, b.line) }

// parseDocument returns the marked blocks: of sh to run, of anything for a file to write.
func parseDocument(name, text string) (blocks []documentBlock, err error) {
	mark, fence := "", ""
	var block *documentBlock
	for i, line := range strings.Split(text, "\n") {
		marked, isMark := strings.CutPrefix(line, "<!-- ")
		switch {
		case fence != "" && line == fence:
			fence = ""
		case fence != "":
			if block != nil {
				block.text += line + "\n"
			}
		case strings.HasPrefix(line, "```"):
			fence, block = "```", nil
			if mark == "run" && line != "```sh" {
				return nil, fmt.Errorf("%s:%d: a block to run is marked sh, not %q", name, i+1, line)
			}
			if mark != "" {
				blocks = append(blocks, documentBlock{document: name, line: i + 1, mark: mark, fence: strings.TrimPrefix(line, "```")})
				block = &blocks[len(blocks)-1]
			}
			mark = ""
		case mark != "":
			return nil, fmt.Errorf("%s:%d: %q marks no block", name, i, mark)
		case isMark:
			mark, block = strings.TrimSuffix(marked, " -->"), nil
		case block != nil && strings.HasPrefix(line, "    "):
			block.prints = append(block.prints, strings.TrimPrefix(line, "    "))
		case block != nil && line != "":
			block = nil
		}
	}
	return blocks, nil
}

// TestDocuments runs the marked blocks of each document, one after the other in one folder that looks like a fresh
// clone, and checks that they print what it shows.
func TestDocuments(t *testing.T) {
	t.Parallel()
	names := documentsToRun(t)
	if len(names) < 5 {
		t.Errorf("only %q have blocks to run", names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testDocument(t, name)
		})
	}
}

// documentsToRun returns the README and the documents that have blocks to run.
func documentsToRun(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md"}
	err := filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("<!-- run -->")) {
			names = append(names, strings.TrimPrefix(filepath.ToSlash(path), "../../"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func testDocument(t *testing.T, name string) {
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := parseDocument(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	dir := cloneFolder(t)
	ran := 0
	for _, block := range blocks {
		kind, file, _ := strings.Cut(block.mark, ": ")
		switch {
		case kind == "file":
			if err := os.WriteFile(filepath.Join(dir, file), []byte(block.text), 0o666); err != nil {
				t.Fatal(err)
			}
		case kind == "copy":
			if text, err := os.ReadFile(filepath.Join("../..", file)); err != nil || string(text) != block.text {
				t.Errorf("%s: the block is not what stands in %s (%v)", block.place(), file, err)
			}
		case block.mark == "run":
			ran++
			block.check(t, block.run(t, dir))
		default:
			t.Fatalf("%s: unknown mark %q", block.place(), block.mark)
		}
	}
	if ran == 0 {
		t.Fatalf("%s: no block of sh is marked with <!-- run -->", name)
	}
}

// cloneFolder makes a folder with examples/, in git where that is installed.
func cloneFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("git"); err != nil {
		return dir
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "."}, {"commit", "--quiet", "--message", "clone"}} {
		git := exec.Command("git", args...)
		git.Dir, git.Env = dir, append(os.Environ(), gitEnvironment()...)
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// run runs a block until its first command that fails, and returns what it printed.
func (b documentBlock) run(t *testing.T, dir string) string {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "sh", "-eux", "-c", b.text)
	if _, err := exec.LookPath("bash"); err == nil {
		shell = exec.CommandContext(t.Context(), "bash", "-eux", "-o", "pipefail", "-c", b.text)
	}
	var out, trace bytes.Buffer
	shell.Dir, shell.Env = dir, environ()
	shell.Stdout, shell.Stderr = &out, &trace
	if err := shell.Run(); err != nil {
		t.Fatalf("%s: the last of these commands failed: %v\n%s\nprinted so far:\n%s", b.place(), err, &trace, &out)
	}
	return out.String()
}

// check looks for the lines that the README shows, in their order. An ellipsis stands for anything; revisions, and the
// configurations they are a part of, are those of another clone.
func (b documentBlock) check(t *testing.T, printed string) {
	t.Helper()
	revision := regexp.MustCompile(`configuration [0-9a-f]{10}|@[0-9a-f]{10}|, revision [0-9a-f]{7}`)
	printed = revision.ReplaceAllString(printed, "")
	for _, line := range b.prints {
		line = revision.ReplaceAllString(line, "")
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(line, " ")), "…", ".*")
		at := regexp.MustCompile(`(?m)^` + pattern + `$`).FindStringIndex(printed)
		if at == nil {
			t.Fatalf("%s: the block does not print %q here:\n%s", b.place(), line, printed)
		}
		printed = printed[at[1]:]
	}
}

func TestParseDocument(t *testing.T) {
	readme := "# title\n<!-- file: a.yaml -->\n```yaml\nx: 1\n```\ntext\n\n    not printed\n\n<!-- run -->\n```sh\ntrack\n```\n\n    one\n    two\n\nmore\n\n    code\n\n```sh\nnot run\n```\n"
	blocks, err := parseDocument("README.md", readme)
	if err != nil || len(blocks) != 2 {
		t.Fatalf("%d blocks, %v; want 2", len(blocks), err)
	}
	file, run := blocks[0], blocks[1]
	if file.mark != "file: a.yaml" || file.text != "x: 1\n" || len(file.prints) != 0 {
		t.Errorf("the file is %+v", file)
	}
	if run.mark != "run" || run.text != "track\n" || run.line != 11 || strings.Join(run.prints, ",") != "one,two" {
		t.Errorf("the block to run is %+v", run)
	}
	for _, bad := range []string{"<!-- run -->\n```python\nx\n```\n", "<!-- run -->\ntext\n"} {
		if _, err := parseDocument("README.md", bad); err == nil {
			t.Errorf("%q has no problem", bad)
		}
	}
}
