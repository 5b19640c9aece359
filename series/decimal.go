package series

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The decimal coder: values that are an integer over a power of ten, as measurements and shares are, become that
// integer, and then the differences between successive ones. Values that are none, such as NaN, stand apart.

// maxDecimals is the largest power of ten by which the coder multiplies; beyond it integers leave float64 anyway.
const maxDecimals = 15

// powersOfTen are exact in float64.
var powersOfTen = [maxDecimals + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// asDecimal returns the integer that, divided by 10^decimals, is the value of word to the last bit.
func asDecimal(word uint64, decimals int) (int64, bool) {
	x := math.Float64frombits(word)
	k := math.RoundToEven(x * powersOfTen[decimals])
	if !(math.Abs(k) <= 1<<53) || math.Float64bits(k/powersOfTen[decimals]) != word {
		return 0, false
	}
	return int64(k), word != 1<<63 // an integer has no -0
}

// countDecimals returns the smallest number of decimals that suits the words but for a few; false if it would be many.
func countDecimals(words []uint64) (decimals int, ok bool) {
	few := len(words) / 16
	for _, word := range words {
		d := decimals
		for d <= maxDecimals {
			if _, exact := asDecimal(word, d); exact {
				break
			}
			d++
		}
		if d <= maxDecimals {
			decimals = d
		} else if few--; few < 0 {
			return 0, false
		}
	}
	return decimals, true
}

func (e *encoding) decimal(dst []byte) ([]byte, bool) {
	words := e.words
	decimals, ok := countDecimals(words)
	if !ok {
		return dst, false
	}
	integers := make([]uint64, len(words))
	var others []byte // distance from the one before, and the word
	n, last := 0, 0
	for i, word := range words {
		if k, ok := asDecimal(word, decimals); ok {
			integers[i] = uint64(k)
			continue
		}
		if i > 0 {
			integers[i] = integers[i-1]
		}
		others = binary.AppendUvarint(others, uint64(i-last))
		others = binary.LittleEndian.AppendUint64(others, word)
		n, last = n+1, i
	}
	dst = append(dst, byte(decimals))
	dst = binary.AppendUvarint(dst, uint64(n))
	dst = append(dst, others...)
	return e.planes(dst, e.differences(integers), 8), true
}

func (in *input) decimal(words []uint64) error {
	decimals, err := in.uvarint(maxDecimals)
	if err != nil {
		return err
	}
	n, err := in.uvarint(len(words))
	if err != nil {
		return err
	}
	others := *in // read again when the integers are there
	for range n {
		if _, err := in.uvarint(len(words)); err != nil {
			return err
		}
		if _, err := in.take(8); err != nil {
			return err
		}
	}
	if err := in.planes(words, 8); err != nil {
		return err
	}
	integrate(words)
	for i, k := range words {
		words[i] = math.Float64bits(float64(int64(k)) / powersOfTen[decimals])
	}
	at := 0
	for range n {
		distance, _ := others.uvarint(len(words))
		word, _ := others.take(8)
		if at += distance; at >= len(words) {
			return fmt.Errorf("value %d of %d stands apart", at, len(words))
		}
		words[at] = binary.LittleEndian.Uint64(word)
	}
	return nil
}
