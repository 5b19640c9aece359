package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
)

const (
	listLineages    = `SELECT name FROM lineage ORDER BY name`
	hasLineage      = `SELECT 1 FROM lineage WHERE name = $1`
	listLineageRows = `SELECT name, keep_text, created_at FROM lineage ORDER BY id`
	getKeepText     = `SELECT keep_text FROM lineage WHERE name = $1`
	setKeepText     = `UPDATE lineage SET keep_text = $1 WHERE id = $2`
	earlierLineage  = `UPDATE lineage SET created_at = $1 WHERE id = $2 AND created_at > $1`
	earlierVersion  = `UPDATE version SET created_at = $1 WHERE id = $2 AND created_at > $1`
	listTasks       = `
	SELECT task, count(*), count(*) FILTER (WHERE status <> 'ok')
	  FROM execution WHERE lineage_id = (SELECT id FROM lineage WHERE name = $1)
	 GROUP BY task ORDER BY coalesce(task, '')`
	listExecutedVersions = `
	SELECT lineage.name, version.name, count(execution.id), count(*) FILTER (WHERE execution.status <> 'ok'), min(execution.at) AS first, max(execution.at)
	  FROM lineage JOIN version ON version.lineage_id = lineage.id JOIN execution ON execution.version_id = version.id
	 WHERE lineage.name = $1
	 GROUP BY version.id, lineage.name, version.name ORDER BY first, version.id`
	getNewestVersion = `
	SELECT version.name FROM execution JOIN version ON version.id = execution.version_id
	 WHERE execution.lineage_id = (SELECT id FROM lineage WHERE name = $1)
	 ORDER BY execution.at DESC, execution.id DESC LIMIT 1`
	listLineageSummaries = `
	SELECT lineage.name,
	       (SELECT count(*) FROM version WHERE version.lineage_id = lineage.id
	           AND (version.name <> '' OR EXISTS (SELECT 1 FROM execution WHERE execution.version_id = version.id))),
	       (SELECT count(*) FROM execution WHERE execution.lineage_id = lineage.id), lineage.keep_text,
	       (SELECT max(at) FROM execution WHERE execution.lineage_id = lineage.id),
	       CASE WHEN ` + hasLedger + ` THEN lineage.subject ELSE '' END, head.name,
	       (SELECT coalesce(max(number), 0) FROM mutation WHERE mutation.lineage_id = lineage.id)
	  FROM lineage LEFT JOIN version AS head ON head.id = lineage.head_id
	 ORDER BY lineage.name`
)

// Lineages returns the names of all lineages, sorted.
func (r *Reader) Lineages(ctx context.Context) (names []string, err error) {
	return names, r.selectAll(ctx, &names, listLineages)
}

// HasLineage reports whether a lineage was recorded or begun.
func (r *Reader) HasLineage(ctx context.Context, name string) (bool, error) {
	return r.exists(ctx, hasLineage, name)
}

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

// LineageSummaries describes all lineages, by name.
func (r *Reader) LineageSummaries(ctx context.Context) ([]LineageSummary, error) {
	return list(ctx, r, listLineageSummaries, nil, func(c *cells) LineageSummary {
		return LineageSummary{c.text(), c.count(), c.count(), c.isTrue(), c.time(), c.text(), c.text(), c.count()}
	})
}

// VersionSummary is a version of a lineage with what was recorded of it.
type VersionSummary struct {
	Lineage, Version string
	NExecutions      int
	NFailed          int // that did not end well
	First, Last      time.Time
}

// Versions returns the versions of a lineage that have executions, in the order of their first one.
func (r *Reader) Versions(ctx context.Context, lineage string) ([]VersionSummary, error) {
	versions, err := list(ctx, r, listExecutedVersions, []any{lineage}, func(c *cells) VersionSummary {
		return VersionSummary{c.text(), c.text(), c.count(), c.count(), c.time(), c.time()}
	})
	if err == nil && len(versions) == 0 {
		err = r.noLineage(ctx, lineage)
	}
	return versions, err
}

// TaskSummary is a task of a lineage with what was recorded of it.
type TaskSummary struct {
	Task        string
	NExecutions int
	NFailed     int // that did not end well
}

