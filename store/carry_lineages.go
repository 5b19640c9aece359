package store

import (
	"context"
	"database/sql"
	"time"

	"track"
	"track/evolution"
)

// LineageRecord is a lineage with its versions.
type LineageRecord struct {
	Name      string
	KeepText  bool
	CreatedAt time.Time
}

// LineageRecords returns all lineages.
func (r *Reader) LineageRecords(ctx context.Context) ([]LineageRecord, error) {
	var rows []namedRow
	if err := r.read().SelectContext(ctx, &rows, listLineageRows); err != nil {
		return nil, explain(err)
	}
	records := make([]LineageRecord, len(rows))
	for i, row := range rows {
		records[i] = LineageRecord{row.Name, row.KeepText, fromMicros(row.CreatedAt)}
	}
	return records, nil
}

// CarryLineage stores a lineage of another database, without its versions.
func (t *Tx) CarryLineage(l LineageRecord) error {
	if err := t.checkName("lineage", l.Name); err != nil {
		return err
	}
	var id int64
	err := t.getID(&id, findLineage, l.Name)
	if err == nil {
		return t.execSealed(sealedLineages(), id, earlierLineage, micros(l.CreatedAt), id)
	}
	if !isNoRows(err) {
		return err
	}
	if err := t.getID(&id, carryLineage, l.Name, l.KeepText, micros(l.CreatedAt), unsealed()); err != nil {
		return err
	}
	return t.seal(sealedLineages(), id)
}

// VersionRecord is a version with the time at which it was recorded first.
type VersionRecord struct {
	track.Version
	ContentID  string // empty if the content is unknown
	RecordedAt time.Time
}

// VersionRecords returns the versions of a lineage in the order in which they were recorded here.
func (r *Reader) VersionRecords(ctx context.Context, lineage string) ([]VersionRecord, error) {
	var rows []struct {
		Name        string          `db:"name"`
		Operator    string          `db:"operator"`
		Content     *string         `db:"content"`
		Digest      []byte          `db:"content_digest"`
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
	list := make([]VersionRecord, len(rows))
	for i, row := range rows {
		v := track.Version{
			Lineage: lineage, Name: row.Name, Parent: row.Parent, Operator: row.Operator, Content: row.Content, Masking: row.Masking, Status: row.Status, Note: row.Note,
			Source: row.Source, CreatedAt: nullableTime(row.SourceTime), SourceScore: floatPointer(row.Score), SourceParentScore: floatPointer(row.ParentScore),
		}
		list[i] = VersionRecord{Version: v, RecordedAt: fromMicros(row.CreatedAt)}
		if v.Content != nil {
			list[i].ContentID = evolution.VersionID([]byte(*v.Content))
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

// carryVersion stores the name of a version, or the earlier time of one that is here.
func (t *Tx) carryVersion(lineage int64, v VersionRecord) error {
	var id int64
	err := t.getID(&id, findVersion, lineage, v.Name)
	if err == nil {
		return t.execSealed(sealedVersions(), id, earlierVersion, micros(v.RecordedAt), id)
	}
	if !isNoRows(err) {
		return err
	}
	if err := t.getID(&id, insertVersion, lineage, v.Name, micros(v.RecordedAt), unsealed()); err != nil {
		return err
	}
	return t.seal(sealedVersions(), id)
}

// CarryVersions stores versions of a lineage of another database, as far as their contents are not in conflict. They
// fill the gaps of those that are here.
func (t *Tx) CarryVersions(lineage string, list []VersionRecord, conflicts map[string]bool) error {
	id, err := t.lineageID(lineage)
	if err != nil {
		return err
	}
	for _, v := range list {
		if err := t.checkName("version", v.Name); err != nil {
			return err
		}
		if err := t.carryVersion(id, v); err != nil {
			return err
		}
	}
	for _, v := range list {
		if conflicts[v.Name] {
			continue
		}
		if conflicts[v.Parent] {
			v.Parent = ""
		}
		if _, err := t.AddVersion(v.Version, true); err != nil {
			return err
		}
	}
	return nil
}
