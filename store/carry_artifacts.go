package store

import (
	"crypto/sha256"
	"database/sql/driver"
	"time"

	"track"
)

// ArtifactRecord is a file of a seed as it is stored.
type ArtifactRecord struct {
	Name     string
	LeftOut  string            // why the content was not kept; empty if it was
	Hash     [sha256.Size]byte // of the content
	NBytes   int64
	PrunedAt time.Time // zero if the content is kept
	content  string
}

// Identity returns what [track.Artifact.Hash] returns of the file.
func (r ArtifactRecord) Identity() [sha256.Size]byte {
	if r.LeftOut != "" {
		return track.Artifact{LeftOut: r.LeftOut}.Hash()
	}
	return r.Hash
}

const listArtifactsOfSeeds = `
	SELECT artifact.seed_id, artifact.name, artifact.left_out, artifact_content.hash, artifact_content.n_bytes, artifact_content.pruned_at, artifact_content.data
	  FROM artifact LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
	 WHERE artifact.`

// artifacts loads the files of the seeds.
func (l *seedLoad) artifacts() {
	l.each(listArtifactsOfSeeds, func(s *SeedRecord, row []driver.Value) error {
		r := ArtifactRecord{Name: asText(row[1]), LeftOut: asText(row[2])}
		if r.LeftOut == "" {
			r.Hash, r.NBytes, r.PrunedAt = asDigest(row[3]), asInt(row[4]), asTime(row[5])
		}
		var err error
		if data, ok := row[6].([]byte); ok {
			r.content, err = artifactContent(data, r.Hash[:], r.Name)
		}
		s.Artifacts = append(s.Artifacts, r)
		return err
	})
}

// listArtifactSeeds finds the names of files, and whether their contents are kept.
const listArtifactSeeds = `
	SELECT artifact.seed_id, artifact.name, artifact_content.pruned_at, coalesce(artifact_content.id, 0)
	  FROM artifact LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
	 WHERE artifact.`
