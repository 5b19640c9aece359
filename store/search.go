package store

import (
	"context"
	"time"
)

// textIndex is how a database indexes the texts of executions. The numbers of the texts of one are those of keptTexts.
type textIndex struct {
	found  string // a table of execution_id, number and rank of what matches $1
	remove string // the texts of the execution $1
	insert string // the text $3, number $2 of the execution $1
	empty  string
	// Texts of an execution that waits are in the index only after the next search.
	notIndexed, notKept string

	match func(phrases []string) string // what $1 of found is: all of the phrases
	words func(text string) string      // what $3 of insert is
}

const (
	listUnindexed  = `SELECT id FROM execution WHERE is_indexed = 0 ORDER BY id LIMIT 100`
	countUnindexed = `SELECT count(*) FROM execution WHERE is_indexed = 0`
	setIndexed     = `UPDATE execution SET is_indexed = 1 WHERE id = $1`
	setUnindexed   = `UPDATE execution SET is_indexed = 0 WHERE id IN (SELECT execution_id FROM (` + keptTexts + `) AS kept)`
	// keptTexts is every text that is kept, with its number.
	keptTexts = `
	SELECT id AS execution_id, 0 AS number, prompt AS text FROM execution WHERE prompt IS NOT NULL
	 UNION ALL SELECT id, 1, output FROM execution WHERE output IS NOT NULL
	 UNION ALL SELECT id, 2, message FROM execution WHERE message IS NOT NULL
	 UNION ALL SELECT execution_id, 3 + 3 * position, input FROM call WHERE input IS NOT NULL
	 UNION ALL SELECT execution_id, 4 + 3 * position, output FROM call WHERE output IS NOT NULL
	 UNION ALL SELECT execution_id, 5 + 3 * position, error FROM call WHERE error IS NOT NULL AND error <> '` + Forgotten + `'`
	listTextsOf = `SELECT number, text FROM (` + keptTexts + `) AS kept WHERE execution_id = $1`
	getTextOf   = listTextsOf + ` AND number = $2`

	textKind = `
	CASE found.number WHEN 0 THEN 'prompt' WHEN 1 THEN 'answer' WHEN 2 THEN 'message'
	     ELSE CASE found.number % 3 WHEN 0 THEN 'input' WHEN 1 THEN 'output' ELSE 'error' END END`
	joinFound = ` AS found
	  JOIN execution ON execution.id = found.execution_id
	  JOIN lineage ON lineage.id = execution.lineage_id JOIN version ON version.id = execution.version_id
	 WHERE ($2 = '' OR lineage.name = $2) AND (CAST($3 AS text) IS NULL OR version.name = $3) AND ($4 = '' OR execution.model = $4)
	   AND ($5 = '' OR` + textKind + ` = $5)`
	searchTexts = `
	SELECT execution.ulid, lineage.name, version.name, execution.task, execution.model, execution.at,` + textKind + `, found.number, found.rank, found.execution_id
	  FROM `
	inOrderOfRank   = ` ORDER BY found.rank DESC, found.execution_id, found.number LIMIT $6`
	countFoundTexts = `SELECT count(*) FROM `
)

// TextFilter says which texts are searched. Empty fields are no condition.
type TextFilter struct {
	Phrases              []string // all of them must be in a text
	Lineage, Model, Kind string
	Version              *string
	Limit                int
}

// FoundText is a text of an execution that holds what was searched for.
type FoundText struct {
	Execution, Lineage, Version, Task, Model string
	At                                       time.Time
	Kind                                     string
	Call                                     int // number from 1; 0 if it is no text of a call
	Rank                                     float64
	Text                                     string
}

// SearchTexts returns the texts that match best, and how many match.
func (r *Reader) SearchTexts(ctx context.Context, f TextFilter) (texts []FoundText, n int, err error) {
	index := r.pool.engine.textIndex()
	args := []any{index.match(f.Phrases), f.Lineage, f.Version, f.Model, f.Kind}
	if args[0] == "" {
		return nil, 0, nil
	}
	if err := r.get(ctx, &n, countFoundTexts+index.found+joinFound, args...); err != nil {
		return nil, 0, err
	}
	var rows, numbers []int64
	texts, err = list(ctx, r, searchTexts+index.found+joinFound+inOrderOfRank, append(args, f.Limit), func(c *cells) FoundText {
		found := FoundText{Execution: c.text(), Lineage: c.text(), Version: c.text(), Task: c.text(), Model: c.text(), At: c.time(), Kind: c.text()}
		number := c.integer()
		if found.Rank = c.real(); number > 2 {
			found.Call = int(number) / 3
		}
		rows, numbers = append(rows, c.integer()), append(numbers, number)
		return found
	})
	for i := range texts {
		if err == nil {
			err = r.each(ctx, getTextOf, []any{rows[i], numbers[i]}, func(c *cells) { _, texts[i].Text = c.integer(), c.text() })
		}
	}
	return texts, n, err
}

// CountUnindexed returns how many executions the index lacks: their texts are not found.
func (r *Reader) CountUnindexed(ctx context.Context) (n int, err error) {
	return n, r.get(ctx, &n, countUnindexed)
}

// IndexTexts indexes the texts of executions that were recorded since the last time. Progress hears how many
// executions are left.
func (s *Store) IndexTexts(ctx context.Context, progress func(left int)) error {
	for {
		left, err := s.CountUnindexed(ctx)
		if err != nil || left == 0 {
			return err
		}
		progress(left)
		if err := s.Update(ctx, (*Tx).indexSome); err != nil {
			return err
		}
	}
}

// indexSome indexes the texts of a few executions.
func (t *Tx) indexSome() error {
	var waiting []int64
	if err := t.selectAll(t.ctx, &waiting, listUnindexed); err != nil {
		return err
	}
	index := t.pool.engine.textIndex()
	const most = 4 << 20 // bytes of one transaction, beyond which others would wait
	size := 0
	type text struct {
		number int64
		text   string
	}
	for _, id := range waiting {
		texts, err := list(t.ctx, t.Reader, listTextsOf, []any{id}, func(c *cells) text { return text{c.integer(), c.text()} })
		for _, one := range texts {
			if size += len(one.text); err == nil {
				_, err = t.exec(index.insert, id, one.number, index.words(one.text))
			}
		}
		if err == nil {
			_, err = t.exec(setIndexed, id)
		}
		if err != nil || size > most {
			return err
		}
	}
	return nil
}

// removeFromIndex removes the texts of an execution from the index.
func (t *Tx) removeFromIndex(id int64) error {
	_, err := t.exec(t.pool.engine.textIndex().remove, id)
	return err
}

// RebuildIndex makes the index of texts anew.
func (s *Store) RebuildIndex(ctx context.Context, progress func(left int)) error {
	err := s.Update(ctx, func(tx *Tx) error {
		for _, statement := range []string{tx.pool.engine.textIndex().empty, setUnindexed} {
			if _, err := tx.exec(statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.IndexTexts(ctx, progress)
}
