package provenance

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"track"
	"track/internal/masking"
)

// Patience says how long git may take.
type Patience struct {
	Limit       time.Duration     // after this time the state of the code is unknown
	NoticeAfter time.Duration     // after this time Notice is called
	Notice      func(text string) // nil for nobody
}

// NewPatience returns the patience of track: git gets 30 s, and notice is called after 2 s.
func NewPatience(notice func(text string)) Patience {
	return Patience{Limit: 30 * time.Second, NoticeAfter: 2 * time.Second, Notice: notice}
}

// errLate says that the limit of a [Patience] is over.
var errLate = errors.New("git did not answer")

// begin returns a context that ends at the limit. The caller calls done when git has answered.
func (p Patience) begin(ctx context.Context) (limited context.Context, done func()) {
	limited, cancel := context.WithTimeoutCause(ctx, p.Limit, fmt.Errorf("%w within %v", errLate, p.Limit))
	if p.Notice == nil {
		return limited, cancel
	}
	notice := time.AfterFunc(p.NoticeAfter, func() { p.Notice("waiting for git status") })
	return limited, func() {
		notice.Stop()
		cancel()
	}
}

// Bounds of what is read for one revision. If there is more, the state of the code is unknown.
const (
	maxChanges = 16 << 20 // bytes of the list of changed files
	maxContent = 32 << 20 // bytes of changes
	maxStderr  = 4 << 10
)

// errNoRepository says that a folder lies in no work tree of git. A bare repository has none.
var errNoRepository = errors.New("not in a git repository")

// codeState is the code in a work tree.
type codeState struct {
	revision track.Revision // without the mark of an unknown state
	tree     workTree
	unknown  string // why it is not known what the code is; empty if it is
	notice   string // for people: what else is missing, and what helps; empty if nothing is
}

// findCode returns the code of the git repository around dir; an empty dir is the working directory. Without a
// repository, the revision is empty: that is known. Whatever fails makes the state unknown.
func findCode(ctx context.Context, dir string) (code codeState) {
	tree, err := findWorkTree(dir)
	if errors.Is(err, errNoRepository) {
		code.notice = fmt.Sprintf("the revision is unknown: %v; `git init` and a commit make it known", err)
		return code
	}
	if err != nil {
		code.unknown = err.Error()
		return code
	}
	code.tree = tree
	status, err := tree.status(ctx)
	if err != nil {
		code.unknown = err.Error()
		code.revision.Commit, _ = tree.head(ctx) // what is wrong with git is said
		return code
	}
	code.revision.Commit = status.commit
	if status.dirty {
		if code.revision.DiffHash, err = tree.diffHash(ctx, status); err != nil {
			code.unknown = fmt.Sprintf("the changes cannot be read: %v; commit them", err)
			return code
		}
		code.revision.Dirty = true
	}
	if status.commit == "" {
		code.notice = fmt.Sprintf("%s has no commit yet; `git commit` makes its revision known", tree)
	}
	return code
}

// workTree is the root of a work tree of git: the folder that holds .git.
type workTree string

// findWorkTree returns the nearest work tree at or above dir, by physical paths, as git does. What git refuses then is
// a failure of git, not another repository further up.
func findWorkTree(dir string) (workTree, error) {
	start, err := filepath.Abs(dir)
	if err == nil {
		start, err = filepath.EvalSymlinks(start)
	}
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(start); err != nil || !info.IsDir() {
		return "", cmp.Or(err, fmt.Errorf("%s is not a folder", start))
	}
	for folder := start; ; folder = filepath.Dir(folder) {
		info, err := os.Stat(filepath.Join(folder, ".git"))
		if err == nil && info.IsDir() {
			_, err = os.Lstat(filepath.Join(folder, ".git", "HEAD"))
		}
		switch {
		case err == nil && (info.IsDir() || info.Mode().IsRegular()):
			return workTree(folder), nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("unreadable repository: %w", err)
		case folder == filepath.Dir(folder):
			return "", fmt.Errorf("%s: %w", start, errNoRepository)
		}
	}
}

