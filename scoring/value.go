package scoring

import (
	"encoding/json"
	"fmt"
	"math"
)

// Value is a number that was measured, or follows from measured ones. It may be NaN or infinite. In JSON these are
// the strings "NaN", "Infinity" and "-Infinity", because null is a number that does not exist.
type Value float64

// MarshalJSON writes the value.
func (v Value) MarshalJSON() ([]byte, error) {
	switch x := float64(v); {
	case math.IsNaN(x):
		return []byte(`"NaN"`), nil
	case math.IsInf(x, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(x, -1):
		return []byte(`"-Infinity"`), nil
	default:
		return json.Marshal(x)
	}
}

// UnmarshalJSON reads what [Value.MarshalJSON] writes.
func (v *Value) UnmarshalJSON(text []byte) error {
	var x float64
	switch string(text) {
	case `"NaN"`:
		x = math.NaN()
	case `"Infinity"`:
		x = math.Inf(1)
	case `"-Infinity"`:
		x = math.Inf(-1)
	default:
		if err := json.Unmarshal(text, &x); err != nil {
			return fmt.Errorf("%s is not a number", text)
		}
	}
	*v = Value(x)
	return nil
}