// Tasks returns the tasks of a lineage, by name.
func (r *Reader) Tasks(ctx context.Context, lineage string) ([]TaskSummary, error) {
	return list(ctx, r, listTasks, []any{lineage}, func(c *cells) TaskSummary { return TaskSummary{c.text(), c.count(), c.count()} })
}

// NewestVersion returns the name of the version of a lineage that was executed last.
func (r *Reader) NewestVersion(ctx context.Context, lineage string) (string, error) {
	name, err := first(ctx, r, getNewestVersion, []any{lineage}, (*cells).text)
	if err == nil && name == nil {
		err = r.noLineage(ctx, lineage)
	}
	return orZero(name), err
}

// CheckLineage returns an error if a lineage, or the given version of it, has no executions. The error lists what
// exists.
func (r *Reader) CheckLineage(ctx context.Context, lineage string, version *string) error {
	versions, err := r.Versions(ctx, lineage)
	if err != nil || version == nil || slices.ContainsFunc(versions, func(v VersionSummary) bool { return v.Version == *version }) {
		return err
	}
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = lineage + "@" + v.Version
	}
	return track.WithHint(fmt.Errorf("executions of %s@%s: %w", lineage, *version, track.ErrNotFound),
		nearestOf(lineage+"@"+*version, names, track.Hint{Text: "there are: " + strings.Join(names, ", ")}))
}

func (r *Reader) noLineage(ctx context.Context, lineage string) error {
	names, err := r.Lineages(ctx)
	if err != nil {
		return err
	}
	hint := track.NewHint("there is no lineage yet; record an execution", "record execution")
	if len(names) > 0 {
		hint = track.Hint{Text: "the lineages are: " + strings.Join(names, ", ")}
	}
	return track.WithHint(fmt.Errorf("executions of lineage %s: %w", lineage, track.ErrNotFound), nearestOf(lineage, names, hint))
}

// KeepsText reports whether a lineage keeps inputs and outputs as they are; false if there is no such lineage.
func (r *Reader) KeepsText(ctx context.Context, lineage string) (bool, error) {
	keep, err := first(ctx, r, getKeepText, []any{lineage}, (*cells).isTrue)
	return orZero(keep), err
}

// SetKeepText sets whether a lineage keeps inputs and outputs as they are, from now on.
func (t *Tx) SetKeepText(lineage string, keep bool) error {
	id, err := t.lineageID(lineage)
	if err == nil {
		err = t.execSealed(sealedLineages(), id, setKeepText, keep, id)
	}
	return err
}

// WholeLineage is a lineage without its versions and its ledger.
type WholeLineage struct {
	Name      string
	KeepText  bool
	CreatedAt time.Time
}

// WholeLineages returns all lineages.
func (r *Reader) WholeLineages(ctx context.Context) ([]WholeLineage, error) {
	return list(ctx, r, listLineageRows, nil, func(c *cells) WholeLineage { return WholeLineage{c.text(), c.isTrue(), c.time()} })
}

// AddLineage stores a lineage of another database with its versions, which fill the gaps of those here. It returns the
// names of the versions that have another content here.
func (t *Tx) AddLineage(l WholeLineage, versions []track.Version) (conflicts map[string]bool, added int, err error) {
	var id int64
	if err = t.getID(&id, findLineage, l.Name); err == nil {
		err = t.execSealed(sealedLineages(), id, earlierLineage, micros(l.CreatedAt), id)
	} else if isNoRows(err) {
		id, err = t.addLineageRow(l.Name, l.KeepText, micros(l.CreatedAt))
	}
	for _, v := range versions { // all names first: a version may name a parent that follows it
		if err != nil {
			return nil, 0, err
		}
		var version int64
		if err = t.getID(&version, findVersion, id, v.Name); err == nil {
			err = t.execSealed(sealedVersions(), version, earlierVersion, micros(v.RecordedAt), version)
		} else if isNoRows(err) {
			added++
			_, err = t.addVersionRow(id, v.Name, micros(v.RecordedAt))
		}
	}
	conflicts = map[string]bool{}
	for _, v := range versions {
		var change VersionChange
		if err == nil {
			change, err = t.AddVersion(v, true)
		}
		if change == VersionConflict {
			conflicts[v.Name] = true
		}
	}
	return conflicts, added, err
}

