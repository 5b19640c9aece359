package provenance

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

const maxStderr = 4 << 10

// git runs one command at the root of the work tree. It returns at most maxOutput bytes of output, and whether there
// was more. When ctx ends, the command and its children are killed, and output of children that escaped is no longer
// read.
func (w workTree) git(ctx context.Context, maxOutput int, args ...string) (out []byte, cut bool, err error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = string(w)
	cmd.Env = gitEnvironment(os.Environ(), filepath.Dir(string(w)))
	killWithChildren(cmd)
	output, complaint := limitedBuffer{max: maxOutput}, limitedBuffer{max: maxStderr}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &output, &complaint, time.Second
	if err := cmp.Or(cmd.Run(), ctx.Err()); err != nil {
		return nil, false, explain(ctx, err, complaint.bytes)
	}
	return output.bytes, output.cut, nil
}

// gitEnvironment keeps the variables that lead git to its own parts and configuration. It drops those that would lead
// git to another repository or have it write traces, and keeps git from looking for a repository at or above ceiling.
func gitEnvironment(environ []string, ceiling string) []string {
	var kept []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
			"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE",
			"GIT_CEILING_DIRECTORIES":
			continue
		}
		if !strings.HasPrefix(name, "GIT_TRACE") {
			kept = append(kept, entry)
		}
	}
	return append(kept, "GIT_CEILING_DIRECTORIES="+ceiling, "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
}

// explain says for people why git gave no answer, and the way out.
func explain(ctx context.Context, err error, stderr []byte) error {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("git is not on the PATH; install git")
	case errors.Is(context.Cause(ctx), errLate):
		return fmt.Errorf("%w; `git status` run once by hand often makes it faster", context.Cause(ctx))
	case ctx.Err() != nil:
		return fmt.Errorf("git was interrupted: %w", context.Cause(ctx))
	case len(bytes.TrimSpace(stderr)) > 0:
		return fmt.Errorf("git failed: %w: %s; `git status` run by hand says more", err, firstLine(stderr))
	}
	return fmt.Errorf("git failed: %w; `git status` run by hand says more", err)
}

// firstLine makes a line of foreign output fit for a terminal.
func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	line = line[:min(len(line), 300)]
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '�'
	}, string(line))
}

// limitedBuffer keeps the first max bytes and discards the rest, so that the writer never blocks or dies of a closed
// pipe.
type limitedBuffer struct {
	bytes []byte
	max   int
	cut   bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	keep := min(len(p), b.max-len(b.bytes))
	b.bytes = append(b.bytes, p[:keep]...)
	b.cut = b.cut || keep < len(p)
	return len(p), nil
}
