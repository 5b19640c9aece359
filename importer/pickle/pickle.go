package pickle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// List is a list of Python.
type List struct{ Items []any }

// Tuple is a tuple of Python.
type Tuple []any

// set is a set or frozenset of Python, in the order of the pickle.
type set struct{ Items []any }

// Dict is a dictionary of Python, in the order of the pickle. A key that comes twice stands twice.
type Dict struct {
	Keys   []any
	Values []any
}

// Get returns the value of a key that is a text; the last where it stands twice.
func (d *Dict) Get(key string) (value any, ok bool) {
	for i := len(d.Keys) - 1; i >= 0; i-- {
		if d.Keys[i] == any(key) {
			return d.Values[i], true
		}
	}
	return nil, false
}

// class names a class or function. It is never looked up.
type class struct{ Module, Name string }

// object is what a class or function would have made of its arguments and its state.
type object struct {
	Of    any // mostly a class
	Args  any // nil, or mostly a Tuple
	State any // nil where there is none
}

// children returns what a container holds.
func children(value any) []any {
	switch v := value.(type) {
	case *List:
		return v.Items
	case Tuple:
		return v
	case *set:
		return v.Items
	case *Dict:
		all := make([]any, 0, 2*len(v.Keys))
		return append(append(all, v.Keys...), v.Values...)
	case *object:
		return []any{v.Of, v.Args, v.State}
	}
	return nil
}

// Limits of what is read.
const (
	// MostBytes is how long a pickle may be.
	MostBytes = 64 << 20
	// mostValues is how many values a pickle may make, and how often it may name one again.
	mostValues = 5_000_000
	// mostDepth is how deep values may stand in one another.
	mostDepth = 100
)

// errLimit is the cause of errors about pickles that are larger or deeper than the limits, or hold themselves.
var errLimit = errors.New("beyond the limits of what is read")

// syntaxError is a pickle that is damaged, or has an instruction that is not read.
type syntaxError struct {
	Offset  int // of the instruction, in bytes
	Message string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Message) }

// Decode returns the value of the pickle with which data begins. Its error is a *syntaxError, or wraps errLimit.
func Decode(data []byte) (any, error) {
	if len(data) > MostBytes {
		return nil, fmt.Errorf("%w: longer than %d MiB", errLimit, MostBytes>>20)
	}
	m := machine{data: data, memo: map[int]any{}}
	value, err := m.run()
	if err != nil {
		return nil, err
	}
	if err := checkDepth(value); err != nil {
		return nil, err
	}
	return value, nil
}

// checkDepth refuses values that stand too deep, or in themselves: nobody could walk them.
func checkDepth(value any) error {
	heights := map[any]int{} // of the containers that were walked; -1 while they are
	var height func(value any, depth int) (int, error)
	height = func(value any, depth int) (int, error) {
		key := identity(value)
		known, was := heights[key]
		switch {
		case was && known < 0:
			return 0, fmt.Errorf("%w: a value holds itself", errLimit)
		case depth > mostDepth, was && depth+known > mostDepth:
			return 0, fmt.Errorf("%w: values stand more than %d deep", errLimit, mostDepth)
		case was:
			return known, nil
		}
		if key != nil {
			heights[key] = -1
		}
		highest := 0
		for _, child := range children(value) {
			h, err := height(child, depth+1)
			if err != nil {
				return 0, err
			}
			highest = max(highest, h+1)
		}
		if key != nil {
			heights[key] = highest
		}
		return highest, nil
	}
	_, err := height(value, 0)
	return err
}

// identity returns what tells a container from others that hold the same; nil for plain values.
func identity(value any) any {
	switch v := value.(type) {
	case *List, *set, *Dict, *object:
		return v
	case Tuple:
		if len(v) > 0 {
			return &v[0]
		}
	}
	return nil
}

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

// longestInteger is how many bytes an integer may have: parsing longer ones from digits takes time that grows with
// the square.
const longestInteger = 1 << 10

// step runs one instruction. The letters are those of Lib/pickletools.py.
func (m *machine) step(code byte) {
	switch code {
	case '\x80': // PROTO
		if version := m.take(1)[0]; version > 5 {
			m.fail("protocol %d, of which only 0 to 5 are read", version)
		}
	case '\x95': // FRAME: how many bytes may be read ahead
		m.take(8)
	case '(':
		m.marks = append(m.marks, len(m.stack))
		m.values++
	case '0':
		m.drop()
	case '1':
		m.group()
	case '2':
		m.push(m.top())
	default:
		if !m.memorize(code) && !m.plain(code) && !m.text(code) && !m.container(code) && !m.call(code) {
			m.fail("the instruction 0x%02x is not read", code)
		}
	}
}

