package store

import "strings"

// shardKeys remembers the configurations of seeds, the lineages of executions and the hashes of series that a
// transaction stores something of. It belongs to one transaction.
type shardKeys map[ownerRow]any

type ownerRow struct {
	table string // seed, execution or series_content
	id    int64
}

func (k shardKeys) keep(owner string, id int64, key any) { k[ownerRow{owner, id}] = key }

// addPart runs a statement that stores something that belongs to a row of seed, execution or series_content.
func (t *Tx) addPart(owner string, id int64, statement string, args ...any) error {
	t.nRows++
	key, err := t.engine.shardKey(t, owner, id)
	if err == nil {
		_, err = t.exec(statement, append(args, key...)...)
	}
	return err
}

// MaxRows returns how many rows a transaction should write at most; 0 if that does not matter.
func (s *Store) MaxRows() int { return s.pool.engine.maxRows() }

// IsFull reports whether a transaction has written so many rows that the next record should go into another one. It
// leaves room for the record that comes last: a seed may have 64 files.
func (t *Tx) IsFull() bool {
	most := t.engine.maxRows()
	return most > 0 && t.nRows > most*3/4
}

// maxRows implements [engine].
func (sqliteFile) maxRows() int { return 0 }

// shardKey implements [engine].
func (sqliteFile) shardKey(*Tx, string, int64) ([]any, error) { return nil, nil }

const lastSeed = `SELECT coalesce(max(id), 0) FROM seed`

// newSeedIDs implements [engine]. Nobody else writes meanwhile.
func (sqliteFile) newSeedIDs(t *Tx, n int) ([]int64, error) {
	var last int64
	if err := t.getID(&last, lastSeed); err != nil {
		return nil, err
	}
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = last + 1 + int64(i)
	}
	return ids, nil
}

// forServers returns a statement with or without what stands in braces behind a comma.
func forServers(statement string, isServer bool) string {
	before, rest, found := strings.Cut(statement, "{,")
	if !found {
		return statement
	}
	var b strings.Builder
	for found {
		b.WriteString(before)
		said, after, _ := strings.Cut(rest, "}")
		if isServer {
			b.WriteString("," + said)
		}
		before, rest, found = strings.Cut(after, "{,")
	}
	b.WriteString(before)
	return b.String()
}
