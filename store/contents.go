package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"track"
)

// EncodedSeries is a series in the form in which it is stored.
type EncodedSeries struct {
	Name   string
	Hash   [sha256.Size]byte // see [track.Series.Hash]
	N      int
	Chunks []SeriesChunk
}

// SeriesChunk is a run of numbers of a series, encoded by package series.
type SeriesChunk struct {
	N    int
	Data []byte
}

const (
	findContent      = `SELECT id, pruned_at IS NOT NULL FROM series_content WHERE hash = $1`
	insertContent    = `INSERT INTO series_content (hash, n, pruned_at) VALUES ($1, $2, $3) RETURNING id`
	restoreContent   = `UPDATE series_content SET pruned_at = NULL WHERE id = $1`
	insertChunk      = `INSERT INTO series_chunk (content_id, position, n, data) VALUES ($1, $2, $3, $4)`
	insertSeedSeries = `INSERT INTO seed_series (seed_id, name, content_id) VALUES ($1, $2, $3)`

	findArtifactContent    = `SELECT id, pruned_at IS NOT NULL FROM artifact_content WHERE hash = $1`
	insertArtifactContent  = `INSERT INTO artifact_content (hash, n_bytes, data, pruned_at) VALUES ($1, $2, $3, $4) RETURNING id`
	restoreArtifactContent = `UPDATE artifact_content SET data = $1, pruned_at = NULL WHERE id = $2`
	insertArtifact         = `
	INSERT INTO artifact (seed_id, name, artifact_content_id, left_out) VALUES ($1, $2, $3, $4) ON CONFLICT (seed_id, name) DO NOTHING`
)

// contentHere is a stored content.
type contentHere struct {
	id       int64
	isPruned bool
}

func (t *Tx) contentHere(query string, hash []byte) (*contentHere, error) {
	return first(t.ctx, t.Reader, query, []any{hash}, func(c *cells) contentHere { return contentHere{c.integer(), c.isTrue()} })
}

