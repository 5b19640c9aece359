package store

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jmoiron/sqlx"

	"track"
)

// The driver takes half a microsecond for a row, so that to check a database would take ten times as long as to read
// it. The rows of the large tables without row ids are therefore decoded from their pages, which SQLite hands out as
// the transaction sees them. Format: https://www.sqlite.org/fileformat2.html.

const (
	getPage    = `SELECT data FROM sqlite_dbpage WHERE pgno = ?`
	listRoots  = `SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0`
	countPages = `SELECT page_count FROM pragma_page_count`
	maxDepth   = 32 // of a tree of pages
)

// filePages hands out the pages of the file as a snapshot or a transaction sees them. Several goroutines may read.
type filePages struct {
	conn   *sqlx.Conn
	get    driver.Stmt
	roots  map[string]uint32 // the first page of each table and index
	n      int64
	usable uint64 // bytes of a page that are not reserved
}

// filePages returns the pages of the file. Done must be called once unless there is an error. A snapshot keeps them to
// its end, because its first call takes as long as some hundred pages.
func (r *Reader) filePages(ctx context.Context) (p *filePages, done func() error, err error) {
	if r.pages == nil {
		p = &filePages{}
		return p, p.close, p.open(ctx, r)
	}
	if r.pages.get == nil {
		err = r.pages.open(ctx, r)
	}
	return r.pages, func() error { return nil }, err
}

func (p *filePages) open(ctx context.Context, r *Reader) error {
	var roots []struct {
		Name string
		Page uint32 `db:"rootpage"`
	}
	if err := errors.Join(r.read().SelectContext(ctx, &roots, listRoots), r.read().GetContext(ctx, &p.n, countPages)); err != nil {
		return explain(err)
	}
	p.conn, p.roots = r.pinned, make(map[string]uint32, len(roots))
	for _, root := range roots {
		p.roots[root.Name] = root.Page
	}
	return explain(p.conn.Raw(func(conn any) (err error) {
		if p.get, err = conn.(driver.ConnPrepareContext).PrepareContext(ctx, getPage); err != nil {
			return err
		}
		if err = p.readHeader(ctx); err != nil {
			err, p.get = errors.Join(err, p.get.Close()), nil
		}
		return err
	}))
}

// readHeader reads from the first page how much of each is for rows.
func (p *filePages) readHeader(ctx context.Context) error {
	const reservedAt, leastUsable = 20, 480
	first, err := p.page(ctx, 1)
	if err != nil {
		return err
	}
	if len(first) < leastUsable+int(first[reservedAt]) {
		return fmt.Errorf("%w: its first page is too short", track.ErrDamaged)
	}
	p.usable = uint64(len(first)) - uint64(first[reservedAt])
	return nil
}

func (p *filePages) close() error {
	if p == nil || p.get == nil {
		return nil
	}
	return explain(p.get.Close())
}

// read returns the contents of pages; nil for those that the file does not have. It waits once for the connection,
// which other goroutines read from.
func (p *filePages) read(ctx context.Context, numbers []uint32) (contents [][]byte, err error) {
	contents = make([][]byte, len(numbers))
	err = p.conn.Raw(func(any) (err error) {
		for i := 0; i < len(numbers) && err == nil; i++ {
			contents[i], err = p.page(ctx, numbers[i])
		}
		return err
	})
	return contents, err
}

func (p *filePages) page(ctx context.Context, number uint32) ([]byte, error) {
	// A context that can end would start a goroutine for each page.
	rows, err := p.get.(driver.StmtQueryContext).QueryContext(context.WithoutCancel(ctx), []driver.NamedValue{{Ordinal: 1, Value: int64(number)}})
	if err != nil {
		return nil, err
	}
	row := make([]driver.Value, 1)
	if err = rows.Next(row); errors.Is(err, io.EOF) { // there is no such page
		err = nil
	}
	data, _ := row[0].([]byte)
	return data, errors.Join(err, rows.Close())
}

// tablePages reads the rows of a table, in the order of its key.
type tablePages struct {
	*Reader
	ctx   context.Context
	file  *filePages
	left  int64 // pages that the table may still have
	row   pageRow
	visit func(row packedRow) error
	found func(Damage)
	table string
	inner map[uint32][]byte // pages above the leaves that are kept, because many rows need them
	leaf  []byte            // the last one that is kept
	at    uint32            // its number
	ahead map[uint32][]byte // pages that were read with one before them
}

// scanTable implements [engine].
func (sqliteFile) scanTable(ctx context.Context, r *Reader, table string, found func(Damage), visit func(row packedRow) error) (err error) {
	t := &tablePages{Reader: r, ctx: ctx, visit: visit, found: found, table: table}
	root, done, err := t.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	return t.walk(root, maxDepth)
}

// open prepares to read pages, and returns the first one of the table. Done must be called once unless there is an
// error.
func (t *tablePages) open() (root uint32, done func() error, err error) {
	if t.file, done, err = t.Reader.filePages(t.ctx); err != nil {
		return 0, nil, err
	}
	root, known := t.file.roots[t.table]
	if !known {
		return 0, nil, errors.Join(fmt.Errorf("%w: the schema has no %s", track.ErrDamaged, t.table), done())
	}
	t.left = t.file.n
	return root, done, nil
}

