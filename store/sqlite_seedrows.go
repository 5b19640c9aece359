package store

import (
	"context"
	"encoding/binary"
	"errors"
	"sort"
)

// keptPages bounds the pages that [seedRows] keeps, 4 MB of them.
const keptPages = 1024

// seedRows reads the rows of some seeds from a table without row ids, whose key begins with the id of a seed. The same
// holds for the calls of an execution.
type seedRows struct {
	tablePages
	visitSeed func(seed int64, row *pageRow) error
}

// scanSeeds implements [engine]. It takes a tenth of the time of a query, because the driver needs half a microsecond
// for each row.
func (sqliteFile) scanSeeds(ctx context.Context, r *Reader, table string, ids []int64, visit func(seed int64, row packedRow) error) (err error) {
	return scanKey(ctx, r, table, ids, func(seed int64, row *pageRow) error { return visit(seed, row) })
}

// scanKey calls visit with each row of a table without row ids whose key begins with one of some ids. The reader must
// be of a snapshot or a transaction.
func scanKey(ctx context.Context, r *Reader, table string, ids []int64, visit func(id int64, row *pageRow) error) (err error) {
	if len(ids) == 0 {
		return nil
	}
	t := &seedRows{tablePages: tablePages{Reader: r, ctx: ctx, table: table, inner: map[uint32][]byte{}, ahead: map[uint32][]byte{}}, visitSeed: visit}
	root, done, err := t.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	for rest := ids; len(rest) > 0 && err == nil; {
		n := 1
		for n < len(rest) && rest[n] > rest[n-1] {
			n++
		}
		t.left = t.file.n
		_, err = t.walkSeeds(root, maxDepth, rest[:n])
		rest = rest[n:]
	}
	return err
}

// walkSeeds visits the rows of seeds, given by ascending ids, in a page and those below it. It returns the seeds that
// may have rows behind it.
func (t *seedRows) walkSeeds(number uint32, depth int, ids []int64) ([]int64, error) {
	data, err := t.readKept(number, keyTree)
	if err != nil {
		return nil, err
	}
	page, err := cellsOf(data, number, depth, keyTree)
	if err != nil {
		return nil, err
	}
	for i := t.search(page, 0, ids[0]); i < page.n; {
		if page.isInner {
			if ids, err = t.walkChild(page, i, depth, ids); err != nil || len(ids) == 0 {
				return nil, err
			}
		}
		seed, err := t.openCell(page, i)
		if err != nil {
			return nil, damagedPage(number, err)
		}
		for len(ids) > 0 && ids[0] < seed {
			ids = ids[1:]
		}
		switch {
		case len(ids) == 0:
			return nil, nil
		case ids[0] > seed:
			i = t.search(page, i+1, ids[0])
			continue
		}
		if err := t.completeRow(page, i); err != nil {
			return nil, err
		}
		if err := t.visitSeed(seed, &t.row); err != nil {
			return nil, err
		}
		if t.row.err != nil {
			return nil, damagedPage(number, t.row.err)
		}
		i++
	}
	if page.isInner {
		return t.walkSeeds(binary.BigEndian.Uint32(data[8:]), depth-1, ids)
	}
	return ids, nil
}

func (t *seedRows) walkChild(page pageCells, i, depth int, ids []int64) ([]int64, error) {
	cell, err := page.cell(i)
	if err != nil {
		return nil, damagedPage(page.number, err)
	}
	child := binary.BigEndian.Uint32(cell)
	if err := t.readAhead(child, func() []uint32 { return t.childrenFrom(page, i, ids) }); err != nil {
		return nil, err
	}
	return t.walkSeeds(child, depth-1, ids)
}

// childrenFrom returns the page that cell i names, and some of those behind it that seeds need as well.
func (t *seedRows) childrenFrom(page pageCells, i int, ids []int64) (numbers []uint32) {
	for i < page.n && len(ids) > 0 && len(numbers) < pagesAhead {
		cell, err := page.cell(i)
		if err != nil {
			break
		}
		numbers = append(numbers, binary.BigEndian.Uint32(cell))
		seed, err := t.openCell(page, i)
		if err != nil {
			break
		}
		ids = ids[sort.Search(len(ids), func(k int) bool { return ids[k] >= seed }):]
		if i++; len(ids) > 0 {
			i = t.search(page, i, ids[0])
		}
	}
	return numbers
}

// search returns the first cell of a page, from cell i on, that belongs to a seed or to one behind it. A cell that
// cannot be read counts as such: whoever visits it reports the damage.
func (t *seedRows) search(page pageCells, i int, id int64) int {
	return i + sort.Search(page.n-i, func(k int) bool {
		seed, err := t.openCell(page, i+k)
		return err != nil || seed >= id
	})
}

// openCell makes the row of a cell the current one, and returns its seed. What does not fit on the page may lack.
func (t *seedRows) openCell(page pageCells, i int) (seed int64, err error) {
	cell, err := t.rowCell(page, i)
	if err != nil {
		return 0, err
	}
	if err := t.row.open(cell.onPage); err != nil {
		return 0, err
	}
	seed = t.row.integer()
	return seed, t.row.err
}

// completeRow makes the row of a cell the current one, behind its seed, if a part of it is on other pages.
func (t *seedRows) completeRow(page pageCells, i int) error {
	cell, err := t.rowCell(page, i)
	if err != nil || cell.elsewhere == 0 {
		return damagedPage(page.number, err)
	}
	payload, err := t.payload(cell)
	if err == nil {
		err = t.row.open(payload)
	}
	if err == nil {
		t.row.skip()
		err = t.row.err
	}
	return damagedPage(page.number, err)
}
