package provenance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"track"
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
	maxContent = 32 << 20 // bytes of changed files
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
// repository, the revision is empty: that is known. Whatever fails, git, the reading of a changed file, or the search
// for the repository, makes the state unknown.
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
	if len(status.changes) > 0 {
		if code.revision.DiffHash, err = diffHash(ctx, tree, status); err != nil {
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
