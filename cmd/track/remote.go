package main

import (
	"track/access"
	"track/remote"
)

// serverAddress returns the address, or the name, of the server that the user names; empty if a database is to be used.
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

// serverName returns what names the server: a flag or a variable.
func (p *program) serverName() string {
	if p.shared.server != "" {
		return "--server"
	}
	return "TRACK_SERVER"
}

// client returns the client of the server that the user names; nil if a database is to be used. A name that was given
// to a server brings its own token: TRACK_TOKEN may be another server's.
func (p *program) client() (*remote.Client, error) {
	address, err := p.serverAddress()
	if address == "" || err != nil {
		return nil, err
	}
	return p.clientAt(address)
}

// clientAt returns the client of the server at an address, or of a name.
func (p *program) clientAt(address string) (*remote.Client, error) {
	if remote.IsName(address) {
		n, err := remote.Find(address)
		if err != nil {
			return nil, err
		}
		return n.Client()
	}
	var secret access.Secret
	if text := p.getenv("TRACK_TOKEN"); text != "" {
		var err error
		if secret, err = access.ParseSecret(text); err != nil {
			return nil, usage("TRACK_TOKEN: %v", err)
		}
	}
	return remote.New(address, secret)
}
