package provenance

import (
	"context"

	"track"
)

// Origin is where a seed came from.
type Origin struct {
	Revision    track.Revision
	Environment track.Environment
	Notice      string // for people: why something is missing; empty if nothing is
}

// Find returns the origin of a seed that is recorded from the working directory by a program of the given version. If
// the user declared a commit, git is not asked.
func Find(ctx context.Context, declaredCommit, version string) Origin {
	origin := Origin{Revision: track.Revision{Commit: declaredCommit}, Environment: Environment(version)}
	if declaredCommit != "" {
		return origin
	}
	state, _ := gitRevision(ctx, "", defaultLimits) // the notice says what the error says
	origin.Revision, origin.Notice = state.identity(), state.Notice
	if state.Dirty == dirtyUnknown && state.Commit != "" {
		// Not part of the identity: a slow moment of git would split the seeds of one configuration.
		origin.Environment["git_state"] = "unknown"
	}
	return origin
}

// HasChanged reports whether the code in the working directory is known to differ from a revision.
func HasChanged(ctx context.Context, from track.Revision) bool {
	now, err := gitRevision(ctx, "", defaultLimits)
	return err == nil && now.Dirty != dirtyUnknown && now.identity() != from
}

// identity returns the part of the state that identifies a configuration.
func (s codeState) identity() track.Revision {
	return track.Revision{Commit: s.Commit, Dirty: s.Dirty == dirtyYes, DiffHash: s.DiffHash}
}
