package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"sort"
)

// rowsByID reads rows of a table by their ids.
type rowsByID struct {
	tablePages
	visitRow func(id int64, row *pageRow)
}

// errSpilt says that a row may go on in another page, which nothing here follows.
var errSpilt = errors.New("a row may not fit on its page")

// scanRowsByID calls visit with the rows of a table that have some ids, which ascend. It returns [errSpilt] for a long
// row. The reader must be of a snapshot or a transaction.
func scanRowsByID(ctx context.Context, r *Reader, table string, ids []int64, visit func(id int64, row *pageRow)) (err error) {
	t := &rowsByID{tablePages: tablePages{Reader: r, ctx: ctx, table: table, inner: map[uint32][]byte{}, ahead: map[uint32][]byte{}}, visitRow: visit}
	root, done, err := t.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	_, err = t.walkRows(root, maxDepth, ids)
	return err
}

// walkRows visits the rows of some ids in a page and those below it. It returns the ids that may come behind it.
func (t *rowsByID) walkRows(number uint32, depth int, ids []int64) ([]int64, error) {
	data, err := t.readKept(number, rowTree)
	if err != nil {
		return nil, err
	}
	page, err := cellsOf(data, number, depth, rowTree)
	if err != nil {
		return nil, err
	}
	for i := 0; len(ids) > 0; i++ {
		i += sort.Search(page.n-i, func(k int) bool { return page.rowID(i+k) >= ids[0] })
		if i >= page.n {
			break
		}
		cell, err := page.cell(i)
		if err == nil && page.isInner {
			ids, err = t.walkChild(page, i, binary.BigEndian.Uint32(cell), depth, ids)
		} else if err == nil {
			ids, err = t.visitCell(page, cell, ids)
		}
		if err != nil {
			return nil, damagedPage(number, err)
		}
	}
	if page.isInner && len(ids) > 0 {
		return t.walkRows(binary.BigEndian.Uint32(data[8:]), depth-1, ids)
	}
	return ids, nil
}

// walkChild walks the page that cell i names.
func (t *rowsByID) walkChild(page pageCells, i int, child uint32, depth int, ids []int64) ([]int64, error) {
	if err := t.readAhead(child, func() []uint32 { return childrenFrom(page, i, ids) }); err != nil {
		return nil, err
	}
	return t.walkRows(child, depth-1, ids)
}

// childrenFrom returns the page that cell i names, and some of those behind it that rows need as well.
func childrenFrom(page pageCells, i int, ids []int64) (numbers []uint32) {
	for i < page.n && len(ids) > 0 && len(numbers) < pagesAhead {
		cell, err := page.cell(i)
		if err != nil {
			break
		}
		numbers = append(numbers, binary.BigEndian.Uint32(cell))
		last := page.rowID(i)
		ids = ids[sort.Search(len(ids), func(k int) bool { return ids[k] > last }):]
		if i++; len(ids) > 0 {
			i += sort.Search(page.n-i, func(k int) bool { return page.rowID(i+k) >= ids[0] })
		}
	}
	return numbers
}

// rowID returns the id of the row in a cell, or the largest one of the page that the cell names. A cell that cannot be
// read counts as the last: whoever visits it reports the damage.
func (p *pageCells) rowID(i int) int64 {
	cell, err := p.cell(i)
	if err == nil && p.isInner {
		cell = cell[4:]
	} else if err == nil {
		_, n := varint(cell) // the size of the row
		cell = cell[n:]
	}
	id, n := varint(cell)
	if n == 0 {
		return math.MaxInt64
	}
	return int64(id)
}

// visitCell visits the row in a cell if it is the one of the first id. It returns the ids behind the row.
func (t *rowsByID) visitCell(page pageCells, cell []byte, ids []int64) ([]int64, error) {
	size, n := varint(cell)
	id, m := varint(cell[n:])
	payload := cell[n+m:]
	if n == 0 || m == 0 {
		return nil, errOutside
	}
	for len(ids) > 0 && ids[0] < int64(id) { // there is no such row
		ids = ids[1:]
	}
	if len(ids) == 0 || ids[0] != int64(id) {
		return ids, nil
	}
	const mostElsewhere = 35 + 255 // what SQLite leaves free at most, and what a page reserves
	if size+mostElsewhere > uint64(len(page.data)) {
		return nil, errSpilt
	}
	if size > uint64(len(payload)) {
		return nil, errOutside
	}
	if err := t.row.open(payload[:size]); err != nil {
		return nil, err
	}
	t.visitRow(int64(id), &t.row)
	return ids[1:], t.row.err
}

