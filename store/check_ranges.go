package store

// SQLite tests no CHECK constraint of a database that is opened for reading only, so they are tested here as queries.
// A row of result is compared with its assessment, which tests its status.

// checkedRange is a table, and its CHECK constraint as the schema says it.
type checkedRange struct{ table, constraint, query string }

// withdrawnSubject is the constraint of what a withdrawal names.
const withdrawnSubject = `(kind = 'sweep') = (configuration IS NULL) AND (kind = 'seed') = (number IS NOT NULL) AND (kind = 'seed') = (digest IS NOT NULL)
           AND (kind <> 'sweep' OR sweep IS NOT NULL)`

func checkedRanges() []checkedRange {
	return []checkedRange{
		{"spec_metric", "computed IN (0, 1)", `SELECT 'metric ' || position || ' of spec row ' || spec_id FROM spec_metric WHERE NOT (computed IN (0, 1))`},
		{"configuration", "dirty IN (0, 1)", `SELECT 'row ' || id FROM configuration WHERE NOT (dirty IN (0, 1))`},
		{"seed", "outcome IN ('ok', 'error', 'timeout', 'collapsed')", `
	SELECT 'row ' || id FROM seed WHERE NOT (outcome IN ('ok', 'error', 'timeout', 'collapsed'))`},
		{"seed", "(outcome IS NULL) = (digest IS NULL)", `SELECT 'row ' || id FROM seed WHERE NOT ((outcome IS NULL) = (digest IS NULL))`},
		{"seed", "withdrawn_at IS NULL OR superseded_at IS NOT NULL", `
	SELECT 'row ' || id FROM seed WHERE NOT (withdrawn_at IS NULL OR superseded_at IS NOT NULL)`},
		{"artifact_content", "(data IS NULL) = (pruned_at IS NOT NULL)", `
	SELECT 'row ' || id FROM artifact_content WHERE NOT ((data IS NULL) = (pruned_at IS NOT NULL))`},
		{"artifact", "(artifact_content_id IS NULL) = (left_out IS NOT NULL)", `
	SELECT 'file ' || name || ' of seed row ' || seed_id FROM artifact WHERE NOT ((artifact_content_id IS NULL) = (left_out IS NOT NULL))`},
		{"withdrawal", "kind IN ('seed', 'configuration', 'sweep')", `
	SELECT 'row ' || id FROM withdrawal WHERE NOT (kind IN ('seed', 'configuration', 'sweep'))`},
		{"withdrawal", "action IN ('withdrawn', 'restored')", `SELECT 'row ' || id FROM withdrawal WHERE NOT (action IN ('withdrawn', 'restored'))`},
		{"withdrawal", withdrawnSubject, `SELECT 'row ' || id FROM withdrawal WHERE NOT (` + withdrawnSubject + `)`},
		{"look", "kind IN ('gate', 'improvement')", `SELECT 'row ' || id FROM look WHERE NOT (kind IN ('gate', 'improvement'))`},
		{"look", "anytime IN (0, 1)", `SELECT 'row ' || id FROM look WHERE NOT (anytime IN (0, 1))`},
		{"annotation", "kind IN ('note', 'tag')", `SELECT 'row ' || id FROM annotation WHERE NOT (kind IN ('note', 'tag'))`},
		{"annotation", "removed IN (0, 1)", `SELECT 'row ' || id FROM annotation WHERE NOT (removed IN (0, 1))`},
		{"sweep", "ending IN ('finished', 'decided', 'undecided', 'interrupted')", `
	SELECT 'row ' || id FROM sweep WHERE NOT (ending IN ('finished', 'decided', 'undecided', 'interrupted'))`},
		{"sweep", "code_changed IN (0, 1)", `SELECT 'row ' || id FROM sweep WHERE NOT (code_changed IN (0, 1))`},
		{"sweep_seeds", "(first < 0) = (last < 0) AND first <= last", `
	SELECT 'seeds from ' || first || ' of sweep row ' || sweep_id FROM sweep_seeds WHERE NOT ((first < 0) = (last < 0) AND first <= last)`},
		{"lineage", "keep_text IN (0, 1)", `SELECT 'lineage ' || name FROM lineage WHERE NOT (keep_text IN (0, 1))`},
		{"execution", "status IN ('ok', 'timeout', 'error', 'invalid')", `
	SELECT 'execution ' || ulid FROM execution WHERE NOT (status IN ('ok', 'timeout', 'error', 'invalid'))`},
		{"execution", "truncated IN (0, 1)", `SELECT 'execution ' || ulid FROM execution WHERE NOT (truncated IN (0, 1))`},
		{"execution", "holdout IN (0, 1)", `SELECT 'execution ' || ulid FROM execution WHERE NOT (holdout IN (0, 1))`},
		{"execution", "is_open IN (0, 1)", `SELECT 'execution ' || ulid FROM execution WHERE NOT (is_open IN (0, 1))`},
		{"call", "answered IN (0, 1)", `SELECT 'call ' || (position + 1) || ' of execution in row ' || execution_id FROM call WHERE NOT (answered IN (0, 1))`},
		{"call", "rejected IN (0, 1)", `SELECT 'call ' || (position + 1) || ' of execution in row ' || execution_id FROM call WHERE NOT (rejected IN (0, 1))`},
		{"activation", "rubric IS NOT NULL OR fitness IS NULL", `
	SELECT 'version row ' || version_id FROM activation WHERE NOT (rubric IS NOT NULL OR fitness IS NULL)`},
		{"mutation", "risk IN ('LOW', 'MEDIUM', 'HIGH')", `SELECT 'mutation ' || key FROM mutation WHERE NOT (risk IN ('LOW', 'MEDIUM', 'HIGH'))`},
		{"mutation", "state IN ('proposed', 'continue', 'accepted', 'rejected', 'refused', 'withdrawn')", `
	SELECT 'mutation ' || key FROM mutation WHERE NOT (state IN ('proposed', 'continue', 'accepted', 'rejected', 'refused', 'withdrawn'))`},
	}
}

// ulidChecks returns the checks of ULIDs, which a database that is merged brings with it.
func ulidChecks() []rowCheck {
	const problem, wrong = "its ULID is not one", ` WHERE length(ulid) <> 26 OR trim(ulid, '0123456789ABCDEFGHJKMNPQRSTVWXYZ') <> ''`
	return []rowCheck{
		{"seed", problem, `SELECT 'row ' || id FROM seed` + wrong},
		{"execution", problem, `SELECT 'row ' || id FROM execution` + wrong},
		{"sweep", problem, `SELECT 'row ' || id FROM sweep` + wrong},
		{"baseline", problem, `SELECT 'row ' || id FROM baseline` + wrong},
		{"annotation", problem, `SELECT 'row ' || id FROM annotation` + wrong},
		{"look", problem, `SELECT 'row ' || id FROM look` + wrong},
		{"repetition", problem, `SELECT 'row ' || id FROM repetition` + wrong},
		{"tombstone", problem, `SELECT 'row ' || id FROM tombstone` + wrong},
		{"withdrawal", problem, `SELECT 'row ' || id FROM withdrawal` + wrong},
	}
}
