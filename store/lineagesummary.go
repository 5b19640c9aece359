package store

import (
	"context"
	"database/sql"
	"time"
)

// LineageSummary describes a lineage in a list.
type LineageSummary struct {
	Lineage     string
	NVersions   int
	NExecutions int
	KeepText    bool
	Last        time.Time // execution; zero for none
	Subject     string    // of a lineage with a ledger
	Head        string    // the active version
	NMutations  int
}

const listLineageSummaries = `
	SELECT lineage.name AS lineage,
	       (SELECT count(*) FROM version WHERE version.lineage_id = lineage.id
	           AND (version.name <> '' OR EXISTS (SELECT 1 FROM execution WHERE execution.version_id = version.id))) AS n_versions,
	       (SELECT count(*) FROM execution WHERE execution.lineage_id = lineage.id) AS n_executions, lineage.keep_text,
	       (SELECT max(at) FROM execution WHERE execution.lineage_id = lineage.id) AS last, coalesce(head.name, '') AS head,
	       CASE WHEN ` + hasLedger + ` THEN lineage.subject ELSE '' END AS subject,
	       (SELECT coalesce(max(number), 0) FROM mutation WHERE mutation.lineage_id = lineage.id) AS n_mutations
	  FROM lineage LEFT JOIN version AS head ON head.id = lineage.head_id
	 ORDER BY lineage.name`

// LineageSummaries describes all lineages, by name.
func (r *Reader) LineageSummaries(ctx context.Context) ([]LineageSummary, error) {
	var rows []struct {
		Lineage     string        `db:"lineage"`
		NVersions   int           `db:"n_versions"`
		NExecutions int           `db:"n_executions"`
		KeepText    bool          `db:"keep_text"`
		Last        sql.NullInt64 `db:"last"`
		Head        string        `db:"head"`
		Subject     string        `db:"subject"`
		NMutations  int           `db:"n_mutations"`
	}
	if err := r.read().SelectContext(ctx, &rows, listLineageSummaries); err != nil {
		return nil, explain(err)
	}
	list := make([]LineageSummary, len(rows))
	for i, row := range rows {
		list[i] = LineageSummary{row.Lineage, row.NVersions, row.NExecutions, row.KeepText, nullableTime(row.Last), row.Subject, row.Head, row.NMutations}
	}
	return list, nil
}
