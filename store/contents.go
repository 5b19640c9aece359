package store

import (
	"context"
	"time"
)

// Contents counts what a database holds.
type Contents struct {
	Scenarios  int   `db:"scenarios"`
	Specs      int   `db:"specs"`
	Seeds      int   `db:"seeds"`
	Superseded int   `db:"superseded"`
	Series     int   `db:"series"`
	Sweeps     int   `db:"sweeps"`
	Lineages   int   `db:"lineages"`
	Entries    int   `db:"entries"`
	Executions int   `db:"executions"`
	First      int64 `db:"first"`
	Last       int64 `db:"last"`
}

const getContents = `
	SELECT (SELECT count(*) FROM scenario) AS scenarios, (SELECT count(*) FROM spec) AS specs,
	       (SELECT count(*) FROM seed WHERE superseded_at IS NULL) AS seeds, (SELECT count(*) FROM seed WHERE superseded_at IS NOT NULL) AS superseded,
	       (SELECT count(*) FROM seed_series) AS series, (SELECT count(*) FROM sweep) AS sweeps, (SELECT count(*) FROM lineage) AS lineages,
	       (SELECT count(*) FROM ledger) AS entries, (SELECT count(*) FROM execution) AS executions,
	       (SELECT coalesce(min(at), 0) FROM (SELECT min(recorded_at) AS at FROM seed UNION ALL SELECT min(recorded_at) FROM execution) AS earliest) AS first,
	       (SELECT coalesce(max(at), 0) FROM (SELECT max(recorded_at) AS at FROM seed UNION ALL SELECT max(recorded_at) FROM execution) AS latest) AS last`

// Contents counts what a database holds.
func (r *Reader) Contents(ctx context.Context) (c Contents, err error) {
	return c, explain(r.read().GetContext(ctx, &c, getContents))
}

// Times are the times of the first and the last recorded seed or execution; zero if there is none.
func (c Contents) Times() (first, last time.Time) {
	if c.First == 0 {
		return first, last
	}
	return fromMicros(c.First), fromMicros(c.Last)
}
