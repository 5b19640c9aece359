package provenance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// dirtyState reports whether the tracked files of a work tree differ from its commit.
type dirtyState string

// The states of a work tree.
const (
	dirtyNo      dirtyState = "clean"
	dirtyYes     dirtyState = "dirty"
	dirtyUnknown dirtyState = "unknown" // the notice says why
)

// codeState identifies the code in a work tree.
type codeState struct {
	Commit   string // full lowercase hex id, 40 digits (SHA-1) or 64 (SHA-256); empty if there is none or it cannot be read
	Dirty    dirtyState
	DiffHash string // lowercase hex SHA-256 of the changes, see the package comment; empty unless dirty and complete
	Notice   string // for people: why something is missing, and what helps; empty if nothing is
}

// errNoRepository says that a folder lies in no work tree of git. A bare repository has none.
var errNoRepository = errors.New("not in a git repository")

// limits bound what a revision may cost.
type limits struct {
	time    time.Duration // of the state and the changes, without masking
	commit  time.Duration // of the commit alone, if the state is not known in time
	output  int           // bytes of the list of changes
	content int64         // bytes read for the diff hash
}

var defaultLimits = limits{time: 200 * time.Millisecond, commit: 2 * time.Second, output: 16 << 20, content: 32 << 20}

// errBudget is the cause of a context that ended because the time of the limits was up.
var errBudget = errors.New("time is up")

// gitRevision identifies the code of the git repository around dir; an empty dir is the working directory. The limits
// bound what it costs.
//
// The error wraps [errNoRepository], or says why dir cannot be read. Every other failure, such as a missing git, a
// damaged repository or a context that ends, is reported in the notice of the state. The state returned with an error
// is unknown and has a notice, too.
func gitRevision(ctx context.Context, dir string, limits limits) (codeState, error) {
	whole := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, limits.time, errBudget)
	defer cancel()

	tree, err := findWorkTree(dir)
	switch {
	case errors.Is(err, errUnreadable):
		return unknown("the revision is unknown: %v", err), nil
	case errors.Is(err, errNoRepository):
		return unknown("the revision is unknown: %v; `git init` and a commit make it known", err), err
	case err != nil:
		err = fmt.Errorf("git revision: %w", err)
		return unknown("the revision is unknown: %v", err), err
	}

	status, err := tree.status(ctx, limits.output)
	if err != nil {
		return tree.commitAlone(whole, limits, err), nil
	}
	var notices []string
	rev := codeState{Commit: status.commit, Dirty: dirtyNo}
	if len(status.changes) > 0 || status.cut {
		rev.Dirty = dirtyYes
		if rev.DiffHash, err = diffHash(whole, ctx, tree, status, limits); err != nil {
			notices = append(notices, fmt.Sprintf("no diff hash, so different edits of this commit look the same: %v; commit the changes", err))
		}
	}
	if rev.Commit == "" {
		notices = append(notices, fmt.Sprintf("%s has no commit yet; `git commit` makes its revision known", tree))
	}
	rev.Notice = strings.Join(notices, "; ")
	return rev, nil
}

// commitAlone returns what can be known if `git status` failed. Without the commit, a slow moment of git would make
// another configuration, so it has time of its own.
func (w workTree) commitAlone(ctx context.Context, limits limits, failure error) codeState {
	ctx, cancel := context.WithTimeoutCause(ctx, limits.commit, errBudget)
	defer cancel()
	commit, err := w.head(ctx)
	if err != nil {
		return unknown("the revision of %s is unknown: %v", w, failure)
	}
	rev := unknown("whether the tracked files of %s differ from the commit is unknown: %v", w, failure)
	rev.Commit = commit
	return rev
}

func unknown(format string, args ...any) codeState {
	return codeState{Dirty: dirtyUnknown, Notice: fmt.Sprintf(format, args...)}
}
