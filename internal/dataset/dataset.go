// Package dataset has tables of typed columns, whose rows are written one by one.
package dataset

import (
	"math"
	"time"
)

// Type is the type of the cells of a column.
type Type int

// Types of columns.
const (
	Text   Type = iota
	Number      // float64
	Count       // uint64
	Flag
	Time // in microseconds
)

// Column is a column of a table.
type Column struct {
	Name string
	Type Type
}

// Cell is a value of the type of its column; the zero value is an empty cell.
type Cell struct {
	IsSet bool
	Text  string
	Bits  uint64 // of what is no text
}

// Writer writes a table. The row may change after the call. Without Close the table is not whole.
type Writer interface {
	Write(row []Cell) error
	Close() error
}

// NewText returns the cell of a text, which is empty for an empty text.
func NewText(s string) Cell { return Cell{IsSet: s != "", Text: s} }

// NewNumber returns the cell of a number.
func NewNumber(x float64) Cell { return Cell{IsSet: true, Bits: math.Float64bits(x)} }

// NewCount returns the cell of a whole number.
func NewCount(n uint64) Cell { return Cell{IsSet: true, Bits: n} }

// NewFlag returns the cell of a yes or no.
func NewFlag(is bool) Cell {
	if is {
		return Cell{IsSet: true, Bits: 1}
	}
	return Cell{IsSet: true}
}

// NewTime returns the cell of a time.
func NewTime(t time.Time) Cell { return Cell{IsSet: true, Bits: uint64(t.UnixMicro())} }

// Number returns the number of a cell.
func (c Cell) Number() float64 { return math.Float64frombits(c.Bits) }

// Time returns the time of a cell, in UTC.
func (c Cell) Time() time.Time { return time.UnixMicro(int64(c.Bits)).UTC() }
