package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// copy sends the rows by COPY.
func (p *pendingRows) copy(ctx context.Context, conn *pgx.Conn) error {
	stream, ok := p.encode()
	if !ok {
		_, err := conn.CopyFrom(ctx, pgx.Identifier{p.stored}, p.columns, pgx.CopyFromRows(p.rows))
		return err
	}
	statement := "COPY " + p.stored + " (" + strings.Join(p.columns, ", ") + ") FROM STDIN BINARY"
	_, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(stream), statement)
	return err
}

// encode returns the rows in the binary format of COPY. ok is false if a value is of another type than those of
// packed_value and packed_result. The driver asks for the plan of each number in an array, which is most of its work.
func (p *pendingRows) encode() (stream []byte, ok bool) {
	stream = append(stream, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	for _, row := range p.rows {
		stream = binary.BigEndian.AppendUint16(stream, uint16(len(row)))
		for _, value := range row {
			if stream, ok = appendField(stream, value); !ok {
				return nil, false
			}
		}
	}
	return binary.BigEndian.AppendUint16(stream, math.MaxUint16), true
}

// appendField appends the length and the bytes of a value.
func appendField(stream []byte, value any) (_ []byte, ok bool) {
	switch x := value.(type) {
	case int64:
		stream = binary.BigEndian.AppendUint32(stream, 8)
		return binary.BigEndian.AppendUint64(stream, uint64(x)), true
	case []int32:
		stream = appendArray(stream, pgtype.Int4OID, 4, len(x))
		for _, n := range x {
			stream = binary.BigEndian.AppendUint32(append(stream, 0, 0, 0, 4), uint32(n))
		}
	case []int16:
		stream = appendArray(stream, pgtype.Int2OID, 2, len(x))
		for _, n := range x {
			stream = binary.BigEndian.AppendUint16(append(stream, 0, 0, 0, 2), uint16(n))
		}
	case []float64:
		stream = appendArray(stream, pgtype.Float8OID, 8, len(x))
		for _, number := range x {
			stream = binary.BigEndian.AppendUint64(append(stream, 0, 0, 0, 8), math.Float64bits(number))
		}
	default:
		return nil, false
	}
	return stream, true
}

// appendArray appends the length and the head of an array of n elements of some bytes, none of which is NULL.
func appendArray(stream []byte, element uint32, size, n int) []byte {
	const head = 20 // dimensions, whether any is NULL, type, length and first index
	for _, word := range [...]uint32{uint32(head + n*(4+size)), 1, 0, element, uint32(n), 1} {
		stream = binary.BigEndian.AppendUint32(stream, word)
	}
	return stream
}
