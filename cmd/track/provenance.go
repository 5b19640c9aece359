package main

import (
	"context"

	"track/internal/provenance"
)

// provenance finds out where a seed comes from while its values are read and the database is opened.
func (p *program) provenance(ctx context.Context, declaredCommit string) <-chan provenance.Origin {
	found := make(chan provenance.Origin, 1)
	go func() { found <- provenance.Find(ctx, declaredCommit, provenance.Version(version), p.patience()) }()
	return found
}

// patience says how long git may take, and that its user hears if it is slow.
func (p *program) patience() provenance.Patience {
	return provenance.NewPatience(func(text string) { p.notice("%s", text) })
}
