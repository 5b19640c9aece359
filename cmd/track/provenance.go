package main

import (
	"context"

	"track"
	"track/internal/provenance"
)

// origin is where a seed came from.
type origin struct {
	revision    track.Revision
	environment track.Environment
	notice      string // why something of it is missing; may be empty
}

// provenance finds out where a seed comes from, while its values are read: the machine, and the revision of the code in the
// working directory unless the user declared one.
func (p *program) provenance(ctx context.Context, declared string) <-chan origin {
	found := make(chan origin, 1)
	go func() {
		o := origin{revision: track.Revision{Commit: declared}, environment: provenance.Environment(provenance.Version(version))}
		if declared == "" {
			revision, _ := provenance.GitRevision(ctx, "") // its notice tells what the error would
			o.revision = track.Revision{Commit: revision.Commit, Dirty: revision.Dirty == provenance.DirtyYes, DiffHash: revision.DiffHash}
			o.notice = revision.Notice
			if revision.Dirty == provenance.DirtyUnknown && revision.Commit != "" {
				// Not a part of the identity: a slow moment of git would split the seeds of one configuration.
				o.environment["git_state"] = "unknown"
			}
		}
		found <- o
	}()
	return found
}
