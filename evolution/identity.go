package evolution

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// VersionID identifies a version by its content: the SHA-256 in lowercase hexadecimal. Equal contents are one version.
func VersionID(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// VersionLabel returns the name of the n-th version of a lineage for people: v001, v002, …
func VersionLabel(n int) string { return fmt.Sprintf("v%03d", n) }

// mutationDomain keeps these hashes apart from all others.
const mutationDomain = "track/mutation/1\x00"

// mutationID derives the id of a mutation from its parents (one, or two for a crossover, in either order), its child
// and its operator, so that a loop that runs again finds the same mutation:
//
//	"m-" + the first 16 hexadecimal digits of
//	SHA-256("track/mutation/1" 0x00 || for f in [operator, child, parents sorted…]: u32be(len f) || f)
func mutationID(parents []string, child, operator string) string {
	sorted := slices.Sorted(slices.Values(parents))
	b := []byte(mutationDomain)
	for _, field := range append([]string{operator, child}, sorted...) {
		b = appendField(b, field)
	}
	sum := sha256.Sum256(b)
	return "m-" + hex.EncodeToString(sum[:8])
}
