package pickle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// machine runs the instructions of a pickle.
type machine struct {
	data   []byte
	at     int // of the next byte
	start  int // of the instruction that runs
	stack  []any
	marks  []int // where the marks stand on the stack
	memo   map[int]any
	values int
}

// failure ends the machine from within an instruction; run catches it.
type failure struct{ err error }

func (m *machine) fail(format string, args ...any) {
	panic(failure{&syntaxError{m.start, fmt.Sprintf(format, args...)}})
}

func (m *machine) run() (value any, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			f, is := caught.(failure)
			if !is {
				panic(caught)
			}
			err = f.err
		}
	}()
	for {
		m.start = m.at
		code := m.take(1)[0]
		if code == '.' {
			return m.pop(), nil
		}
		m.step(code)
	}
}

// take returns the next bytes. Nothing is allocated for them, whatever length the pickle claims.
func (m *machine) take(n int) []byte {
	if n < 0 || n > len(m.data)-m.at {
		m.fail("the pickle ends in the middle of an instruction")
	}
	m.at += n
	return m.data[m.at-n : m.at]
}

// line returns the bytes up to the end of a line, without it.
func (m *machine) line() string {
	end := bytes.IndexByte(m.data[m.at:], '\n')
	if end < 0 {
		m.fail("the pickle ends in the middle of an instruction")
	}
	text := m.take(end)
	m.at++
	return string(text)
}

// number returns an unsigned integer of n bytes, the lowest first.
func (m *machine) number(n int) int {
	var eight [8]byte
	copy(eight[:], m.take(n))
	value := binary.LittleEndian.Uint64(eight[:])
	if value > math.MaxInt {
		m.fail("a length of %d bytes", value)
	}
	return int(value)
}

func (m *machine) push(value any) {
	if m.values++; m.values > mostValues {
		panic(failure{fmt.Errorf("%w: more than %d values", errLimit, mostValues)})
	}
	m.stack = append(m.stack, value)
}

// floor is how far the stack may be emptied: to the last mark.
func (m *machine) floor() int {
	if len(m.marks) == 0 {
		return 0
	}
	return m.marks[len(m.marks)-1]
}

func (m *machine) pop() any {
	value := m.top()
	m.stack = m.stack[:len(m.stack)-1]
	return value
}

func (m *machine) top() any {
	if len(m.stack) <= m.floor() {
		m.fail("needs a value, and none is there")
	}
	return m.stack[len(m.stack)-1]
}

// group takes the values since the last mark, and the mark.
func (m *machine) group() []any {
	if len(m.marks) == 0 {
		m.fail("needs a mark, and none is there")
	}
	from := m.marks[len(m.marks)-1]
	m.marks = m.marks[:len(m.marks)-1]
	values := slices.Clone(m.stack[from:])
	m.stack = m.stack[:from]
	return values
}

// remember keeps the value on top under a number.
func (m *machine) remember(index int) {
	if len(m.memo) >= mostValues {
		panic(failure{fmt.Errorf("%w: more than %d values", errLimit, mostValues)})
	}
	m.memo[index] = m.top()
}

func (m *machine) recall(index int) {
	value, is := m.memo[index]
	if !is {
		m.fail("names the value %d, which was not kept", index)
	}
	m.push(value)
}

// index reads the number of a kept value from a line.
func (m *machine) index() int {
	index, err := strconv.Atoi(m.line())
	if err != nil || index < 0 {
		m.fail("names a kept value without a number")
	}
	return index
}

// long makes an integer of its bytes, the lowest first, in two's complement.
func long(text []byte) any {
	high := slices.Clone(text)
	slices.Reverse(high)
	value := new(big.Int).SetBytes(high)
	if len(high) > 0 && high[0] >= 0x80 {
		value.Sub(value, new(big.Int).Lsh(big.NewInt(1), uint(8*len(high))))
	}
	return small(value)
}

// small returns an int64 where the integer is one.
func small(value *big.Int) any {
	if value.IsInt64() {
		return value.Int64()
	}
	return value
}
