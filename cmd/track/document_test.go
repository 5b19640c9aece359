package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// readmeBlock is a fenced block of the README that a comment above it marks, and what it says is printed.
type readmeBlock struct {
	line   int    // of the fence
	mark   string // "run", or "file: NAME"
	text   string
	prints []string // the indented lines between a block to run and what comes next
}

// parseReadme returns the marked blocks: of sh to run, of anything for a file to write.
func parseReadme(readme string) (blocks []readmeBlock, err error) {
	mark, fence := "", ""
	var block *readmeBlock
	for i, line := range strings.Split(readme, "\n") {
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
				return nil, fmt.Errorf("README.md:%d: a block to run is marked sh, not %q", i+1, line)
			}
			if mark != "" {
				blocks = append(blocks, readmeBlock{line: i + 1, mark: mark})
				block = &blocks[len(blocks)-1]
			}
			mark = ""
		case mark != "":
			return nil, fmt.Errorf("README.md:%d: %q marks no block", i, mark)
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

// TestReadme runs the marked blocks of the README, one after the other in one folder that looks like a fresh clone, and checks
// that they print what it shows.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := parseReadme(string(readme))
	if err != nil {
		t.Fatal(err)
	}
	dir := cloneFolder(t)
	ran := 0
	for _, block := range blocks {
		if name, isFile := strings.CutPrefix(block.mark, "file: "); isFile {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(block.text), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if block.mark != "run" {
			t.Fatalf("README.md:%d: unknown mark %q", block.line, block.mark)
		}
		ran++
		block.check(t, runReadmeBlock(t, dir, block))
	}
	if ran == 0 {
		t.Fatal("README.md: no block of sh is marked with <!-- run -->")
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

// runReadmeBlock runs a block until its first command that fails, and returns what it printed.
func runReadmeBlock(t *testing.T, dir string, block readmeBlock) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-eux", "-c", block.text)
	if _, err := exec.LookPath("bash"); err == nil {
		shell = exec.CommandContext(ctx, "bash", "-eux", "-o", "pipefail", "-c", block.text)
	}
	var out, trace bytes.Buffer
	shell.Dir, shell.Env = dir, append(os.Environ(), "TRACK_DB=")
	shell.Stdout, shell.Stderr = &out, &trace
	if err := shell.Run(); err != nil {
		t.Fatalf("README.md:%d: the last of these commands failed: %v\n%s\nprinted so far:\n%s", block.line, err, &trace, &out)
	}
	return out.String()
}

// check looks for the lines that the README shows, in their order. An ellipsis stands for anything; revisions, and the
// configurations they are a part of, are those of another clone.
func (b readmeBlock) check(t *testing.T, printed string) {
	t.Helper()
	revision := regexp.MustCompile(`configuration [0-9a-f]{10}|, revision [0-9a-f]{7}`)
	printed = revision.ReplaceAllString(printed, "")
	for _, line := range b.prints {
		line = revision.ReplaceAllString(line, "")
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(line, " ")), "…", ".*")
		at := regexp.MustCompile(`(?m)^` + pattern + `$`).FindStringIndex(printed)
		if at == nil {
			t.Fatalf("README.md:%d: the block does not print %q here:\n%s", b.line, line, printed)
		}
		printed = printed[at[1]:]
	}
}

func TestParseReadme(t *testing.T) {
	readme := "# title\n<!-- file: a.yaml -->\n```yaml\nx: 1\n```\ntext\n\n    not printed\n\n<!-- run -->\n```sh\ntrack\n```\n\n    one\n    two\n\nmore\n\n    code\n\n```sh\nnot run\n```\n"
	blocks, err := parseReadme(readme)
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
		if _, err := parseReadme(bad); err == nil {
			t.Errorf("%q has no problem", bad)
		}
	}
}