// treeStatus is what `git status` says of a work tree.
type treeStatus struct {
	commit   string // empty before the first commit
	dirty    bool   // tracked files differ from the commit
	modified []string
	damaged  bool // HEAD names neither a commit nor a branch that has none yet
}

// status asks git for the changed tracked files. It fails rather than take silence for a clean work tree.
func (w workTree) status(ctx context.Context) (treeStatus, error) {
	out, cut, err := w.git(ctx, maxChanges,
		"-c", "core.fsmonitor=", // off: it is a command that the repository names, or a daemon that would outlive us
		"status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind",
		"--untracked-files=no", "--no-renames", "--ignore-submodules=untracked")
	if err != nil {
		return treeStatus{}, err
	}
	if cut {
		return treeStatus{}, errors.New("too many files are changed; commit the changes")
	}
	status, ok := parseStatus(out)
	switch {
	case !ok:
		return treeStatus{}, errors.New("the output of git status cannot be read; it takes git 2.18 or newer")
	case status.damaged:
		return treeStatus{}, errors.New("damaged repository: HEAD leads to no commit; `git fsck` says more")
	}
	return status, nil
}

// parseStatus reads porcelain v2 output with -z and --branch and without renames. The id of the commit must be among
// it, so that no output at all is not read as no changes.
//
//	1 XY SUB MODE_HEAD MODE_INDEX MODE_DISK ID_HEAD ID_INDEX PATH
//	u XY SUB MODE_1 MODE_2 MODE_3 MODE_DISK ID_1 ID_2 ID_3 PATH
func parseStatus(out []byte) (status treeStatus, ok bool) {
	text, terminated := strings.CutSuffix(string(out), "\x00")
	if !terminated {
		return treeStatus{}, false
	}
	var hasCommit bool
	for record := range strings.SplitSeq(text, "\x00") {
		if strings.HasPrefix(record, "# ") {
			if oid, found := strings.CutPrefix(record, "# branch.oid "); found {
				status.commit, hasCommit = objectID([]byte(oid))
				hasCommit = hasCommit || oid == "(initial)"
			}
			status.damaged = status.damaged || record == "# branch.head (unknown)"
			continue
		}
		places := map[byte]int{'1': 8, 'u': 10}[(record + " ")[0]] // of the path
		fields := strings.SplitN(record, " ", places+1)
		if places == 0 || len(fields) <= places || len(fields[2]) != 4 || fields[places] == "" {
			return treeStatus{}, false
		}
		status.dirty = true
		if fields[2][2] == 'M' { // a submodule with changes of its own
			status.modified = append(status.modified, fields[places])
		}
	}
	return status, hasCommit
}

