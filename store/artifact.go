package store

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"time"
	"unicode/utf8"

	"track"
)

const (
	findArtifactContent    = `SELECT id, pruned_at IS NOT NULL AS pruned FROM artifact_content WHERE hash = $1`
	insertArtifactContent  = `INSERT INTO artifact_content (hash, n_bytes, data, pruned_at) VALUES ($1, $2, $3, $4) RETURNING id`
	restoreArtifactContent = `UPDATE artifact_content SET data = $1, pruned_at = NULL WHERE id = $2`
	insertArtifact         = `
	INSERT INTO artifact (seed_id, name, artifact_content_id, left_out{, configuration_id}) VALUES ($1, $2, $3, $4{, $5})
	ON CONFLICT (seed_id, name{, configuration_id}) DO NOTHING`
)

// artifactRecord is a file of a seed as it is stored.
type artifactRecord struct {
	Name     string
	LeftOut  string            // why the content was not kept; empty if it was
	Hash     [sha256.Size]byte // of the content
	NBytes   int64
	PrunedAt time.Time // zero if the content is kept
	content  string
}

func recordOf(a track.Artifact) artifactRecord {
	r := artifactRecord{Name: a.Name, LeftOut: a.LeftOut}
	if a.LeftOut == "" {
		r.Hash, r.NBytes, r.content = a.Hash(), int64(len(a.Content)), a.Content
	}
	return r
}