// drop takes the value on top away, or the mark.
func (m *machine) drop() {
	if len(m.marks) > 0 && m.floor() == len(m.stack) {
		m.marks = m.marks[:len(m.marks)-1]
		return
	}
	m.pop()
}

func (m *machine) memorize(code byte) bool {
	switch code {
	case 'p':
		m.remember(m.index())
	case 'q':
		m.remember(m.number(1))
	case 'r':
		m.remember(m.number(4))
	case '\x94':
		m.remember(len(m.memo))
	case 'g':
		m.recall(m.index())
	case 'h':
		m.recall(m.number(1))
	case 'j':
		m.recall(m.number(4))
	default:
		return false
	}
	return true
}

// plain runs the instructions that push None, booleans and numbers.
func (m *machine) plain(code byte) bool {
	switch code {
	case 'N':
		m.push(nil)
	case '\x88':
		m.push(true)
	case '\x89':
		m.push(false)
	case 'J':
		m.push(int64(int32(binary.LittleEndian.Uint32(m.take(4)))))
	case 'K':
		m.push(int64(m.number(1)))
	case 'M':
		m.push(int64(m.number(2)))
	case 'G':
		m.push(math.Float64frombits(binary.BigEndian.Uint64(m.take(8))))
	case '\x8a':
		m.push(long(m.take(m.number(1))))
	case '\x8b':
		length := m.number(4)
		if length > longestInteger {
			m.fail("an integer of %d bytes", length)
		}
		m.push(long(m.take(length)))
	case 'I':
		m.integer()
	case 'L':
		m.push(m.digits(strings.TrimSuffix(m.line(), "L")))
	case 'F':
		value, err := strconv.ParseFloat(m.line(), 64)
		if err != nil {
			m.fail("a number that is none")
		}
		m.push(value)
	default:
		return false
	}
	return true
}

// integer reads an integer of protocol 0, which writes booleans as 00 and 01.
func (m *machine) integer() {
	switch text := m.line(); text {
	case "00":
		m.push(false)
	case "01":
		m.push(true)
	default:
		m.push(m.digits(text))
	}
}

func (m *machine) digits(text string) any {
	value, ok := new(big.Int), len(text) <= longestInteger
	if ok {
		value, ok = value.SetString(text, 10)
	}
	if !ok {
		m.fail("an integer that is none, or is too long")
	}
	return small(value)
}

// text runs the instructions that push texts and bytes.
func (m *machine) text(code byte) bool {
	switch code {
	case '\x8c':
		m.unicode(m.take(m.number(1)))
	case 'X':
		m.unicode(m.take(m.number(4)))
	case '\x8d':
		m.unicode(m.take(m.number(8)))
	case 'V':
		m.push(rawUnicode(m.line()))
	case 'S':
		m.push(m.unquote(m.line()))
	case 'U', 'C':
		m.bytes(m.take(m.number(1)), code == 'U')
	case 'T', 'B':
		m.bytes(m.take(m.number(4)), code == 'T')
	case '\x8e', '\x96':
		m.bytes(m.take(m.number(8)), false)
	default:
		return false
	}
	return true
}

// unicode pushes a text. Python writes halves of surrogate pairs, which are no UTF-8.
func (m *machine) unicode(text []byte) { m.push(strings.ToValidUTF8(string(text), "\uFFFD")) }

// bytes pushes bytes; those of Python 2 may be a text.
func (m *machine) bytes(value []byte, maybeText bool) {
	if maybeText && utf8.Valid(value) {
		m.push(string(value))
		return
	}
	m.push(append([]byte{}, value...))
}

// rawUnicode reads a text in Python's raw-unicode-escape: a byte for each character up to U+00FF, \uXXXX and
// \UXXXXXXXX for others.
func rawUnicode(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		size := 0
		if text[i] == '\\' && i+1 < len(text) {
			size = map[byte]int{'u': 4, 'U': 8}[text[i+1]]
		}
		if size > 0 && i+2+size <= len(text) {
			if code, err := strconv.ParseUint(text[i+2:i+2+size], 16, 32); err == nil {
				out.WriteRune(rune(code))
				i += 1 + size
				continue
			}
		}
		out.WriteRune(rune(text[i]))
	}
	return out.String()
}

