package lines

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"track"
	"track/evolution"
	"track/internal/jsonio"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// manifestFormat names the format of manifests.
const manifestFormat = "track/manifest/1"

// Manifest names the parts of a lineage by their hashes. It is small enough for version control, and shows what is
// changed or cut off later.
type Manifest struct {
	Format    string             `json:"format"`
	Lineage   string             `json:"lineage"`
	Head      string             `json:"head"`
	End       evolution.Head     `json:"end"`
	SHA256    string             `json:"sha256"` // of what WriteLineage writes
	Versions  []ManifestVersion  `json:"versions"`
	Decisions []ManifestDecision `json:"decisions"`
}

// ManifestVersion names a version.
type ManifestVersion struct {
	Version string `json:"version"`
	Parent  string `json:"parent,omitzero"`
	SHA256  string `json:"sha256,omitzero"` // of its content, if that is known
}

// ManifestDecision names a decision.
type ManifestDecision struct {
	Number   int             `json:"number"`
	Decision string          `json:"decision"`
	Mutation string          `json:"mutation"`
	Attempt  int             `json:"attempt"`
	State    evolution.State `json:"state"`
	Hash     string          `json:"hash"`
}

// Sum returns the SHA-256 of the lines of a lineage, in hexadecimal.
func Sum(x Lineage) (string, error) {
	h := sha256.New()
	err := WriteLineage(h, x)
	return hex.EncodeToString(h.Sum(nil)), err
}

// newManifest returns the manifest of a lineage.
func newManifest(x Lineage) (Manifest, error) {
	m := Manifest{Format: manifestFormat, Lineage: x.Name, Head: x.Head, End: x.End, Versions: []ManifestVersion{}, Decisions: []ManifestDecision{}}
	var err error
	if m.SHA256, err = Sum(x); err != nil {
		return m, err
	}
	for _, v := range x.Versions {
		line := newVersionLine(v)
		m.Versions = append(m.Versions, ManifestVersion{line.Version, line.Parent, line.SHA256})
	}
	for _, e := range x.Entries {
		if e.Kind != evolution.KindDecision {
			continue
		}
		var r evolution.Record
		if err := e.Decode(&r); err != nil {
			return m, err
		}
		m.Decisions = append(m.Decisions, ManifestDecision{e.Number, e.ID(), r.Mutation, r.Attempt, r.Decision.State, e.Hash})
	}
	return m, nil
}

// WriteManifest writes the manifest of a lineage.
func WriteManifest(w io.Writer, x Lineage) error {
	m, err := newManifest(x)
	if err != nil {
		return err
	}
	if err := json.MarshalWrite(w, m, json.Deterministic(true), jsontext.WithIndent("  ")); err != nil {
		return err
	}
	_, err = w.Write([]byte{'\n'})
	return err
}

// ReadManifest reads a manifest.
func ReadManifest(file string, text []byte) (m Manifest, err error) {
	if err := json.Unmarshal(text, &m, json.RejectUnknownMembers(true)); err != nil {
		problem := jsonio.FieldError(err)
		problem.File = file
		return m, problem
	}
	if m.Format != manifestFormat {
		return m, &track.FieldError{File: file, Field: "format", Message: fmt.Sprintf("%q: a manifest has %s", m.Format, manifestFormat)}
	}
	return m, nil
}
