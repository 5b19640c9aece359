package pickle

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
)

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
