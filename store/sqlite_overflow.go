package store

import (
	"encoding/binary"
	"fmt"
	"slices"

	"track"
)

// rowCell is a row in a page of a table without row ids. A long row goes on in other pages, each of which names the
// next: https://www.sqlite.org/fileformat2.html#ovflpgs.
type rowCell struct {
	onPage    []byte
	size      uint64 // of the whole
	elsewhere uint32 // the page where it goes on; 0 if it does not
}

// rowCell returns the row of a cell.
func (t *tablePages) rowCell(page pageCells, i int) (row rowCell, err error) {
	cell, err := page.cell(i)
	if err != nil {
		return row, err
	}
	if page.isInner {
		cell = cell[4:]
	}
	size, n := varint(cell)
	if n == 0 {
		return row, errOutside
	}
	here := t.file.onPage(size)
	cell = cell[n:]
	if here == size && here <= uint64(len(cell)) {
		return rowCell{onPage: cell[:here], size: size}, nil
	}
	if here+4 > uint64(len(cell)) {
		return row, errOutside
	}
	return rowCell{cell[:here], size, binary.BigEndian.Uint32(cell[here:])}, nil
}

// onPage returns how many bytes of a row of some size are on the page of its cell.
func (p *filePages) onPage(size uint64) uint64 {
	most, least := (p.usable-12)*64/255-23, (p.usable-12)*32/255-23
	if size <= most {
		return size
	}
	if here := least + (size-least)%(p.usable-4); here <= most {
		return here
	}
	return least
}

// payload returns a row as a whole.
func (t *tablePages) payload(row rowCell) ([]byte, error) {
	payload := slices.Clone(row.onPage)
	for next := row.elsewhere; uint64(len(payload)) < row.size; {
		data, err := t.read(next)
		if err != nil {
			return nil, err
		}
		if uint64(len(data)) < t.file.usable {
			return nil, fmt.Errorf("%w: page %d is too short", track.ErrDamaged, next)
		}
		next = binary.BigEndian.Uint32(data)
		part := data[4:t.file.usable]
		payload = append(payload, part[:min(uint64(len(part)), row.size-uint64(len(payload)))]...)
	}
	return payload, nil
}
