package track

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Artifact is a small file that belongs to a seed, such as a log of its run.
type Artifact struct {
	Name    string // a relative path with slashes, see [CheckArtifactName]
	Content string // the bytes; in text, secrets are masked
	LeftOut string // why the content is not kept; empty if it is
}

// The limits of what one seed can have.
const (
	maxArtifacts     = 64       // files, those that were left out included
	MaxArtifactBytes = 32 << 20 // of all contents together
)

// Hash identifies the content of an artifact.
func (a Artifact) Hash() [sha256.Size]byte {
	if a.LeftOut != "" {
		return sha256.Sum256([]byte(a.LeftOut))
	}
	return sha256.Sum256([]byte(a.Content))
}

// AppendDigest appends what enters the digest of a seed: the name, a byte that is 1 if the content was left out, and
// the hash of the content or of the reason.
func (a Artifact) AppendDigest(b []byte, hash [sha256.Size]byte) []byte {
	leftOut := byte(0)
	if a.LeftOut != "" {
		leftOut = 1
	}
	return append(append(append(b, a.Name...), leftOut), hash[:]...)
}

// CheckArtifactName returns why a path cannot name an artifact, or nil if it can. The path stays within the folder that
// it is relative to.
func CheckArtifactName(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, `\:`) {
		return fmt.Errorf(`%q is not a relative path such as logs/run.log, without "..", backslash and colon`, name)
	}
	return nil
}

// checkArtifacts returns what is wrong with the artifacts of a seed.
func checkArtifacts(list []Artifact) *FieldError {
	wrong := func(name string, err error) *FieldError {
		return &FieldError{Field: strings.TrimSuffix("artifacts."+name, "."), Message: err.Error()}
	}
	size := 0
	seen := map[string]bool{}
	for _, a := range list {
		if err := CheckArtifactName(a.Name); err != nil {
			return wrong("", fmt.Errorf("the name of a file %w", err))
		}
		if seen[a.Name] {
			return wrong(a.Name, errors.New("is duplicated"))
		}
		seen[a.Name] = true
		size += len(a.Content)
	}
	switch {
	case len(list) > maxArtifacts:
		return wrong("", fmt.Errorf("%d files; a seed can have %d", len(list), maxArtifacts))
	case size > MaxArtifactBytes:
		return wrong("", fmt.Errorf("%d bytes; the files of a seed can have %d MiB together", size, MaxArtifactBytes>>20))
	}
	return nil
}

// SortedArtifacts returns artifacts in the order of their names.
func SortedArtifacts(list []Artifact) []Artifact {
	return slices.SortedFunc(slices.Values(list), func(a, b Artifact) int { return strings.Compare(a.Name, b.Name) })
}
