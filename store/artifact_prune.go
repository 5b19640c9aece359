package store

import (
	"context"
	"fmt"

	"track"
)

const (
	keptArtifacts = `
	WITH ranked AS (
	    SELECT id, row_number() OVER (PARTITION BY scenario_id ORDER BY recorded_at DESC, id DESC) AS rank,` + keptReason + ` AS reason
	      FROM seed
	     WHERE id IN (SELECT seed_id FROM artifact)
	), kept AS MATERIALIZED (
	    SELECT id FROM ranked WHERE (CAST($1 AS bigint) > 0 AND rank <= $1) OR reason IS NOT NULL
	), pruned AS MATERIALIZED (
	    SELECT artifact_content.id FROM artifact_content
	     WHERE artifact_content.data IS NOT NULL
	       AND NOT EXISTS (SELECT 1 FROM artifact WHERE artifact_content_id = artifact_content.id AND seed_id IN (SELECT id FROM kept))
	)`
	countPrunedArtifacts = keptArtifacts + `
	SELECT (SELECT count(DISTINCT seed_id) FROM artifact WHERE artifact_content_id IN (SELECT id FROM pruned)) AS seeds,
	       (SELECT count(*) FROM pruned) AS contents,
	       (SELECT coalesce(sum(length(data)), 0) FROM artifact_content WHERE id IN (SELECT id FROM pruned)) AS bytes`
	pruneArtifacts = keptArtifacts + `
	UPDATE artifact_content SET data = NULL, pruned_at = $4 WHERE id IN (SELECT id FROM pruned ORDER BY id LIMIT $5)`
	deleteOrphanContents = `
	DELETE FROM artifact_content WHERE id IN (
	       SELECT id FROM artifact_content WHERE NOT EXISTS (SELECT 1 FROM artifact WHERE artifact_content_id = artifact_content.id) LIMIT $1)`
)

// PruneArtifacts deletes the contents of files that no kept seed has, and gives the space back to the disk. Names,
// sizes and hashes stay. A dry run only counts.
func (s *Store) PruneArtifacts(ctx context.Context, rule PruneRule, dryRun bool) (Pruned, error) {
	if rule.Keep < 0 || rule.Keep == 0 && rule.Before.IsZero() {
		return Pruned{}, fmt.Errorf("%w: prune needs a number of seeds to keep or a time", track.ErrInvalid)
	}
	var row struct {
		Seeds    int   `db:"seeds"`
		Contents int   `db:"contents"`
		Bytes    int64 `db:"bytes"`
	}
	args := rule.args()
	if dryRun {
		err := s.read().GetContext(ctx, &row, countPrunedArtifacts, args...)
		return Pruned(row), explain(err)
	}
	err := explain(s.read().GetContext(ctx, &row, countPrunedArtifacts, args...))
	if err == nil {
		err = s.inSteps(ctx, func(tx *Tx, rows int64) (int64, error) {
			n, err := tx.change(pruneArtifacts, append(args, tx.now, rows)...)
			if err != nil || n == rows {
				return n, err
			}
			orphans, err := tx.change(deleteOrphanContents, rows-n)
			return n + orphans, err
		})
	}
	if err == nil && row.Bytes > 0 {
		err = s.pool.engine.vacuum(ctx, s)
	}
	return Pruned(row), err
}
