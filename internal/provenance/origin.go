package provenance

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"

	"track"
)

// Origin is where a seed came from.
type Origin struct {
	Revision    track.Revision
	Environment track.Environment // if the state of the code is unknown, git_state says why
	Notice      string            // for people: why something is missing; empty if nothing is
	tree        workTree          // whose code the revision names; empty if it was declared or is unknown
}

// Find returns the origin of seeds that are recorded from the working directory by a program of the given version. If
// the user declared a commit, git is not asked. If the state of the code is unknown, each call returns another revision.
func Find(ctx context.Context, declaredCommit, version string, patience Patience) Origin {
	origin := Origin{Revision: track.Revision{Commit: declaredCommit}, Environment: Environment(version)}
	if declaredCommit != "" {
		return origin
	}
	ctx, done := patience.begin(ctx)
	defer done()
	code := findCode(ctx, "")
	origin.Revision, origin.Notice, origin.tree = code.revision, code.notice, code.tree
	if code.unknown != "" {
		origin.Revision.Unknown = newMark()
		origin.Environment["git_state"] = "unknown: " + code.unknown
		origin.Notice = "the state of the code is unknown, so these seeds are a configuration of their own: " + code.unknown
		origin.tree = ""
	}
	return origin
}

// newMark returns a text that no other revision has.
func newMark() string {
	var mark [16]byte
	_, _ = rand.Read(mark[:]) // never fails
	return hex.EncodeToString(mark[:])
}

// HasChanged reports whether the code in the working directory differs from a revision. The error says why that is
// unknown.
func HasChanged(ctx context.Context, from track.Revision, patience Patience) (bool, error) {
	ctx, done := patience.begin(ctx)
	defer done()
	code := findCode(ctx, "")
	if code.unknown != "" {
		return false, errors.New(code.unknown)
	}
	return code.revision != from, nil
}
