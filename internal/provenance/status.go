package provenance

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"unicode"
)

const maxStderr = 4 << 10

// change is a tracked path whose file differs from the commit.
type change struct {
	path     string // from the root of the work tree, elements separated by '/'; any bytes
	mode     string // of the file on disk, as git writes it
	modified bool   // a submodule with changes of its own
}

const (
	modeAbsent    = "000000"
	modeSubmodule = "160000"
)

// treeStatus is what `git status` says of a work tree.
type treeStatus struct {
	commit  string // empty before the first commit
	changes []change
	cut     bool // there are more changes than the output may hold
}

// status asks git for the changed tracked files. It fails rather than take silence for a clean work tree.
func (r repository) status(ctx context.Context, maxOutput int) (treeStatus, error) {
	out, cut, err := r.git(ctx, maxOutput,
		"-c", "core.fsmonitor=", // off: it is a command of the repository's choice, or a daemon that would outlive us
		"status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind",
		"--untracked-files=no", "--no-renames", "--ignore-submodules=untracked")
	if err != nil {
		return treeStatus{}, err
	}
	if cut {
		out = out[:bytes.LastIndexByte(out, 0)+1]
	}
	status, ok := parseStatus(out)
	if !ok {
		return treeStatus{}, errors.New("the output of git status cannot be read; it takes git 2.18 or newer")
	}
	status.cut = cut
	return status, nil
}

// parseStatus reads porcelain v2 output with -z and --branch and without renames. The id of the commit must be among it, so
// that no output at all is not read as no changes.
func parseStatus(out []byte) (status treeStatus, ok bool) {
	var hasCommit bool
	for len(out) > 0 {
		record, rest, terminated := bytes.Cut(out, []byte{0})
		if !terminated {
			return treeStatus{}, false
		}
		out = rest
		if bytes.HasPrefix(record, []byte("# ")) {
			if oid, found := bytes.CutPrefix(record, []byte("# branch.oid ")); found {
				status.commit, hasCommit = objectID(oid)
				hasCommit = hasCommit || string(oid) == "(initial)"
			}
			continue
		}
		c, ok := parseChange(record)
		if !ok {
			return treeStatus{}, false
		}
		status.changes = append(status.changes, c)
	}
	return status, hasCommit
}

// parseChange reads one record:
//
//	1 XY SUB MODE_HEAD MODE_INDEX MODE_DISK ID_HEAD ID_INDEX PATH
//	u XY SUB MODE_1 MODE_2 MODE_3 MODE_DISK ID_1 ID_2 ID_3 PATH
func parseChange(record []byte) (change, bool) {
	var mode, path int // positions among the fields
	switch {
	case bytes.HasPrefix(record, []byte("1 ")):
		mode, path = 5, 8
	case bytes.HasPrefix(record, []byte("u ")):
		mode, path = 6, 10
	default:
		return change{}, false
	}
	fields := strings.SplitN(string(record), " ", path+1)
	if len(fields) <= path || len(fields[2]) != 4 || !octalMode(fields[mode]) || fields[path] == "" {
		return change{}, false
	}
	return change{path: fields[path], mode: fields[mode], modified: fields[2][2] == 'M'}, true
}

func octalMode(s string) bool { return len(s) == 6 && strings.Trim(s, "01234567") == "" }

// revParse asks git for the commit where its files cannot be read without it.
func (r repository) revParse(ctx context.Context) (string, error) {
	out, _, err := r.git(ctx, maxPointerFile, "rev-parse", "--verify", "--quiet", "HEAD")
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", errUnborn // with --quiet git says nothing and returns 1, while it dies with 128 of anything worse
	}
	if err != nil {
		return "", err
	}
	id, ok := objectID(bytes.TrimRight(out, "\r\n"))
	if !ok {
		return "", errors.New("the output of git rev-parse cannot be read")
	}
	return id, nil
}

// git runs one command at the root of the work tree. It returns at most maxOutput bytes of output, and whether that is less
// than all. When ctx ends, the command and its children are killed, and whoever escaped that is no longer listened to.
func (r repository) git(ctx context.Context, maxOutput int, args ...string) (out []byte, cut bool, err error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.root
	cmd.Env = gitEnvironment(os.Environ())
	killWithChildren(cmd)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, false, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, false, err
	}
	if err := cmd.Start(); err != nil {
		return nil, false, explain(ctx, err, nil)
	}
	defer context.AfterFunc(ctx, func() {
		stdout.Close()
		stderr.Close()
	})()

	output, complaint := limitedBuffer{max: maxOutput}, limitedBuffer{max: maxStderr}
	var reading sync.WaitGroup
	reading.Go(func() { io.Copy(&complaint, stderr) }) // for people; half of it is better than none
	_, readErr := io.Copy(&output, stdout)
	reading.Wait()
	// Only now, because until then the process is there, if only in name, and its group can be killed safely.
	if err := cmp.Or(cmd.Wait(), readErr, ctx.Err()); err != nil {
		return nil, false, explain(ctx, err, complaint.bytes)
	}
	return output.bytes, output.cut, nil
}

// gitEnvironment keeps what leads git to its own parts and configuration, and drops what would lead it to another repository
// or have it write traces.
func gitEnvironment(environ []string) []string {
	var kept []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
			"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE":
			continue
		}
		if !strings.HasPrefix(name, "GIT_TRACE") {
			kept = append(kept, entry)
		}
	}
	return append(kept, "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
}

// explain says for people why git gave no answer, and the way out.
func explain(ctx context.Context, err error, stderr []byte) error {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("git is not on the PATH; install git")
	case context.Cause(ctx) == errBudget:
		return errors.New("git did not answer in time; `git status` run once by hand often makes it faster")
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

// limitedBuffer keeps the first max bytes and swallows the rest, so that the writer never blocks or dies of a closed pipe.
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
