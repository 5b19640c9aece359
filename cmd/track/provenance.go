package main

import (
	"context"

	"track/internal/provenance"
)

// provenance finds out where a seed comes from while its values are read and the database is opened.
func (p *program) provenance(ctx context.Context, declaredCommit string) <-chan provenance.Origin {
	found := make(chan provenance.Origin, 1)
	go func() { found <- provenance.Find(ctx, declaredCommit, provenance.Version(version)) }()
	return found
}