// indexRows reads the entries of an index that begin with some numbers.
type indexRows struct {
	tablePages
	prefix []int64
	visit  func(row *pageRow)
}

// scanIndex calls visit with the entries of an index that begin with some numbers, in its order. What is read of an
// entry follows them. The reader must be of a snapshot or a transaction.
func scanIndex(ctx context.Context, r *Reader, index string, prefix []int64, visit func(row *pageRow)) (err error) {
	t := &indexRows{tablePages{Reader: r, ctx: ctx, table: index}, prefix, visit}
	root, done, err := t.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	_, err = t.walkEntries(root, maxDepth)
	return err
}

// walkEntries visits the entries in a page and those below it. It reports whether more may come behind it.
func (t *indexRows) walkEntries(number uint32, depth int) (goesOn bool, err error) {
	data, err := t.read(number)
	if err != nil {
		return false, err
	}
	page, err := cellsOf(data, number, depth, keyTree)
	if err != nil {
		return false, err
	}
	first := sort.Search(page.n, func(i int) bool {
		order, err := t.openEntry(page, i)
		return err != nil || order >= 0
	})
	for i := first; i < page.n; i++ {
		if page.isInner {
			cell, err := page.cell(i)
			if err != nil {
				return false, damagedPage(number, err)
			}
			if goesOn, err := t.walkEntries(binary.BigEndian.Uint32(cell), depth-1); err != nil || !goesOn {
				return false, err
			}
		}
		order, err := t.openEntry(page, i)
		if err != nil {
			return false, damagedPage(number, err)
		}
		if order > 0 {
			return false, nil
		}
		if t.visit(&t.row); t.row.err != nil {
			return false, damagedPage(number, t.row.err)
		}
	}
	if page.isInner {
		return t.walkEntries(binary.BigEndian.Uint32(data[8:]), depth-1)
	}
	return true, nil
}

// openEntry makes the entry in a cell the current one, behind the numbers of the prefix. It reports whether they come
// before the prefix, are it, or come after it.
func (t *indexRows) openEntry(page pageCells, i int) (order int, err error) {
	cell, err := page.cell(i)
	if err != nil {
		return 0, err
	}
	if page.isInner {
		cell = cell[4:]
	}
	if err := t.row.unpack(cell); err != nil {
		return 0, err
	}
	for _, want := range t.prefix {
		if order := cmp.Compare(t.row.integer(), want); order != 0 || t.row.err != nil {
			return order, t.row.err
		}
	}
	return 0, nil
}

// pageCell is a column of a row as it is stored.
type pageCell struct {
	kind uint64
	data []byte
}

// cells reads the next columns. Those that a row does not have, because they came to the table later, are NULL.
func (r *pageRow) cells(into []pageCell) {
	for i := range into {
		if len(r.types) == 0 {
			return
		}
		into[i].kind, into[i].data = r.next()
	}
}

// integer returns a whole number; 0 if the cell holds something else.
func (c pageCell) integer() int64 {
	if c.kind == typeNull || c.kind == typeFloat || c.kind > lastNumber {
		return 0
	}
	return wholeNumber(c.kind, c.data)
}

// appendTo appends a cell for a checksum, as [appendColumns] does with what the driver makes of it.
func (c pageCell) appendTo(buffer []byte) []byte {
	switch {
	case c.kind == typeNull:
		return appendNull(buffer)
	case c.kind == typeFloat:
		return appendFloat(buffer, math.Float64frombits(binary.BigEndian.Uint64(c.data)))
	case c.kind <= lastNumber:
		return appendInteger(buffer, wholeNumber(c.kind, c.data))
	case c.kind%2 == 0:
		return appendBytes(buffer, ofBlob, c.data)
	}
	return appendBytes(buffer, ofText, c.data)
}
