package pickle

import (
	"errors"
	"fmt"
)

// Limits of what is read.
const (
	// MostBytes is how long a pickle may be.
	MostBytes = 64 << 20
	// MostValues is how many values a pickle may make, and how often it may name one again.
	MostValues = 5_000_000
	// MostDepth is how deep values may stand in one another.
	MostDepth = 100
)

// ErrLimit is the cause of errors about pickles that are larger or deeper than the limits, or hold themselves.
var ErrLimit = errors.New("beyond the limits of what is read")

// SyntaxError is a pickle that is damaged, or has an instruction that is not read.
type SyntaxError struct {
	Offset  int // of the instruction, in bytes
	Message string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Message) }

// Decode returns the value of the pickle with which data begins. Its error is a *SyntaxError, or wraps ErrLimit.
func Decode(data []byte) (any, error) {
	if len(data) > MostBytes {
		return nil, fmt.Errorf("%w: longer than %d MiB", ErrLimit, MostBytes>>20)
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
			return 0, fmt.Errorf("%w: a value holds itself", ErrLimit)
		case depth > MostDepth, was && depth+known > MostDepth:
			return 0, fmt.Errorf("%w: values stand more than %d deep", ErrLimit, MostDepth)
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
	case *List, *Set, *Dict, *Object:
		return v
	case Tuple:
		if len(v) > 0 {
			return &v[0]
		}
	}
	return nil
}
