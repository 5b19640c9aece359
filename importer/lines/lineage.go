package lines

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/evolution"
	"track/internal/jsonio"
)

// Lineage is a lineage as it travels: its ledger, and the versions that it names. A lineage without a ledger has all
// its versions.
type Lineage struct {
	Name     string
	KeepText bool
	Head     string
	End      evolution.Head
	Versions []track.Version
	Entries  []evolution.Entry
	// In a whole database only.
	At              time.Time // when the lineage was recorded first
	TrialsElsewhere *int      // trials that the ledger counts and the database lacks
}

type lineageLine struct {
	Kind      string    `json:"kind"`
	V         int       `json:"v"`
	Lineage   string    `json:"lineage"`
	KeepText  bool      `json:"keep_text"`
	At        time.Time `json:"at,omitzero"`
	Elsewhere *int      `json:"trials_elsewhere,omitzero"`
}

type versionLine struct {
	Kind              string    `json:"kind"`
	Version           string    `json:"version"`
	Parent            string    `json:"parent,omitzero"`
	Operator          string    `json:"operator,omitzero"`
	SHA256            string    `json:"sha256,omitzero"` // of the content
	Content           *string   `json:"content"`
	Status            string    `json:"status,omitzero"`
	Note              string    `json:"note,omitzero"`
	Source            string    `json:"source,omitzero"`
	SourceScore       *float64  `json:"source_score,omitzero"`
	SourceParentScore *float64  `json:"source_parent_score,omitzero"`
	CreatedAt         time.Time `json:"created_at,omitzero"` // as its source says
	Masking           int       `json:"masking,omitzero"`    // in a whole database only, as the next
	At                time.Time `json:"at,omitzero"`
}

type entryLine struct {
	Kind  string          `json:"kind"`
	Entry evolution.Entry `json:"entry"`
}

type endLine struct {
	Kind     string         `json:"kind"`
	Head     string         `json:"head"`
	Versions int            `json:"versions"`
	End      evolution.Head `json:"end"`
}

// WriteLineage writes a lineage.
func WriteLineage(w io.Writer, x Lineage) error {
	lines := []any{lineageLine{kindLineage, formatVersion, x.Name, x.KeepText, x.At, x.TrialsElsewhere}}
	for _, v := range x.Versions {
		lines = append(lines, newVersionLine(v))
	}
	for _, e := range x.Entries {
		lines = append(lines, entryLine{"entry", e})
	}
	lines = append(lines, endLine{"end", x.Head, len(x.Versions), x.End})
	b := bufio.NewWriter(w)
	for _, line := range lines {
		if err := json.MarshalWrite(b, line, json.Deterministic(true)); err != nil {
			return err
		}
		if err := b.WriteByte('\n'); err != nil {
			return err
		}
	}
	return b.Flush()
}

func newVersionLine(v track.Version) versionLine {
	line := versionLine{
		Kind: "version", Version: v.Name, Parent: v.Parent, Operator: v.Operator, Content: v.Content, Status: v.Status, Note: v.Note, Source: v.Source,
		SourceScore: v.SourceScore, SourceParentScore: v.SourceParentScore, CreatedAt: v.CreatedAt, At: v.RecordedAt,
	}
	if !v.RecordedAt.IsZero() {
		line.Masking = v.Masking
	}
	if v.Content != nil {
		line.SHA256 = evolution.VersionID([]byte(*v.Content))
	}
	return line
}

func (l versionLine) version(lineage string) track.Version {
	return track.Version{
		Lineage: lineage, Name: l.Version, Parent: l.Parent, Operator: l.Operator, Content: l.Content, Status: l.Status, Note: l.Note, Source: l.Source,
		SourceScore: l.SourceScore, SourceParentScore: l.SourceParentScore, CreatedAt: l.CreatedAt, RecordedAt: l.At, Masking: l.Masking,
	}
}

type lineageReader struct {
	Lineage
	begun, ended bool
}

func (r *lineageReader) line(text []byte) *track.FieldError {
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return jsonio.FieldError(err)
	}
	switch kind.Kind {
	case kindLineage:
		return r.lineage(text)
	case kindVersion:
		var line versionLine
		if problem := decode(text, &line); problem != nil {
			return problem
		}
		r.Versions = append(r.Versions, line.version(r.Name))
	case kindEntry:
		var line entryLine
		if problem := decode(text, &line); problem != nil {
			return problem
		}
		if line.Entry.Lineage != r.Name {
			return &track.FieldError{Field: "entry.lineage", Message: fmt.Sprintf("%q, in an export of %q", line.Entry.Lineage, r.Name)}
		}
		r.Entries = append(r.Entries, line.Entry)
	case kindEnd:
		return r.end(text)
	default:
		return &track.FieldError{Field: "kind", Message: fmt.Sprintf("%q: must be lineage, version, entry or end", kind.Kind)}
	}
	return nil
}

// decode reads a line into one of its kind.
func decode(text []byte, line any) *track.FieldError {
	err := json.Unmarshal(text, line, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	if newer := versionError(text); newer != nil {
		return newer
	}
	return jsonio.FieldError(err)
}

func (r *lineageReader) lineage(text []byte) *track.FieldError {
	var line lineageLine
	if problem := decode(text, &line); problem != nil {
		return problem
	}
	switch {
	case r.begun:
		return &track.FieldError{Field: "kind", Message: "a second lineage: one file holds one"}
	case checkVersion(line.V) != nil:
		return checkVersion(line.V)
	}
	if err := track.CheckName(line.Lineage); err != nil {
		return &track.FieldError{Field: "lineage", Message: err.Error()}
	}
	r.begun, r.Name, r.KeepText, r.At, r.TrialsElsewhere = true, line.Lineage, line.KeepText, line.At, line.Elsewhere
	return nil
}

func (r *lineageReader) end(text []byte) *track.FieldError {
	var line endLine
	if problem := decode(text, &line); problem != nil {
		return problem
	}
	if line.Versions != len(r.Versions) || line.End.Number != len(r.Entries) {
		return &track.FieldError{Field: "end", Message: fmt.Sprintf("%d versions and %d entries, but %d and %d came before", line.Versions, line.End.Number, len(r.Versions), len(r.Entries))}
	}
	r.ended, r.Head, r.End = true, line.Head, line.End
	return nil
}

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