// AddSeries stores the series of a seed. Numbers that are stored already, for whatever seed, are not stored again.
func (t *Tx) AddSeries(seedID int64, list []EncodedSeries) error {
	for _, s := range list {
		content, err := t.seriesContent(s)
		if err == nil {
			err = t.addSeedSeries(seedID, s.Name, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) addSeedSeries(seedID int64, name string, content int64) error {
	err := t.checkName("series", name)
	if err == nil {
		_, err = t.exec(insertSeedSeries, seedID, name, content)
	}
	return err
}

// seriesContent stores the numbers of a series unless they are here.
func (t *Tx) seriesContent(s EncodedSeries) (id int64, err error) {
	here, err := t.contentHere(findContent, s.Hash[:])
	switch {
	case err != nil:
		return 0, err
	case here == nil:
		id, err = t.addRow(insertContent, s.Hash[:], s.N, nil)
	case !here.isPruned:
		return here.id, nil
	default:
		id = here.id
		_, err = t.exec(restoreContent, id)
	}
	for i, chunk := range s.Chunks {
		if err == nil {
			_, err = t.exec(insertChunk, id, i, chunk.N, chunk.Data)
		}
	}
	return id, err
}

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
		id, err := t.artifactContent(r)
		if err != nil {
			return err
		}
		content = &id
	}
	_, err := t.exec(insertArtifact, seedID, r.Name, content, t.free(r.LeftOut))
	return err
}

// artifactContent returns the id of a content, which is stored unless it is here. A text in which the rules find
// something to mask is treated as pruned: its hash is part of the digest of its seed.
func (t *Tx) artifactContent(r artifactRecord) (id int64, err error) {
	here, err := t.contentHere(findArtifactContent, r.Hash[:])
	if err != nil || here != nil && (!here.isPruned || !r.PrunedAt.IsZero()) {
		return orZero(here).id, err
	}
	data, prunedAt := []byte(nil), nullTime(r.PrunedAt)
	if r.PrunedAt.IsZero() {
		n := 0
		if utf8.ValidString(r.content) {
			_, n = t.texts.Text(r.content)
		}
		if n > 0 {
			prunedAt = t.now
		} else if data, err = t.compress(r.content); err != nil {
			return 0, err
		}
	}
	switch {
	case here == nil:
		return t.addRow(insertArtifactContent, r.Hash[:], r.NBytes, data, prunedAt)
	case data != nil:
		_, err = t.exec(restoreArtifactContent, data, here.id)
	}
	return here.id, err
}

func orZero[T any](p *T) (zero T) {
	if p != nil {
		return *p
	}
	return zero
}

// AddPruned stores the names of series and files of a seed whose contents were pruned. A content that is here is kept.
func (t *Tx) AddPruned(row int64, list []track.PrunedContent) error {
	for _, p := range list {
		if p.Series == "" {
			if err := t.addArtifact(row, artifactRecord{Name: p.File, Hash: p.Digest, NBytes: p.N, PrunedAt: p.At}); err != nil {
				return err
			}
			continue
		}
		here, err := t.contentHere(findContent, p.Digest[:])
		id := orZero(here).id
		if err == nil && here == nil {
			id, err = t.addRow(insertContent, p.Digest[:], p.N, micros(p.At))
		}
		if err == nil {
			err = t.addSeedSeries(row, p.Series, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// RestoreContents stores contents of series and files again that were pruned here. The seed that has them is here.
func (t *Tx) RestoreContents(list []EncodedSeries, files []track.Artifact) (err error) {
	for _, s := range list {
		_, seriesErr := t.seriesContent(s)
		err = errors.Join(err, seriesErr)
	}
	for _, a := range files {
		if a.LeftOut == "" {
			_, fileErr := t.artifactContent(recordOf(a))
			err = errors.Join(err, fileErr)
		}
	}
	return err
}

// SeriesInfo is what is known of a series without its numbers.
type SeriesInfo struct {
	Name     string
	N        int
	Hash     string // hex
	Bytes    int64  // on disk, encoded; 0 if pruned
	PrunedAt time.Time
}

const (
	listSeries = `
	SELECT seed_series.name, series_content.n, series_content.hash,
	       coalesce((SELECT sum(length(data)) FROM series_chunk WHERE content_id = series_content.id), 0), series_content.pruned_at
	  FROM seed_series JOIN series_content ON series_content.id = seed_series.content_id
	 WHERE seed_series.seed_id = (SELECT id FROM seed WHERE ulid = $1)
	 ORDER BY seed_series.name`
	listChunks = `
	SELECT series_chunk.n, series_chunk.data
	  FROM seed_series JOIN series_chunk ON series_chunk.content_id = seed_series.content_id
	 WHERE seed_series.seed_id = (SELECT id FROM seed WHERE ulid = $1) AND seed_series.name = $2
	 ORDER BY series_chunk.position`
	listChunksOfContent = `SELECT n, data FROM series_chunk WHERE content_id = $1 ORDER BY position`
)

func (c *cells) hex() string { return hex.EncodeToString(c.bytes()) }

// Series lists the series of the seed with this ULID, by name.
func (r *Reader) Series(ctx context.Context, ulid string) ([]SeriesInfo, error) {
	return list(ctx, r, listSeries, []any{ulid}, func(c *cells) SeriesInfo {
		return SeriesInfo{Name: c.text(), N: c.count(), Hash: c.hex(), Bytes: c.integer(), PrunedAt: c.time()}
	})
}

func (c *cells) chunk() SeriesChunk { return SeriesChunk{c.count(), c.bytes()} }

// SeriesChunks returns the chunks of one series of the seed with this ULID, in order, without a look at the others.
// There are none if the seed has no such series, if it is empty, and if it was pruned.
func (r *Reader) SeriesChunks(ctx context.Context, ulid, name string) ([]SeriesChunk, error) {
	return list(ctx, r, listChunks, []any{ulid, name}, (*cells).chunk)
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
	selectArtifacts = `
	SELECT seed.number, seed.ulid, seed.configuration_id, seed.outcome, artifact.name, artifact_content.n_bytes, artifact_content.hash,
	       artifact.left_out, artifact_content.pruned_at
	  FROM seed CROSS JOIN artifact LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
	 WHERE artifact.seed_id = seed.id AND` // the join is ordered, for SQLite
	inArtifactOrder = ` ORDER BY seed.number < 0, seed.number, seed.id, artifact.name`
	listArtifactsOf = selectArtifacts + ` seed.ulid = $1 ORDER BY artifact.name`
	getArtifactData = `
	SELECT artifact_content.data, artifact_content.hash FROM artifact JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
	 WHERE artifact.seed_id = (SELECT id FROM seed WHERE ulid = $1) AND artifact.name = $2 AND artifact_content.data IS NOT NULL`
	listArtifactDigests = `
	SELECT artifact.name, artifact.left_out, artifact_content.hash
	  FROM artifact LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id WHERE artifact.seed_id = $1`
)

func (c *cells) artifact() Artifact {
	return Artifact{
		Seed: c.number(), SeedID: c.text(), Configuration: c.integer(), Outcome: track.Outcome(c.text()), Name: c.text(), NBytes: c.integer(), Hash: c.hex(), LeftOut: c.text(),
		PrunedAt: c.time(),
	}
}

// Artifacts lists the files of the seeds of a selection. The spec of the selection does not matter.
func (r *Reader) Artifacts(ctx context.Context, sel Selection) ([]Artifact, error) {
	query, args := sel.of(selectArtifacts, nil, inArtifactOrder)
	return list(ctx, r, query, args, (*cells).artifact)
}

// ArtifactsOf lists the files of the seed with this ULID, by name.
func (r *Reader) ArtifactsOf(ctx context.Context, ulid string) ([]Artifact, error) {
	return list(ctx, r, listArtifactsOf, []any{ulid}, (*cells).artifact)
}

// artifactDigest reads the name, why it was left out, and the hash of a file, and returns what identifies its content.
func (c *cells) artifactDigest() (a track.Artifact, hash [sha256.Size]byte) {
	a = track.Artifact{Name: c.text(), LeftOut: c.text()}
	if hash = c.digest(); a.LeftOut != "" {
		hash = a.Hash()
	}
	return a, hash
}

// ArtifactHashes returns what identifies the contents of the files of a seed, by their names, as [track.Artifact.Hash]
// does.
func (r *Reader) ArtifactHashes(ctx context.Context, seed int64) (map[string][sha256.Size]byte, error) {
	hashes := map[string][sha256.Size]byte{}
	return hashes, r.each(ctx, listArtifactDigests, []any{seed}, func(c *cells) {
		a, hash := c.artifactDigest()
		hashes[a.Name] = hash
	})
}

// ArtifactContent returns the content of a file of the seed with this ULID, which it compares with its hash.
func (r *Reader) ArtifactContent(ctx context.Context, ulid, name string) (string, error) {
	content, err := first(ctx, r, getArtifactData, []any{ulid, name}, func(c *cells) string {
		content, err := artifactContent(c.bytes(), c.bytes(), name)
		c.fail(err)
		return content
	})
	if err == nil && content == nil {
		err = fmt.Errorf("file %s: its content is %w", name, track.ErrNotFound)
	}
	return orZero(content), err
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

// Retained says what else than its age keeps the series and the files of a seed.
type Retained int64

// The reasons. Seeds of sweeps without an end, and of scenarios that a lineage evolves, are always kept by a rule that
// has any.
const (
	RetainUsed      Retained = 1 << iota // seeds of running sweeps and of scenarios that a lineage evolves
	RetainBaselines                      // seeds of pinned baselines
)

// The reasons for which contents are kept, as [KeptSeeds] names them.
const (
	KeptRecent   = "recent"
	KeptSweep    = "sweep"
	KeptDecision = "decision"
	KeptBaseline = "baseline"
)

// PruneRule selects the seeds that keep their series or artifacts: seeds recorded at or after Before, the newest Keep
// of each scenario, and those that are retained. Zero values keep nothing.
type PruneRule struct {
	Before time.Time
	Keep   int
	Retain Retained
}

// args returns the number of seeds, the time and what is retained, as queries take them.
func (r PruneRule) args() []any {
	before := int64(0)
	if !r.Before.IsZero() {
		before = micros(r.Before)
	}
	return []any{r.Keep, before, int64(r.Retain)}
}

// Pruned counts what pruning frees.
type Pruned struct {
	Seeds    int   // whose series or artifacts were pruned, all or some
	Contents int   // different contents freed; not counting those that a kept seed shares
	Bytes    int64 // as stored
}

const (
	// keptReason is why a seed keeps its contents, by the parameters $2, the time, and $3, a [Retained]; NULL if
	// nothing keeps it.
	keptReason = `
	CASE WHEN CAST($2 AS bigint) > 0 AND seed.recorded_at >= $2 THEN '` + KeptRecent + `'
	     WHEN (CAST($3 AS bigint) & 1) > 0 AND EXISTS (
	          SELECT 1 FROM sweep_configuration JOIN sweep ON sweep.id = sweep_configuration.sweep_id
	           WHERE sweep_configuration.configuration_id = seed.configuration_id AND sweep.scenario_id = seed.scenario_id AND sweep.ended_at IS NULL AND sweep.withdrawn_at IS NULL) THEN '` + KeptSweep + `'
	     WHEN (CAST($3 AS bigint) & 1) > 0 AND EXISTS (
	          SELECT 1 FROM scenario JOIN lineage ON lineage.subject = 'scenario:' || scenario.name WHERE scenario.id = seed.scenario_id) THEN '` + KeptDecision + `'
	     WHEN (CAST($3 AS bigint) & 2) > 0 AND EXISTS (
	          SELECT 1 FROM baseline
	           WHERE baseline.scenario_id = seed.scenario_id AND baseline.configuration_id = seed.configuration_id
	             AND NOT EXISTS (SELECT 1 FROM baseline AS newer WHERE newer.scenario_id = baseline.scenario_id
	                                AND (newer.set_at > baseline.set_at OR newer.set_at = baseline.set_at AND newer.id > baseline.id))) THEN '` + KeptBaseline + `'
	END`
	countKeptSeeds = `
	SELECT reason, count(*) AS n
	  FROM (SELECT` + keptReason + ` AS reason FROM seed
	         WHERE (seed.id IN (SELECT seed_id FROM seed_series) OR seed.id IN (SELECT seed_id FROM artifact)) AND CAST($1 AS bigint) = 0) AS judged
	 WHERE reason IS NOT NULL
	 GROUP BY reason`
	rankedSeeds = `
	WITH ranked AS (
	    SELECT id, row_number() OVER (PARTITION BY scenario_id ORDER BY recorded_at DESC, id DESC) AS rank,` + keptReason + ` AS reason
	      FROM seed
	     WHERE id IN (SELECT seed_id FROM `
	keptOfRanked = `)
	), kept AS MATERIALIZED (
	    SELECT id FROM ranked WHERE (CAST($1 AS bigint) > 0 AND rank <= $1) OR reason IS NOT NULL
	), pruned AS MATERIALIZED (`

	prunedSeries = rankedSeeds + `seed_series` + keptOfRanked + `
	    SELECT series_content.id FROM series_content
	     WHERE series_content.pruned_at IS NULL
	       AND NOT EXISTS (SELECT 1 FROM seed_series WHERE content_id = series_content.id AND seed_id IN (SELECT id FROM kept))
	)`
	countPruned = prunedSeries + `
	SELECT (SELECT count(DISTINCT seed_id) FROM seed_series WHERE content_id IN (SELECT id FROM pruned)),
	       (SELECT count(*) FROM pruned),
	       (SELECT coalesce(sum(length(data)), 0) FROM series_chunk WHERE content_id IN (SELECT id FROM pruned))`
	pruneSeries  = prunedSeries + ` UPDATE series_content SET pruned_at = $4 WHERE id IN (SELECT id FROM pruned)`
	deleteChunks = `DELETE FROM series_chunk WHERE content_id IN (SELECT id FROM series_content WHERE pruned_at = $1)`

	prunedArtifacts = rankedSeeds + `artifact` + keptOfRanked + `
	    SELECT artifact_content.id FROM artifact_content
	     WHERE artifact_content.data IS NOT NULL
	       AND NOT EXISTS (SELECT 1 FROM artifact WHERE artifact_content_id = artifact_content.id AND seed_id IN (SELECT id FROM kept))
	)`
	countPrunedArtifacts = prunedArtifacts + `
	SELECT (SELECT count(DISTINCT seed_id) FROM artifact WHERE artifact_content_id IN (SELECT id FROM pruned)),
	       (SELECT count(*) FROM pruned),
	       (SELECT coalesce(sum(length(data)), 0) FROM artifact_content WHERE id IN (SELECT id FROM pruned))`
	pruneArtifacts       = prunedArtifacts + ` UPDATE artifact_content SET data = NULL, pruned_at = $4 WHERE id IN (SELECT id FROM pruned)`
	deleteOrphanContents = `DELETE FROM artifact_content WHERE NOT EXISTS (SELECT 1 FROM artifact WHERE artifact_content_id = artifact_content.id)`
)

// KeptSeeds counts by their reasons the seeds whose series and files a rule keeps. It does not look at rule.Keep.
func (r *Reader) KeptSeeds(ctx context.Context, rule PruneRule) (map[string]int, error) {
	rule.Keep = 0
	kept := map[string]int{}
	return kept, r.each(ctx, countKeptSeeds, rule.args(), func(c *cells) { kept[c.text()] = c.count() })
}

// PruneSeries deletes the numbers of series that no kept seed has, and gives the space back to the disk. Values,
// results, and the length and hash of each series stay. A dry run only counts.
func (s *Store) PruneSeries(ctx context.Context, rule PruneRule, dryRun bool) (Pruned, error) {
	return s.prune(ctx, rule, dryRun, countPruned, func(tx *Tx, args []any) error {
		_, err := tx.exec(pruneSeries, args...)
		if err == nil {
			_, err = tx.exec(deleteChunks, tx.now)
		}
		return err
	})
}

// PruneArtifacts deletes the contents of files that no kept seed has, and gives the space back to the disk. Names,
// sizes and hashes stay. A dry run only counts.
func (s *Store) PruneArtifacts(ctx context.Context, rule PruneRule, dryRun bool) (Pruned, error) {
	return s.prune(ctx, rule, dryRun, countPrunedArtifacts, func(tx *Tx, args []any) error {
		_, err := tx.exec(pruneArtifacts, args...)
		if err == nil {
			_, err = tx.exec(deleteOrphanContents)
		}
		return err
	})
}

func (s *Store) prune(ctx context.Context, rule PruneRule, dryRun bool, count string, prune func(tx *Tx, args []any) error) (p Pruned, err error) {
	if rule.Keep < 0 || rule.Keep == 0 && rule.Before.IsZero() {
		return p, fmt.Errorf("%w: prune needs a number of seeds to keep or a time", track.ErrInvalid)
	}
	err = s.each(ctx, count, rule.args(), func(c *cells) { p = Pruned{c.count(), c.count(), c.integer()} })
	if err != nil || dryRun {
		return p, err
	}
	err = s.Update(ctx, func(tx *Tx) error { return prune(tx, append(rule.args(), tx.now)) })
	if err == nil && p.Bytes > 0 {
		err = s.pool.engine.vacuum(ctx, s, false)
	}
	return p, err
}

// ExecutionTexts is an execution whose texts are here.
type ExecutionTexts struct {
	ULID, Lineage, Version, Source, Key string
	RecordedAt                          time.Time
	IsOpen                              bool // more of it may come
}

const listExecutionTexts = `
	SELECT execution.ulid, lineage.name, version.name, execution.source, execution.key, execution.recorded_at,
	       execution.is_open > 0 OR EXISTS (SELECT 1 FROM hook_event WHERE hook_event.execution = execution.ulid AND hook_event.settled_at IS NULL)
	  FROM execution
	  JOIN lineage ON lineage.id = execution.lineage_id
	  JOIN version ON version.id = execution.version_id
	 WHERE execution.forgotten_at IS NULL
	   AND (execution.prompt IS NOT NULL OR execution.output IS NOT NULL OR execution.message IS NOT NULL
	        OR EXISTS (SELECT 1 FROM call WHERE call.execution_id = execution.id AND (call.input IS NOT NULL OR call.output IS NOT NULL))
	        OR EXISTS (SELECT 1 FROM execution_score WHERE execution_score.execution_id = execution.id AND document IS NOT NULL))
	 ORDER BY lineage.name, execution.recorded_at, execution.ulid`

// ExecutionTexts gives the executions whose texts are here, lineage by lineage, the oldest first.
func (r *Reader) ExecutionTexts(ctx context.Context, visit func(ExecutionTexts)) error {
	return r.each(ctx, listExecutionTexts, nil, func(c *cells) {
		visit(ExecutionTexts{ULID: c.text(), Lineage: c.text(), Version: c.text(), Source: c.text(), Key: c.text(), RecordedAt: c.time(), IsOpen: c.isTrue()})
	})
}
