package pickle

import (
	"errors"
	"fmt"
)

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
