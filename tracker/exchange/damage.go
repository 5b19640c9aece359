package exchange

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"track/importer"
)

// damageOf identifies a damaged part of a log that is imported into a lineage: a file that grows has the same again,
// and it is not reported again.
func damageOf(lineage string, s importer.Skip) *[sha256.Size]byte {
	path, err := filepath.Abs(s.File)
	if err != nil {
		path = s.File
	}
	digest := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%d\x00%s\x00%s\x00%x", lineage, path, s.Line, s.Offset, s.Field, s.Reason, s.Content))
	return &digest
}
