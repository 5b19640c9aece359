package provenance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Dirty says whether the tracked files of a work tree differ from its commit.
type Dirty string

// The states of a work tree.
const (
	DirtyNo      Dirty = "clean"
	DirtyYes     Dirty = "dirty"
	DirtyUnknown Dirty = "unknown" // the notice of the [Revision] says why
)

// Revision identifies the code in a work tree.
type Revision struct {
	Commit   string // full lowercase hex id, 40 digits (SHA-1) or 64 (SHA-256); empty where there is none or it cannot be read
	Dirty    Dirty
	DiffHash string // lowercase hex SHA-256 of the changes, see the package comment; empty unless dirty and complete
	Notice   string // for people: why something is missing, and what helps; empty if nothing is
}

// ErrNoRepository says that a folder lies in no work tree of git. A bare repository has none.
var ErrNoRepository = errors.New("not in a git repository")

// limits bound what a revision may cost.
type limits struct {
	time    time.Duration // in total, with all subprocesses
	output  int           // bytes of the list of changes
	content int64         // bytes read for the diff hash
}

var defaultLimits = limits{time: 200 * time.Millisecond, output: 16 << 20, content: 32 << 20}

// errBudget is the cause of a context that ended because the time of the limits was up.
var errBudget = errors.New("time is up")

// GitRevision identifies the code of the git repository around dir; an empty dir is the working directory. It takes at most
// 200 ms and reads at most 32 MiB of changed files.
//
// The error wraps [ErrNoRepository], or says why dir cannot be read. Anything else that goes wrong, a damaged repository or a
// context that ends included, is told in the notice beside what could be found. The Revision next to an error is complete too:
// it is unknown, with a notice.
func GitRevision(ctx context.Context, dir string) (Revision, error) {
	return gitRevision(ctx, dir, defaultLimits)
}

func gitRevision(ctx context.Context, dir string, limits limits) (Revision, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limits.time, errBudget)
	defer cancel()

	repo, err := findRepository(dir)
	switch {
	case errors.Is(err, errDamaged):
		return unknown("the revision is unknown: %v", err), nil
	case errors.Is(err, ErrNoRepository):
		return unknown("the revision is unknown: %v; `git init` and a commit make it known", err), err
	case err != nil:
		err = fmt.Errorf("git revision: %w", err)
		return unknown("the revision is unknown: %v", err), err
	}

	commit, err := repo.head()
	if errors.Is(err, errNeedsGit) {
		commit, err = repo.revParse(ctx)
	}
	if err != nil && !errors.Is(err, errUnborn) {
		return unknown("the commit of %s is unknown: %v", repo.root, err), nil
	}

	var notices []string
	rev := Revision{Commit: commit, Dirty: DirtyUnknown}
	status, err := repo.status(ctx, limits.output)
	if err != nil {
		notices = append(notices, fmt.Sprintf("whether the tracked files of %s differ from the commit is unknown: %v", repo.root, err))
	} else {
		rev.Commit = status.commit // the same, unless somebody commits at this moment: then the one that fits the changes
		rev.Dirty = DirtyNo
		if len(status.changes) > 0 || status.cut {
			rev.Dirty = DirtyYes
			rev.DiffHash, err = diffHash(ctx, repo, status, limits)
		}
		if err != nil {
			notices = append(notices, fmt.Sprintf(
				"no diff hash, so different edits of this commit look the same: %v; commit the changes", err))
		}
	}
	if rev.Commit == "" {
		notices = append(notices, fmt.Sprintf("%s has no commit yet; `git commit` makes its revision known", repo.root))
	}
	rev.Notice = strings.Join(notices, "; ")
	return rev, nil
}

func unknown(format string, args ...any) Revision {
	return Revision{Dirty: DirtyUnknown, Notice: fmt.Sprintf(format, args...)}
}
