package store

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"

	"track"
)

const (
	artifactDigestColumns = `artifact.name, artifact.left_out, artifact_content.hash`
	listCheckedArtifacts  = `
	SELECT artifact.seed_id, ` + artifactDigestColumns + `
	  FROM artifact LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
	 WHERE artifact.seed_id BETWEEN $1 AND $2 ORDER BY artifact.seed_id, artifact.name`
	listArtifactDigests = `
	SELECT ` + artifactDigestColumns + `
	  FROM artifact LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id WHERE artifact.seed_id = $1 ORDER BY artifact.name`
	listCheckedContents = `SELECT hash, n_bytes, data FROM artifact_content WHERE data IS NOT NULL`
)

// appendArtifactDigest appends what an artifact adds to the digest of its seed, from a row of [artifactDigestColumns].
func appendArtifactDigest(b []byte, row []driver.Value) []byte {
	a := track.Artifact{Name: asText(row[0]), LeftOut: asText(row[1])}
	hash := asDigest(row[2])
	if a.LeftOut != "" {
		hash = a.Hash()
	}
	return a.AppendDigest(b, hash)
}

// checkArtifacts compares the contents of artifacts with their hashes. A content that is missing shows in the check of
// references.
func (r *Reader) checkArtifacts(ctx context.Context, found func(Damage)) (n int, err error) {
	err = r.stream(ctx, listCheckedContents, nil, func(row []driver.Value) {
		n++
		hash := asDigest(row[0])
		data, _ := row[2].([]byte)
		content, err := decompressWithin(data, track.MaxArtifactBytes)
		if err != nil || sha256.Sum256([]byte(content)) != hash || int64(len(content)) != asInt(row[1]) {
			found(Damage{"artifact_content", "its bytes differ from its hash", "content " + hex.EncodeToString(hash[:5])})
		}
	})
	return n, err
}