// read returns the content of a page.
func (t *tablePages) read(number uint32) (data []byte, err error) {
	if t.left--; t.left < 0 {
		return nil, repeatedPage(number)
	}
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	data, isRead := t.ahead[number]
	if delete(t.ahead, number); !isRead {
		contents, err := t.file.read(t.ctx, []uint32{number})
		if err != nil {
			return nil, explain(err)
		}
		data = contents[0]
	}
	if len(data) < 512 {
		return nil, fmt.Errorf("%w: page %d is not in the file", track.ErrDamaged, number)
	}
	return data, nil
}

// readAhead reads pages that will be needed, the first of them now, unless that one is at hand.
func (t *tablePages) readAhead(number uint32, all func() []uint32) error {
	if _, isRead := t.ahead[number]; isRead || t.inner[number] != nil || t.leaf != nil && t.at == number {
		return nil
	}
	numbers := all()
	contents, err := t.file.read(t.ctx, numbers)
	if err != nil {
		return explain(err)
	}
	for i, data := range contents {
		t.ahead[numbers[i]] = data
	}
	return nil
}

// pagesAhead is how many pages are read together.
const pagesAhead = 16

// walk visits the rows of a page and of those below it.
func (t *tablePages) walk(number uint32, depth int) error {
	err := t.walkPage(number, depth)
	if errors.Is(err, track.ErrDamaged) {
		t.found(Damage{t.table, "part of it cannot be read", strings.TrimPrefix(err.Error(), track.ErrDamaged.Error()+": ")})
		return nil
	}
	return err
}

func (t *tablePages) walkPage(number uint32, depth int) error {
	data, err := t.read(number)
	if err != nil {
		return err
	}
	page, err := cellsOf(data, number, depth, keyTree)
	if err != nil {
		return err
	}
	for i := range page.n {
		cell, err := page.cell(i)
		if err == nil && page.isInner {
			if err = t.walk(binary.BigEndian.Uint32(cell), depth-1); err == nil {
				cell = cell[4:]
			}
		}
		if err == nil {
			err = t.visitCell(cell)
		}
		if err != nil {
			return damagedPage(number, err)
		}
	}
	if page.isInner {
		return t.walk(binary.BigEndian.Uint32(data[8:]), depth-1)
	}
	return nil
}

// readKept returns the content of a page, which it may have kept.
func (t *tablePages) readKept(number uint32, kind treeKind) (data []byte, err error) {
	data, kept := t.inner[number]
	if !kept && t.leaf != nil && number == t.at { // a damaged page may name page 0, which does not exist
		data, kept = t.leaf, true
	}
	if kept {
		if t.left--; t.left < 0 {
			return nil, repeatedPage(number)
		}
		return data, nil
	}
	if data, err = t.read(number); err != nil {
		return nil, err
	}
	if page, err := cellsOf(data, number, maxDepth, kind); err == nil && page.isInner && len(t.inner) < keptPages {
		t.inner[number] = data
	} else {
		t.leaf, t.at = data, number
	}
	return data, nil
}

// treeKind are the types of the pages of a tree.
type treeKind struct{ inner, leaf byte }

var (
	keyTree = treeKind{2, 10} // of a table without row ids
	rowTree = treeKind{5, 13} // of any other table
)

// pageCells are the cells of a page. A cell of an inner page begins with the number of a page whose rows come before
// its own.
type pageCells struct {
	number  uint32
	isInner bool
	n       int
	data    []byte
	starts  []byte // of the cells, two bytes each
}

// cellsOf returns the cells of a page of a tree, which may have depth levels from there on.
func cellsOf(data []byte, number uint32, depth int, kind treeKind) (page pageCells, err error) {
	if depth == 0 || len(data) < 12 || data[0] != kind.inner && data[0] != kind.leaf {
		return page, fmt.Errorf("%w: page %d is not of the tree of its table", track.ErrDamaged, number)
	}
	page = pageCells{number: number, n: int(binary.BigEndian.Uint16(data[3:])), data: data, starts: data[8:]}
	if page.isInner = data[0] == kind.inner; page.isInner {
		page.starts = data[12:]
	}
	return page, nil
}

// cell returns the page from where a cell begins.
func (p *pageCells) cell(i int) ([]byte, error) {
	const smallestCell = 4
	if len(p.starts) < 2*i+2 {
		return nil, errOutside
	}
	at := int(binary.BigEndian.Uint16(p.starts[2*i:]))
	if at > len(p.data)-smallestCell {
		return nil, errOutside
	}
	return p.data[at:], nil
}

var errOutside = errors.New("a cell lies outside of its page")

func damagedPage(number uint32, err error) error {
	if errors.Is(err, errOutside) {
		return fmt.Errorf("%w: page %d: %w", track.ErrDamaged, number, err)
	}
	return err
}

func repeatedPage(number uint32) error {
	return fmt.Errorf("%w: page %d belongs to its table twice", track.ErrDamaged, number)
}

// visitCell visits the row in a cell.
func (t *tablePages) visitCell(cell []byte) error {
	if err := t.row.unpack(cell); err != nil {
		return err
	}
	if err := t.visit(&t.row); err != nil {
		return err
	}
	return t.row.err
}
