package answer

import (
	"strings"

	"track"
)

// SpecRef names a version of a spec.
type SpecRef struct {
	Version int    `json:"version"`
	Hash    string `json:"hash"` // of the canonical document
}

// describe names a configuration for people: its hash, and what of its parts is known.
func describe(c track.RecordedConfiguration) string {
	parts := []string{track.ShortHash(c.Hash)}
	if c.Label != "" {
		parts = append(parts, "label "+c.Label)
	}
	if c.Revision != (track.Revision{}) {
		parts = append(parts, "revision "+c.Revision.String())
	}
	if c.Params != "" {
		parts = append(parts, "params "+ShortParams(c.Params))
	}
	return strings.Join(parts, ", ")
}