// AddArtifacts stores the artifacts of a seed. A content that is stored already, for whatever seed, is not stored
// again.
func (t *Tx) AddArtifacts(seedID int64, list []track.Artifact) error {
	for _, a := range list {
		if err := t.addArtifact(seedID, recordOf(a)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) addArtifact(seedID int64, r artifactRecord) error {
	if err := t.checkName("artifacts", r.Name); err != nil {
		return err
	}
	var content *int64
	if r.LeftOut == "" {
		id, err := t.artifactContentID(r)
		if err != nil {
			return err
		}
		content = &id
	}
	return t.addPart("seed", seedID, insertArtifact, seedID, r.Name, content, t.free(r.LeftOut))
}

// artifactContentID returns the id of a content, which is stored unless it is here.
func (t *Tx) artifactContentID(r artifactRecord) (int64, error) {
	var found struct {
		ID     int64 `db:"id"`
		Pruned bool  `db:"pruned"`
	}
	err := t.get(&found, findArtifactContent, r.Hash[:])
	if err != nil && !isNoRows(err) || err == nil && (!found.Pruned || !r.PrunedAt.IsZero()) {
		return found.ID, err
	}
	isNew := isNoRows(err)
	data, prunedAt := []byte(nil), timeOrNull(r.PrunedAt)
	if r.PrunedAt.IsZero() {
		if data, err = t.artifactData(r); err != nil {
			return 0, err
		}
		if data == nil {
			prunedAt = t.now
		}
	}
	switch {
	case isNew:
		return found.ID, t.getID(&found.ID, insertArtifactContent, r.Hash[:], r.NBytes, data, prunedAt)
	case data != nil:
		_, err = t.exec(restoreArtifactContent, data, found.ID)
	}
	return found.ID, err
}

// artifactData returns a content as it is stored. It returns nil for a text in which the rules find something to mask:
// its hash is part of the digest of its seed, so it is treated as pruned.
func (t *Tx) artifactData(r artifactRecord) ([]byte, error) {
	if utf8.ValidString(r.content) {
		if _, n := t.texts.Text(r.content); n > 0 {
			return nil, nil
		}
	}
	return t.compress(r.content)
}

// Artifact is a file of a seed without its content.
type Artifact struct {
	Seed          track.SeedNumber
	SeedID        string // ULID
	Configuration int64
	Outcome       track.Outcome
	Name          string
	NBytes        int64
	Hash          string // hex; empty if the content was left out
	LeftOut       string // why
	PrunedAt      time.Time
}

const (
	artifactColumns = `seed.number, seed.ulid, seed.configuration_id, seed.outcome, artifact.name, artifact_content.n_bytes, artifact_content.hash,
	       artifact.left_out, artifact_content.pruned_at`
	listArtifacts = `
	SELECT ` + artifactColumns + `
	  FROM seed ORDERED JOIN artifact ON artifact.seed_id = seed.id LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
	 WHERE {selection} ORDER BY seed.number < 0, seed.number, seed.id, artifact.name`
	listArtifactsOf = `
	SELECT ` + artifactColumns + `
	  FROM seed ORDERED JOIN artifact ON artifact.seed_id = seed.id LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
	 WHERE seed.ulid = $1 ORDER BY artifact.name`
	getArtifactData = `
	SELECT artifact_content.data, artifact_content.hash FROM artifact JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
	 WHERE artifact.seed_id = (SELECT id FROM seed WHERE ulid = $1) AND artifact.name = $2 AND artifact_content.data IS NOT NULL`
)

// Artifacts lists the files of the seeds of a selection. The spec of the selection does not matter.
func (r *Reader) Artifacts(ctx context.Context, sel Selection) (list []Artifact, err error) {
	query, args := sel.of(listArtifacts)
	return r.artifacts(ctx, query, args...)
}

// ArtifactsOf lists the files of the seed with this ULID, by name.
func (r *Reader) ArtifactsOf(ctx context.Context, ulid string) ([]Artifact, error) {
	return r.artifacts(ctx, listArtifactsOf, ulid)
}

func (r *Reader) artifacts(ctx context.Context, query string, args ...any) (list []Artifact, err error) {
	err = r.stream(ctx, query, args, func(row []driver.Value) {
		a := Artifact{
			Seed: track.SeedNumber(asInt(row[0])), SeedID: asText(row[1]), Configuration: asInt(row[2]), Outcome: track.Outcome(asText(row[3])),
			Name: asText(row[4]), NBytes: asInt(row[5]), LeftOut: asText(row[7]), PrunedAt: asTime(row[8]),
		}
		if hash, ok := row[6].([]byte); ok {
			a.Hash = hex.EncodeToString(hash)
		}
		list = append(list, a)
	})
	return list, explain(err)
}

// ArtifactHashes returns what identifies the contents of the files of a seed, by their names, as [track.Artifact.Hash]
// does.
func (r *Reader) ArtifactHashes(ctx context.Context, seed int64) (map[string][sha256.Size]byte, error) {
	hashes := map[string][sha256.Size]byte{}
	err := r.stream(ctx, listArtifactDigests, []any{seed}, func(row []driver.Value) {
		a := track.Artifact{Name: asText(row[0]), LeftOut: asText(row[1])}
		if hashes[a.Name] = asDigest(row[2]); a.LeftOut != "" {
			hashes[a.Name] = a.Hash()
		}
	})
	return hashes, explain(err)
}

// ArtifactContent returns the content of a file of the seed with this ULID, which it compares with its hash.
func (r *Reader) ArtifactContent(ctx context.Context, ulid, name string) (string, error) {
	var row struct {
		Data []byte `db:"data"`
		Hash []byte `db:"hash"`
	}
	if err := r.read().GetContext(ctx, &row, getArtifactData, ulid, name); isNoRows(err) {
		return "", fmt.Errorf("file %s: its content is %w", name, track.ErrNotFound)
	} else if err != nil {
		return "", explain(err)
	}
	return artifactContent(row.Data, row.Hash, name)
}

// artifactContent decompresses a content, and compares it with its hash.
func artifactContent(data, hash []byte, name string) (string, error) {
	content, err := decompressWithin(data, track.MaxArtifactBytes)
	if err != nil {
		return "", fmt.Errorf("file %s: %w", name, err)
	}
	if sum := sha256.Sum256([]byte(content)); string(sum[:]) != string(hash) {
		return "", fmt.Errorf("%w: file %s differs from its hash", track.ErrDamaged, name)
	}
	return content, nil
}
