package provenance

import (
	"bytes"
	"context"
	"errors"
	"strings"
)

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
	damaged bool // HEAD names neither a commit nor a branch that has none yet
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
			status.damaged = status.damaged || string(record) == "# branch.head (unknown)"
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

// head returns the id of the commit that HEAD names, if the commit exists. It is fast in a repository of any size. It
// also works in a repository of another owner, where `git status` refuses to run: naming the repository skips that
// check, and rev-parse runs no command that the configuration of the repository names.
func (w workTree) head(ctx context.Context) (string, error) {
	out, _, err := w.git(ctx, maxObjectID, "--git-dir=.git", "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", err
	}
	id, ok := objectID(bytes.TrimRight(out, "\r\n"))
	if !ok {
		return "", errors.New("the output of git rev-parse cannot be read")
	}
	return id, nil
}

const maxObjectID = 100 // bytes of an id, a line end, and some room

// objectID returns the lowercase form of a full SHA-1 or SHA-256 id. Git writes "none" as zeros.
func objectID(text []byte) (id string, ok bool) {
	if len(text) != 40 && len(text) != 64 {
		return "", false
	}
	id = strings.ToLower(string(text))
	return id, strings.Trim(id, "0123456789abcdef") == "" && strings.Trim(id, "0") != ""
}