// diffHash identifies the changes of a work tree by the SHA-256 of what git diff prints, masked: whoever knows the rest
// of a file could else try short secrets until the hash fits. Lines with ids of contents are left out, as are files
// that were only touched.
func (w workTree) diffHash(ctx context.Context, status treeStatus) (string, error) {
	sum := sha256.New()
	base := status.commit
	if base == "" {
		tree, _, err := w.git(ctx, maxStderr, "hash-object", "-t", "tree", "--stdin")
		if err != nil {
			return "", err
		}
		base = strings.TrimSpace(string(tree))
	}
	out, cut, err := w.git(ctx, maxContent, "-c", "core.fsmonitor=", "-c", "diff.autoRefreshIndex=false", "diff", "--text", "--no-ext-diff", "--no-textconv",
		"--no-color", "--no-renames", "--unified=3", "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=untracked", base)
	if err != nil {
		return "", err
	}
	if cut {
		return "", fmt.Errorf("they are larger than %d MiB", maxContent>>20)
	}
	header := "" // of a file, until something follows
	for part := range inParts(out) {
		if err := ctx.Err(); err != nil {
			return "", context.Cause(ctx)
		}
		masked, _ := masking.Mask(part)
		for line := range strings.Lines(masked) {
			switch {
			case strings.HasPrefix(line, "diff --git "):
				header = line
			case !strings.HasPrefix(line, "index "):
				_, _ = sum.Write([]byte(header + line)) // never fails
				header = ""
			}
		}
	}
	for _, module := range status.modified {
		inner := workTree(filepath.Join(string(w), filepath.FromSlash(module)))
		status, err := inner.status(ctx)
		if err == nil && status.dirty {
			var hash string
			hash, err = inner.diffHash(ctx, status)
			_, _ = fmt.Fprintf(sum, "submodule %q %s\n", module, hash)
		}
		if err != nil {
			return "", fmt.Errorf("submodule %q: %w", module, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// inParts yields a text in parts of about 1 MiB that end with a line, so that a caller can stop between them.
func inParts(text []byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			n := min(len(text), 1<<20)
			if end := bytes.IndexByte(text[n:], '\n'); end >= 0 {
				n += end + 1
			} else {
				n = len(text)
			}
			if !yield(string(text[:n])) {
				return
			}
			text = text[n:]
		}
	}
}

// Changes returns the differences between the tracked files of the git repository around dir and its commit, as git
// diff writes them. It returns at most so many bytes, followed by a note if there were more.
func Changes(ctx context.Context, dir string, most int, patience Patience) (string, error) {
	ctx, done := patience.begin(ctx)
	defer done()
	tree, err := findWorkTree(dir)
	if err != nil {
		return "", err
	}
	out, cut, err := tree.git(ctx, most, "-c", "core.fsmonitor=", "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=diff", "HEAD")
	if err != nil {
		return "", err
	}
	return limitedBuffer{out, most, cut}.text(), nil
}

// head returns the id of the commit that HEAD names, if the commit exists. It also works in a repository of another
// owner, where `git status` refuses to run: naming the repository skips that check, and rev-parse runs no command that
// the configuration of the repository names.
func (w workTree) head(ctx context.Context) (string, error) {
	out, _, err := w.git(ctx, maxStderr, "--git-dir=.git", "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", err
	}
	id, ok := objectID(bytes.TrimRight(out, "\r\n"))
	if !ok {
		return "", errors.New("the output of git rev-parse cannot be read")
	}
	return id, nil
}

// objectID returns the lowercase form of a full SHA-1 or SHA-256 id. Git writes "none" as zeros.
func objectID(text []byte) (id string, ok bool) {
	if len(text) != 40 && len(text) != 64 {
		return "", false
	}
	id = strings.ToLower(string(text))
	return id, strings.Trim(id, "0123456789abcdef") == "" && strings.Trim(id, "0") != ""
}

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
	err = cmp.Or(cmd.Run(), ctx.Err())
	switch {
	case err == nil:
		return output.bytes, output.cut, nil
	case errors.Is(err, exec.ErrNotFound):
		err = errors.New("git is not on the PATH; install git")
	case errors.Is(context.Cause(ctx), errLate):
		err = fmt.Errorf("%w; `git status` run once by hand often makes it faster", context.Cause(ctx))
	case ctx.Err() != nil:
		err = fmt.Errorf("git was interrupted: %w", context.Cause(ctx))
	default:
		said := strings.TrimSuffix(": "+firstLine(complaint.bytes), ": ")
		err = fmt.Errorf("git failed: %w%s; `git status` run by hand says more", err, said)
	}
	return nil, false, err
}

// gitEnvironment keeps the variables that lead git to its own parts and configuration. It drops those that would lead
// git to another repository or have it write traces, as git itself sets them for hooks, and keeps git from looking for
// a repository at or above ceiling.
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

// firstLine makes a line of foreign output fit for a terminal.
func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '�'
	}, string(line[:min(len(line), 300)]))
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

func (b limitedBuffer) text() string {
	if b.cut {
		return string(b.bytes) + fmt.Sprintf("\n# cut after %d bytes\n", b.max)
	}
	return string(b.bytes)
}
