package store

import (
	"context"
	"database/sql"
	"time"

	"track"
)

// WholeLineage is a lineage without its versions and its ledger.
type WholeLineage struct {
	Name      string
	KeepText  bool
	CreatedAt time.Time
}

const (
	listLineageRows = `SELECT name, keep_text, created_at FROM lineage ORDER BY id`
	addLineageRow   = `
	INSERT INTO lineage (id, name, keep_text, created_at, checksum) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM lineage), $1, $2, $3, $4) RETURNING id`
	earlierLineage     = `UPDATE lineage SET created_at = $1 WHERE id = $2 AND created_at > $1`
	earlierVersion     = `UPDATE version SET created_at = $1 WHERE id = $2 AND created_at > $1`
	listVersionRecords = `
	SELECT version.name, coalesce(version.operator, '') AS operator, version.content, coalesce(version.masking, 0) AS masking, coalesce(version.status, '') AS status,
	       coalesce(version.note, '') AS note, coalesce(version.source, '') AS source, version.source_score,
	       version.source_parent_score, version.source_created_at, coalesce(parent.name, '') AS parent, version.created_at
	  FROM version LEFT JOIN version AS parent ON parent.id = version.parent_id
	 WHERE version.lineage_id = (SELECT id FROM lineage WHERE name = $1) ORDER BY version.id`
)

// WholeLineages returns all lineages.
func (r *Reader) WholeLineages(ctx context.Context) ([]WholeLineage, error) {
	var rows []struct {
		Name      string `db:"name"`
		KeepText  bool   `db:"keep_text"`
		CreatedAt int64  `db:"created_at"`
	}
	if err := r.read().SelectContext(ctx, &rows, listLineageRows); err != nil {
		return nil, explain(err)
	}
	list := make([]WholeLineage, len(rows))
	for i, row := range rows {
		list[i] = WholeLineage{row.Name, row.KeepText, fromMicros(row.CreatedAt)}
	}
	return list, nil
}

// WholeVersions returns the versions of a lineage in the order in which they were recorded here.
func (r *Reader) WholeVersions(ctx context.Context, lineage string) ([]track.Version, error) {
	var rows []struct {
		Name        string          `db:"name"`
		Operator    string          `db:"operator"`
		Content     *string         `db:"content"`
		Masking     int             `db:"masking"`
		Status      string          `db:"status"`
		Note        string          `db:"note"`
		Source      string          `db:"source"`
		Score       sql.NullFloat64 `db:"source_score"`
		ParentScore sql.NullFloat64 `db:"source_parent_score"`
		SourceTime  sql.NullInt64   `db:"source_created_at"`
		Parent      string          `db:"parent"`
		CreatedAt   int64           `db:"created_at"`
	}
	if err := r.read().SelectContext(ctx, &rows, listVersionRecords, lineage); err != nil {
		return nil, explain(err)
	}
	list := make([]track.Version, len(rows))
	for i, row := range rows {
		list[i] = track.Version{
			Lineage: lineage, Name: row.Name, Parent: row.Parent, Operator: row.Operator, Content: row.Content, Masking: row.Masking, Status: row.Status, Note: row.Note,
			Source: row.Source, CreatedAt: nullableTime(row.SourceTime), SourceScore: floatPointer(row.Score), SourceParentScore: floatPointer(row.ParentScore),
			RecordedAt: fromMicros(row.CreatedAt),
		}
	}
	return list, nil
}

func floatPointer(f sql.NullFloat64) *float64 {
	if !f.Valid {
		return nil
	}
	return &f.Float64
}

// AddLineage stores a lineage of another database with its versions, which fill the gaps of those here. It returns the
// names of the versions that have another content here.
func (t *Tx) AddLineage(l WholeLineage, versions []track.Version) (conflicts map[string]bool, added int, err error) {
	id, err := t.addLineage(l)
	if err != nil {
		return nil, 0, err
	}
	for _, v := range versions { // all names first: a version may name a parent that follows it
		isNew, err := t.addVersionAt(id, v)
		if err != nil {
			return nil, 0, err
		}
		if isNew {
			added++
		}
	}
	conflicts = map[string]bool{}
	for _, v := range versions {
		change, err := t.AddVersion(v, true)
		if err != nil {
			return nil, 0, err
		}
		if change == VersionConflict {
			conflicts[v.Name] = true
		}
	}
	return conflicts, added, nil
}

func (t *Tx) addLineage(l WholeLineage) (id int64, err error) {
	err = t.getID(&id, findLineage, l.Name)
	if err == nil {
		return id, t.execSealed(sealedLineages(), id, earlierLineage, micros(l.CreatedAt), id)
	}
	if !isNoRows(err) {
		return 0, err
	}
	if err := t.checkName("lineage", l.Name); err != nil {
		return 0, err
	}
	if err := t.getID(&id, addLineageRow, l.Name, l.KeepText, micros(l.CreatedAt), unsealed()); err != nil {
		return 0, err
	}
	return id, t.seal(sealedLineages(), id)
}

// addVersionAt stores the name of a version, or the earlier time of one that is here.
func (t *Tx) addVersionAt(lineage int64, v track.Version) (added bool, err error) {
	var id int64
	err = t.getID(&id, findVersion, lineage, v.Name)
	if err == nil {
		return false, t.execSealed(sealedVersions(), id, earlierVersion, micros(v.RecordedAt), id)
	}
	if !isNoRows(err) {
		return false, err
	}
	if err := t.checkName("version", v.Name); err != nil {
		return false, err
	}
	if err := t.getID(&id, insertVersion, lineage, v.Name, micros(v.RecordedAt), unsealed()); err != nil {
		return false, err
	}
	return true, t.seal(sealedVersions(), id)
}
