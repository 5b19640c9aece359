package track

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// Series is what a seed measured over time or over a population.
type Series struct {
	Name   string
	Values []float64
}

// Hash identifies the numbers of a series: the SHA-256 over their little-endian IEEE 754 bits, every NaN taken as the
// same one.
func (s Series) Hash() [sha256.Size]byte {
	const batch = 4096
	h := sha256.New()
	buffer := make([]byte, 0, 8*min(batch, len(s.Values)))
	for i, value := range s.Values {
		if math.IsNaN(value) {
			value = math.NaN()
		}
		buffer = binary.LittleEndian.AppendUint64(buffer, math.Float64bits(value))
		if len(buffer) == cap(buffer) || i == len(s.Values)-1 {
			h.Write(buffer)
			buffer = buffer[:0]
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}