// VersionState is a version of a lineage as it is stored.
type VersionState struct {
	Name              string
	Number            int     // in the order in which versions were recorded
	ContentID         string  // SHA-256 of the content in hexadecimal; empty if it is not known
	Content           *string // nil if it is not known, or not asked for
	Masking           int     // version of the rules that masked the content
	Parent            string
	Operator          string
	Status            string // in the words of the source
	Note, Source      string
	NExecutions       int
	CreatedAt         time.Time // when it was recorded
	SourceCreatedAt   time.Time // according to the source; zero if unknown
	SourceScore       *float64
	SourceParentScore *float64
}

// Version returns what was recorded of a version.
func (v VersionState) Version(lineage string) track.Version {
	return track.Version{
		Lineage: lineage, Name: v.Name, Parent: v.Parent, Operator: v.Operator, Content: v.Content, Status: v.Status, Note: v.Note, Source: v.Source,
		SourceScore: v.SourceScore, SourceParentScore: v.SourceParentScore, CreatedAt: v.SourceCreatedAt,
	}
}

const (
	selectVersions = `
	SELECT version.name, version.id, version.content_digest, CASE WHEN CAST($1 AS bigint) = 1 THEN version.content END, version.masking, parent.name,
	       version.operator, version.status, version.note, version.source, (SELECT count(*) FROM execution WHERE execution.version_id = version.id),
	       version.created_at, version.source_created_at, version.source_score, version.source_parent_score
	  FROM version JOIN lineage ON lineage.id = version.lineage_id LEFT JOIN version AS parent ON parent.id = version.parent_id
	 WHERE lineage.name = $2`
	whichHaveName     = ` AND version.name <> ''`
	ofNames           = ` AND version.name IN ({list})`
	inOrderOfVersions = ` ORDER BY version.created_at, version.id`
	inOrderOfRows     = ` ORDER BY version.id`
	listVersionNames  = `SELECT name FROM version WHERE lineage_id = (SELECT id FROM lineage WHERE name = $1) ORDER BY name`
	hasNamedVersion   = `SELECT 1 FROM version WHERE lineage_id = (SELECT id FROM lineage WHERE name = $1) AND name = $2`
)

// versions returns versions of a lineage: those of some names, or all for nil.
func (r *Reader) versions(ctx context.Context, lineage string, withContent bool, names []string, conditions ...string) ([]VersionState, error) {
	var c clauses
	c.add(selectVersions, withContent, lineage)
	if names != nil {
		c.add(ofNames, anys(names))
	}
	c.add(strings.Join(conditions, ""))
	query, args := c.statement()
	versions := []VersionState{}
	return versions, r.each(ctx, query, args, func(c *cells) {
		versions = append(versions, VersionState{
			Name: c.text(), Number: c.count(), ContentID: c.hex(), Content: c.textOrNil(), Masking: c.count(), Parent: c.text(), Operator: c.text(), Status: c.text(),
			Note: c.text(), Source: c.text(), NExecutions: c.count(), CreatedAt: c.time(), SourceCreatedAt: c.time(), SourceScore: c.realOrNil(), SourceParentScore: c.realOrNil(),
		})
	})
}

// VersionStates returns all versions of a lineage that have a name, without their contents, the oldest first.
func (r *Reader) VersionStates(ctx context.Context, lineage string) ([]VersionState, error) {
	return r.versions(ctx, lineage, false, nil, whichHaveName, inOrderOfVersions)
}

// NamedVersions returns the named versions of a lineage, without their contents, the oldest first.
func (r *Reader) NamedVersions(ctx context.Context, lineage string, names ...string) ([]VersionState, error) {
	return r.versions(ctx, lineage, false, append([]string{}, names...), inOrderOfVersions)
}

// VersionContents returns versions of a lineage with their contents, the oldest first: those named, or all that have a
// name.
func (r *Reader) VersionContents(ctx context.Context, lineage string, names ...string) ([]VersionState, error) {
	return r.versions(ctx, lineage, true, names, whichHaveName, inOrderOfVersions)
}