// unquote reads a text of protocol 0, in quotes and with escapes.
func (m *machine) unquote(text string) string {
	if len(text) < 2 || text[0] != text[len(text)-1] || text[0] != '"' && text[0] != '\'' {
		m.fail("a text without its quotes")
	}
	quote, rest := text[0], text[1:len(text)-1]
	var out strings.Builder
	for rest != "" {
		r, multibyte, after, err := strconv.UnquoteChar(rest, quote)
		switch {
		case err != nil: // what Go does not know as an escape Python leaves as it stands
			out.WriteByte(rest[0])
			rest = rest[1:]
			continue
		case r < utf8.RuneSelf || multibyte:
			out.WriteRune(r)
		default:
			out.WriteByte(byte(r))
		}
		rest = after
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD")
}

// call runs the instructions that name classes, and those with which Python would call them.
func (m *machine) call(code byte) bool {
	switch code {
	case 'c':
		module := m.line()
		m.push(class{module, m.line()})
	case '\x93':
		name, module := m.pop(), m.pop()
		m.class(module, name)
	case 'i':
		module := m.line()
		name := m.line()
		m.push(&object{Of: class{module, name}, Args: Tuple(m.group())})
	case 'o':
		values := m.group()
		if len(values) == 0 {
			m.fail("an object without a class")
		}
		m.push(&object{Of: values[0], Args: Tuple(values[1:])})
	case 'R':
		args, of := m.pop(), m.pop()
		m.push(reduce(of, args))
	case '\x81':
		args, of := m.pop(), m.pop()
		m.push(&object{Of: of, Args: args})
	case '\x92':
		named, args, of := m.pop(), m.pop(), m.pop()
		m.push(&object{Of: of, Args: Tuple{args, named}})
	case 'b':
		state := m.pop()
		m.build(m.top(), state)
	default:
		return false
	}
	return true
}

func (m *machine) class(module, name any) {
	moduleText, isText := module.(string)
	nameText, areTexts := name.(string)
	if !isText || !areTexts {
		m.fail("a class whose name is no text")
	}
	m.push(class{moduleText, nameText})
}

// build gives an object its state. What is plain by now, such as a scalar of numpy, has none.
func (m *machine) build(to, state any) {
	if made, is := to.(*object); is {
		made.State = state
	}
}

// reduce returns the number that a scalar of numpy is, the bytes that protocols before 3 write as a text, the set that
// they write as a list, or an opaque object.
func reduce(of, args any) any {
	made := &object{Of: of, Args: args}
	if number, is := scalar(made); is {
		return number
	}
	values, _ := args.(Tuple)
	switch name, _ := of.(class); {
	case len(values) == 2 && name == class{"_codecs", "encode"} && values[1] == any("latin1"):
		if text, is := values[0].(string); is {
			return latin1(text)
		}
	case len(values) == 1 && name.Name == "set" && (name.Module == "__builtin__" || name.Module == "builtins"):
		if list, is := values[0].(*List); is {
			return &set{Items: list.Items}
		}
	}
	return made
}

// latin1 returns the bytes of a text, one for each character.
func latin1(text string) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		out = append(out, byte(r))
	}
	return out
}

// container runs the instructions that make lists, tuples, dictionaries and sets, and fill them.
func (m *machine) container(code byte) bool {
	switch code {
	case ']':
		m.push(&List{})
	case 'l':
		m.push(&List{Items: m.group()})
	case ')':
		m.push(Tuple{})
	case '\x85', '\x86', '\x87':
		m.tuple(int(code - '\x84'))
	case 't':
		m.push(Tuple(m.group()))
	case '}':
		m.push(&Dict{})
	case 'd':
		dict := &Dict{}
		m.set(dict, m.group())
		m.push(dict)
	case '\x8f':
		m.push(&set{})
	case '\x91':
		m.push(&set{Items: m.group()})
	case 'a':
		m.extend([]any{m.pop()})
	case 'e', '\x90':
		m.extend(m.group())
	case 's':
		value, key := m.pop(), m.pop()
		m.set(m.top(), []any{key, value})
	case 'u':
		pairs := m.group()
		m.set(m.top(), pairs)
	default:
		return false
	}
	return true
}

