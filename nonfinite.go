package track

import (
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// NonFinite writes the numbers that JSON cannot say as the strings "NaN", "Infinity" and "-Infinity".
func NonFinite() *json.Marshalers {
	return json.MarshalToFunc(func(enc *jsontext.Encoder, x float64) error {
		switch {
		case math.IsNaN(x):
			return enc.WriteToken(jsontext.String("NaN"))
		case math.IsInf(x, 1):
			return enc.WriteToken(jsontext.String("Infinity"))
		case math.IsInf(x, -1):
			return enc.WriteToken(jsontext.String("-Infinity"))
		}
		return enc.WriteToken(jsontext.Float(x))
	})
}
