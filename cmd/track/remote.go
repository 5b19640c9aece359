package main

import (
	"track/access"
	"track/remote"
)

// serverAddress returns the address of the server that the user names; empty if a database is to be used.
func (p *program) serverAddress() (string, error) {
	if p.shared.server != "" {
		if p.shared.db != "" {
			return "", usage("--server and --db: a question is asked of a server or of a database, not of both")
		}
		return p.shared.server, nil
	}
	if path, err := p.namedDatabase(); path != "" || err != nil {
		return "", err
	}
	return p.getenv("TRACK_SERVER"), nil
}

// client returns the client of the server that the user names; nil if a database is to be used.
func (p *program) client() (*remote.Client, error) {
	address, err := p.serverAddress()
	if address == "" || err != nil {
		return nil, err
	}
	secret := remote.OwnerSecret(address)
	if text := p.getenv("TRACK_TOKEN"); text != "" {
		if secret, err = access.ParseSecret(text); err != nil {
			return nil, usage("TRACK_TOKEN: %v", err)
		}
	}
	return remote.New(address, secret)
}
