package jsonio

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// NonFinite writes the numbers that JSON does not have as the strings "NaN", "Infinity" and "-Infinity".
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

// Number reads a number, or a string that is a word of [IsNonFinite].
func Number(value jsontext.Value) (float64, error) {
	switch value.Kind() {
	case '0':
		return ParseNumber(string(value))
	case '"':
		if word := strings.Trim(string(value), `"`); IsNonFinite(word) {
			return ParseNumber(word)
		}
	case 'n':
		return 0, errors.New(`null is not a number: write "NaN" for a missing value`)
	}
	return 0, fmt.Errorf(`%s is not a number, nor "NaN", "Infinity" or "-Infinity"`, Abbreviate(value))
}

// Numbers reads float64 by [Number].
func Numbers() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, x *float64) error {
		value, err := dec.ReadValue()
		if err == nil {
			*x, err = Number(value)
		}
		return err
	})
}

// IsNonFinite reports whether a text is a number that JSON does not have, as programs write it: nan, inf or infinity in
// any case, which may have a sign, and NA, as R writes a missing value.
func IsNonFinite(text string) bool {
	word := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+"))
	return word == "nan" || word == "inf" || word == "infinity" || text == missing
}

// missing is what R writes for a number that is not known.
const missing = "NA"

// ParseNumber reads a number as JSON, CSV files and programs write it, NaN and infinities included. A number that is
// too small for a float64 becomes 0; one that is too large is refused.
func ParseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil:
		return x, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf(`%s is beyond float64; write "Infinity" if that is meant`, Abbreviate([]byte(text)))
	case text == missing, strings.EqualFold(strings.TrimLeft(text, "+-"), "nan"):
		return math.NaN(), nil
	}
	return 0, fmt.Errorf("%q is not a number", Abbreviate([]byte(text)))
}

// Abbreviate shortens what an error quotes of its input.
func Abbreviate(text []byte) string {
	const longest = 40
	if len(text) <= longest {
		return strings.ToValidUTF8(string(text), "\uFFFD")
	}
	return strings.ToValidUTF8(string(text[:longest]), "") + "…"
}
