package main

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/store"
)

// The shapes that several commands share in --format json. docs/reference/json.md describes them, golden tests hold them.

type specRef struct {
	Version int    `json:"version"`
	Hash    string `json:"hash"`
}

func newSpecRef(s store.Spec) specRef { return specRef{s.Version, s.Hash} }

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

// number is null where it is undefined because there is nothing to compute it from.
func number(x float64, n int) *float64 {
	if n == 0 {
		return nil
	}
	return &x
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// notNil makes an empty list of none, which JSON writes as [].
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// end is one end of an interval, nil where there is none.
func end(i ci, k int) *float64 {
	if i == nil {
		return nil
	}
	return &i[k]
}