// WholeVersions returns the versions of a lineage in the order in which they were recorded here.
func (r *Reader) WholeVersions(ctx context.Context, lineage string) ([]track.Version, error) {
	states, err := r.versions(ctx, lineage, true, nil, inOrderOfRows)
	versions := make([]track.Version, len(states))
	for i, v := range states {
		versions[i] = v.Version(lineage)
		versions[i].Masking, versions[i].RecordedAt = v.Masking, v.CreatedAt
	}
	return versions, err
}

// VersionState returns one version of a lineage, without its content.
func (r *Reader) VersionState(ctx context.Context, lineage, name string) (VersionState, error) {
	return r.oneVersion(ctx, lineage, name, false)
}

// Version returns what is known of a version of a lineage.
func (r *Reader) Version(ctx context.Context, lineage, name string) (track.Version, error) {
	v, err := r.oneVersion(ctx, lineage, name, true)
	return v.Version(lineage), err
}

// Content returns the content of a version, nil if it is not known.
func (r *Reader) Content(ctx context.Context, lineage, name string) (*string, error) {
	v, err := r.oneVersion(ctx, lineage, name, true)
	return v.Content, err
}

func (r *Reader) oneVersion(ctx context.Context, lineage, name string, withContent bool) (VersionState, error) {
	found, err := r.versions(ctx, lineage, withContent, []string{name})
	if err != nil || len(found) > 0 {
		return append(found, VersionState{})[0], err
	}
	err = fmt.Errorf("version %s of lineage %s: %w", name, lineage, track.ErrNotFound)
	names, listErr := r.VersionNames(ctx, lineage)
	if listErr != nil {
		return VersionState{}, listErr
	}
	return VersionState{}, track.WithHint(err, nearestOf(name, names, track.NewHint("list the versions", "version list", lineage)))
}

// VersionNames returns the names of all versions of a lineage, sorted.
func (r *Reader) VersionNames(ctx context.Context, lineage string) (names []string, err error) {
	return names, r.selectAll(ctx, &names, listVersionNames, lineage)
}

// HasVersion reports whether a lineage has a version of this name.
func (r *Reader) HasVersion(ctx context.Context, lineage, name string) (bool, error) {
	return r.exists(ctx, hasNamedVersion, lineage, name)
}

// VersionChange is the effect of adding a version.
type VersionChange int

// What adding a version can do. Of a version with another content, nothing is stored.
const (
	VersionSame VersionChange = iota
	VersionAdded
	VersionUpdated
	VersionConflict
)

const (
	versionState = `
	SELECT coalesce(parent_id, 0) AS parent, coalesce(operator, '') AS operator, content, content_digest, masking, coalesce(status, '') AS status,
	       coalesce(note, '') AS note, coalesce(source, '') AS source, source_score, source_parent_score, source_created_at
	  FROM version WHERE id = $1`
	updateVersion = `
	UPDATE version SET parent_id = $1, operator = $2, content = $3, content_digest = $4, masking = $5, status = $6, note = $7, source = $8, source_score = $9,
	       source_parent_score = $10, source_created_at = $11 WHERE id = $12`
	isEvolving = `SELECT 1 FROM lineage WHERE id = $1 AND ` + hasLedger
)

type versionRow struct {
	Parent      int64           `db:"parent"` // 0 for none
	Operator    string          `db:"operator"`
	Content     *string         `db:"content"`
	Digest      []byte          `db:"content_digest"`
	Masking     sql.NullInt64   `db:"masking"`
	Status      string          `db:"status"`
	Note        string          `db:"note"`
	Source      string          `db:"source"`
	Score       sql.NullFloat64 `db:"source_score"`
	ParentScore sql.NullFloat64 `db:"source_parent_score"`
	CreatedAt   sql.NullInt64   `db:"source_created_at"`
}

