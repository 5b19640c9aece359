package series

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// The constant coder: one word.

func (e *encoding) constant(dst []byte) ([]byte, bool) {
	for _, word := range e.words {
		if word != e.words[0] {
			return dst, false
		}
	}
	return binary.LittleEndian.AppendUint64(dst, e.words[0]), true
}

func (in *input) constant(words []uint64) error {
	raw, err := in.take(8)
	if err != nil {
		return err
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(raw)
	}
	return nil
}

// The shuffling coder: eight sections, of the lowest byte of each word to the highest.

func (e *encoding) shuffled(dst []byte) ([]byte, bool) { return e.planes(dst, e.words, 8), true }

func (in *input) shuffled(words []uint64) error { return in.planes(words, 8) }

// planes appends a section for each of the n lowest bytes of the words.
func (e *encoding) planes(dst []byte, words []uint64, n int) []byte {
	for k := range n {
		dst = appendSection(dst, e.plane(words, k))
	}
	return dst
}

// plane returns byte k of the words, until its next call.
func (e *encoding) plane(words []uint64, k int) []byte {
	e.section = slices.Grow(e.section[:0], len(words))[:len(words)]
	for i, word := range words {
		e.section[i] = byte(word >> (8 * k))
	}
	return e.section
}

func (in *input) planes(words []uint64, n int) error {
	clear(words)
	for k := range n {
		section, err := in.section(len(words))
		if err != nil {
			return err
		}
		for i, b := range section {
			words[i] |= uint64(b) << (8 * k)
		}
	}
	return nil
}

// The delta coder: the same of the differences between successive words, for smooth series.

func (e *encoding) delta(dst []byte) ([]byte, bool) {
	return e.planes(dst, e.differences(e.words), 8), true
}

func (in *input) delta(words []uint64) error {
	if err := in.planes(words, 8); err != nil {
		return err
	}
	integrate(words)
	return nil
}

// differences returns the successive differences modulo 2⁶⁴, signs in the lowest bit, so that small ones have zeros
// above. The result is valid until the next call.
func (e *encoding) differences(words []uint64) []uint64 {
	e.scratch = slices.Grow(e.scratch[:0], len(words))[:len(words)]
	previous := uint64(0)
	for i, word := range words {
		d := int64(word - previous)
		e.scratch[i] = uint64(d<<1) ^ uint64(d>>63)
		previous = word
	}
	return e.scratch
}

// integrate undoes differences, in place.
func integrate(deltas []uint64) {
	previous := uint64(0)
	for i, d := range deltas {
		previous += d>>1 ^ -(d & 1)
		deltas[i] = previous
	}
}

// noiseCoder chooses between shuffling and delta: the one whose higher bytes, those that compress if any do, say less.
// A sum of squared counts measures that (Rényi 1961); logarithms of all counts would take longer than the choice is
// worth.
func (e *encoding) noiseCoder() byte {
	deltas := e.differences(e.words)
	gain := 1.0
	for k := 4; k < 8; k++ {
		gain *= squaredCounts(e.plane(deltas, k)) / squaredCounts(e.plane(e.words, k))
	}
	const enough = 1.0717734625362931 // 2^0.1: a tenth of a bit a value: noise has neither, and shuffled it decodes faster
	if gain > enough {
		return coderDelta
	}
	return coderShuffled
}

// The float32 coder: the delta coder on half the width, for values that a program of single precision computed.

func (e *encoding) float32(dst []byte) ([]byte, bool) {
	for _, word := range e.words {
		if canonicalBits(float64(float32(math.Float64frombits(word)))) != word {
			return dst, false
		}
	}
	narrow := make([]uint64, len(e.words))
	for i, word := range e.words {
		narrow[i] = uint64(math.Float32bits(float32(math.Float64frombits(word))))
	}
	return e.planes(dst, e.differences(narrow), 5), true
}

func (in *input) float32(words []uint64) error {
	if err := in.planes(words, 5); err != nil {
		return err
	}
	integrate(words)
	for i, word := range words {
		words[i] = canonicalBits(float64(math.Float32frombits(uint32(word))))
	}
	return nil
}

// The dictionary coder: up to 256 distinct words in ascending order, and for each word its place in that order.

func (e *encoding) dictionary(dst []byte) ([]byte, bool) {
	distinct, places, ok := e.distinct(min(256, len(e.words)/2))
	if !ok {
		return dst, false
	}
	dst = append(dst, byte(len(distinct)-1))
	dst = e.planes(dst, e.differences(distinct), 8)
	return appendSection(dst, places), true
}

func (in *input) dictionary(words []uint64) error {
	last, err := in.byte()
	if err != nil {
		return err
	}
	distinct := make([]uint64, 1+int(last))
	if err := in.planes(distinct, 8); err != nil {
		return err
	}
	integrate(distinct)
	indices, err := in.section(len(words))
	if err != nil {
		return err
	}
	for i, index := range indices {
		if index > last {
			return errors.New("a word is not in the dictionary")
		}
		words[i] = distinct[index]
	}
	return nil
}

// The plain coder: the words one after the other, for series in which many of them repeat.

func (e *encoding) plain(dst []byte) ([]byte, bool) {
	if !e.repeats() {
		return dst, false
	}
	e.section = e.section[:0]
	for _, word := range e.words {
		e.section = binary.LittleEndian.AppendUint64(e.section, word)
	}
	return appendRepetitive(dst, e.section), true
}

func (in *input) plain(words []uint64) error {
	section, err := in.section(8 * len(words))
	if err != nil {
		return err
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(section[8*i:])
	}
	return nil
}