func (m *machine) tuple(n int) {
	values := make(Tuple, n)
	for i := n - 1; i >= 0; i-- {
		values[i] = m.pop()
	}
	m.push(values)
}

// extend adds values to the list or set on top. An object may be a kind of list of its own: that stays opaque.
func (m *machine) extend(values []any) {
	switch to := m.top().(type) {
	case *List:
		to.Items = append(to.Items, values...)
	case *set:
		to.Items = append(to.Items, values...)
	case *object:
	default:
		m.fail("adds to what is no list and no set")
	}
}

// set puts keys and values, in turn, into a dictionary. An object may be a kind of dictionary of its own, such as an
// OrderedDict: its state becomes one.
func (m *machine) set(to any, pairs []any) {
	if len(pairs)%2 != 0 {
		m.fail("a key without a value")
	}
	if made, is := to.(*object); is {
		if made.State == nil {
			made.State = &Dict{}
		}
		if to = made.State; !isDict(to) {
			return
		}
	}
	dict, is := to.(*Dict)
	if !is {
		m.fail("sets a key of what is no dictionary")
	}
	for i := 0; i < len(pairs); i += 2 {
		dict.Keys = append(dict.Keys, pairs[i])
		dict.Values = append(dict.Values, pairs[i+1])
	}
}

func isDict(value any) bool {
	_, is := value.(*Dict)
	return is
}

// scalar returns the number of a numpy scalar: a call of numpy's multiarray.scalar with a dtype and the bytes of the
// number. The module is numpy.core.multiarray, or numpy._core.multiarray since numpy 2.
func scalar(call *object) (number any, ok bool) {
	of, _ := call.Of.(class)
	args, _ := call.Args.(Tuple)
	if of.Name != "scalar" || of.Module != "numpy.core.multiarray" && of.Module != "numpy._core.multiarray" || len(args) != 2 {
		return nil, false
	}
	dtype, is := args[0].(*object)
	bits, areBytes := args[1].([]byte)
	if !is || !areBytes || dtype.Of != any(class{"numpy", "dtype"}) {
		return nil, false
	}
	kind, size, ok := kindOf(dtype)
	if !ok || size != len(bits) {
		return nil, false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if isBigEndian(dtype) {
		order = binary.BigEndian
	}
	return numberOf(kind, bits, order)
}

// kindOf returns the letter of a dtype (f, i, u, b) and its size in bytes.
func kindOf(dtype *object) (kind byte, size int, ok bool) {
	args, _ := dtype.Args.(Tuple)
	if len(args) == 0 {
		return 0, 0, false
	}
	name, _ := args[0].(string)
	if len(name) < 2 {
		return 0, 0, false
	}
	size, err := strconv.Atoi(name[1:])
	return name[0], size, err == nil
}

// isBigEndian says whether the state of a dtype, (version, order, …), puts the highest byte first.
func isBigEndian(dtype *object) bool {
	state, _ := dtype.State.(Tuple)
	return len(state) > 1 && state[1] == any(">")
}

func numberOf(kind byte, bits []byte, order binary.ByteOrder) (number any, ok bool) {
	var value uint64
	switch len(bits) {
	case 1:
		value = uint64(bits[0])
	case 2:
		value = uint64(order.Uint16(bits))
	case 4:
		value = uint64(order.Uint32(bits))
	case 8:
		value = order.Uint64(bits)
	default:
		return nil, false
	}
	switch {
	case kind == 'b' && len(bits) == 1:
		return value != 0, true
	case kind == 'u':
		return small(new(big.Int).SetUint64(value)), true
	case kind == 'i':
		shift := 64 - 8*len(bits)
		return int64(value<<shift) >> shift, true
	case kind == 'f' && len(bits) == 8:
		return math.Float64frombits(value), true
	case kind == 'f' && len(bits) == 4:
		return float64(math.Float32frombits(uint32(value))), true
	case kind == 'f' && len(bits) == 2:
		return half(uint16(value)), true
	}
	return nil, false
}

// half returns the value of a float of 16 bits (IEEE 754-2008, binary16).
func half(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&0x1f), float64(bits&0x3ff)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 0x1f:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(fraction+1024, exponent-25)
}