// AddVersion stores what is known of a version, whose texts are masked. What v says stands in place of what was known,
// unless fill is set: then it stands only where nothing was. What v does not say is left, and the content never
// changes.
func (t *Tx) AddVersion(v track.Version, fill bool) (VersionChange, error) {
	if err := t.checkNames(fields{{"operator", v.Operator}, {"status", v.Status}, {"source", v.Source}}); err != nil {
		return 0, err
	}
	v.Note, _ = t.texts.Text(v.Note)
	if v.Masking == 0 {
		v.Masking = t.texts.Version
	}
	lineage, err := t.lineageID(v.Lineage)
	if err != nil {
		return 0, err
	}
	id, err := t.versionID(lineage, v.Name)
	if err != nil {
		return 0, err
	}
	var before versionRow
	if err := t.get(&before, versionState, id); err != nil {
		return 0, err
	}
	after := before
	if v.Parent != "" && (before.Parent == 0 || !fill) {
		if after.Parent, err = t.versionID(lineage, v.Parent); err != nil {
			return 0, err
		}
	}
	after.update(v, fill)
	if v.Content != nil {
		better, conflict, err := t.compareContent(lineage, before, v)
		if err != nil || conflict {
			return VersionConflict, err
		}
		if better {
			if err := t.admitContent(lineage, &v); err != nil {
				return 0, err
			}
			digest := sha256.Sum256([]byte(*v.Content))
			after.Content, after.Digest, after.Masking = v.Content, digest[:], sql.NullInt64{Int64: int64(v.Masking), Valid: true}
		}
	}
	if after.same(before) {
		return VersionSame, nil
	}
	err = t.execSealed(sealedVersions(), id, updateVersion, sql.NullInt64{Int64: after.Parent, Valid: after.Parent != 0}, nullText(after.Operator), after.Content, after.Digest, after.Masking, nullText(after.Status),
		nullText(after.Note), nullText(after.Source), after.Score, after.ParentScore, after.CreatedAt, id)
	if before.same(versionRow{}) {
		return VersionAdded, err
	}
	return VersionUpdated, err
}

// admitContent masks the content of a version. In a lineage with a ledger, which holds its hash, it returns an error
// instead if something in it looks like a secret.
func (t *Tx) admitContent(lineage int64, v *track.Version) error {
	evolving, err := t.exists(t.ctx, isEvolving, lineage)
	if err != nil {
		return err
	}
	if evolving {
		return t.checkText("content of version "+v.Name, *v.Content)
	}
	if clean, n := t.texts.Text(*v.Content); n > 0 {
		v.Content, v.Masking = &clean, t.texts.Version
	}
	return nil
}

// compareContent compares the content of a version with the one recorded before. It is better if there was none, or
// if the same was masked by older rules and no ledger holds its hash.
func (t *Tx) compareContent(lineage int64, before versionRow, v track.Version) (better, conflict bool, err error) {
	digest := sha256.Sum256([]byte(*v.Content))
	switch {
	case before.Digest == nil:
		return true, false, nil
	case string(before.Digest) == string(digest[:]):
		return false, false, nil
	case before.Content == nil || int64(v.Masking) == before.Masking.Int64 || !t.texts.Alike(*before.Content, *v.Content):
		return false, true, nil
	case int64(v.Masking) < before.Masking.Int64:
		return false, false, nil
	}
	evolving, err := t.exists(t.ctx, isEvolving, lineage)
	return !evolving, false, err
}

// update takes over what v says: all of it, or what fills a gap.
func (r *versionRow) update(v track.Version, fill bool) {
	for _, text := range [...]struct {
		to   *string
		said string
	}{{&r.Operator, v.Operator}, {&r.Status, v.Status}, {&r.Note, v.Note}, {&r.Source, v.Source}} {
		if text.said != "" && (*text.to == "" || !fill) {
			*text.to = text.said
		}
	}
	for _, score := range [...]struct {
		to   *sql.NullFloat64
		said *float64
	}{{&r.Score, v.SourceScore}, {&r.ParentScore, v.SourceParentScore}} {
		if score.said != nil && (!score.to.Valid || !fill) {
			*score.to = sql.NullFloat64{Float64: *score.said, Valid: true}
		}
	}
	if !v.CreatedAt.IsZero() && (!r.CreatedAt.Valid || !fill) {
		r.CreatedAt = sql.NullInt64{Int64: micros(v.CreatedAt), Valid: true}
	}
}

// same reports whether two rows are equal. The digest stands for the content.
func (r versionRow) same(other versionRow) bool {
	return r.Parent == other.Parent && r.Operator == other.Operator && string(r.Digest) == string(other.Digest) && r.Status == other.Status &&
		r.Note == other.Note && r.Source == other.Source && r.Score == other.Score && r.ParentScore == other.ParentScore && r.CreatedAt == other.CreatedAt
}
