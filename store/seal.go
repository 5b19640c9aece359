package store

import (
	"context"
	"database/sql/driver"
	"fmt"
)

// Rows of lineages and versions change: each change makes their checksum anew, from what is stored. A row that was
// damaged before stays so, or a change would hide the damage.

// sealedTable reads the checked columns of a row of a table, and stores their checksum.
type sealedTable struct{ read, seal string }

const (
	lineageChecked = `
	lineage.name, lineage.keep_text, lineage.seed, lineage.subject, lineage.trials_elsewhere, lineage.created_at, lineage.checksum`
	versionChecked = `
	version.id, version.lineage_id, version.name, version.parent_id, version.operator, CASE WHEN version.content IS NULL THEN 0 ELSE 1 END,
	version.content_digest, version.masking, version.status, version.note, version.source, version.source_score, version.source_parent_score,
	version.source_created_at, version.created_at, version.checksum`
	lineageColumns, versionColumns = 7, 16

	readLineage = `SELECT ` + lineageChecked + ` FROM lineage WHERE id = $1`
	sealLineage = `UPDATE lineage SET checksum = $1 WHERE id = $2`
	readVersion = `SELECT ` + versionChecked + ` FROM version WHERE id = $1`
	sealVersion = `UPDATE version SET checksum = $1 WHERE id = $2`

	listCheckedLineages = `SELECT 'lineage ' || lineage.name, ` + lineageChecked + ` FROM lineage`
	listCheckedVersions = `
	SELECT 'version ' || version.name || ' of lineage ' || coalesce(lineage.name, ''), ` + versionChecked + `
	  FROM version LEFT JOIN lineage ON lineage.id = version.lineage_id`
)

func sealedLineages() sealedTable { return sealedTable{readLineage, sealLineage} }
func sealedVersions() sealedTable { return sealedTable{readVersion, sealVersion} }

// columns reads the checked columns of a row, and its checksum.
func (s sealedTable) columns(t *Tx, id int64) ([]driver.Value, error) {
	stmt, err := t.prepare(t.ctx, s.read)
	if err != nil {
		return nil, err
	}
	row, err := stmt.QueryRowxContext(t.ctx, id).SliceScan()
	columns := make([]driver.Value, len(row))
	for i, column := range row {
		columns[i] = column
	}
	return columns, err
}

// seal stores the checksum of a row that was just added.
func (t *Tx) seal(s sealedTable, id int64) error {
	columns, err := s.columns(t, id)
	if err == nil {
		_, err = t.exec(s.seal, checksumOf(columns[:len(columns)-1]), id)
	}
	return err
}

// execSealed runs a statement that changes a row, and stores the new checksum.
func (t *Tx) execSealed(s sealedTable, id int64, query string, args ...any) error {
	columns, err := s.columns(t, id)
	if err != nil {
		return err
	}
	if _, err := t.exec(query, args...); err != nil || !isSound(columns) {
		return err
	}
	return t.seal(s, id)
}

// checkLineages compares the rows of lineages and versions with their checksums.
func (r *Reader) checkLineages(ctx context.Context, found func(Damage)) (n int, err error) {
	for _, c := range [...]struct{ table, query string }{{"lineage", listCheckedLineages}, {"version", listCheckedVersions}} {
		err := r.stream(ctx, c.query, nil, func(row []driver.Value) {
			if n++; !isSound(row[1:]) {
				found(Damage{c.table, "its row differs from its checksum", asText(row[0])})
			}
		})
		if err != nil {
			return n, explain(err)
		}
	}
	return n, nil
}

// columnValue returns what a column holds after an argument was stored in it.
func columnValue(arg any) driver.Value {
	value, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		panic(impossible(fmt.Sprintf("an argument is %T", arg)))
	}
	switch x := value.(type) {
	case bool:
		if x {
			return int64(1)
		}
		return int64(0)
	case []byte:
		if x == nil {
			return nil
		}
	}
	return value
}

// appendArguments appends the columns in which arguments are stored, for a checksum.
func appendArguments(buffer []byte, args ...any) []byte {
	for _, arg := range args {
		buffer = appendColumns(buffer, []driver.Value{columnValue(arg)})
	}
	return buffer
}

// keeps is the column of a checksum that says whether a text is kept, which has a digest of its own.
func keeps(text any) int64 {
	if text == nil {
		return 0
	}
	return 1
}
