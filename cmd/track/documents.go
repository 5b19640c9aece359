package main

import (
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// The shapes that several commands share in --format json. docs/reference/json.md describes them, golden tests hold them.

type configurationDocument struct {
	Hash     string         `json:"hash"`
	Label    string         `json:"label"`
	Params   jsontext.Value `json:"params"`
	Commit   string         `json:"commit"`
	Dirty    bool           `json:"dirty"`
	DiffHash string         `json:"diff_hash,omitempty"`
}

func newConfigurationDocument(hash string, c track.Configuration) configurationDocument {
	return configurationDocument{hash, c.Label, c.Params.JSON(), c.Revision.Commit, c.Revision.Dirty, c.Revision.DiffHash}
}
