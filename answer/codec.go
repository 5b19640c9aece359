package answer

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Encode writes v, an answer or a part of one, as JSON: names in maps sorted, times in UTC, durations in seconds.
// Infinities are the strings "Infinity" and "-Infinity". A NaN is null if it stands for a number that is undefined,
// such as the mean of nothing; in a map of values that were measured it is the string "NaN".
func Encode(w io.Writer, v any, options ...jsontext.Options) error {
	options = append(options, json.WithMarshalers(marshalers()), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return json.MarshalWrite(w, v, options...)
}

// marshalers returns the same value for each answer: it remembers how the types are written that it has met.
var marshalers = sync.OnceValue(func() *json.Marshalers {
	return json.JoinMarshalers(json.MarshalToFunc(encodeMeasured), json.MarshalToFunc(encodeNumber), json.MarshalToFunc(encodeDuration), json.MarshalToFunc(encodeTime))
})

// Decode reads what [Encode] wrote into v, a pointer to an answer. It refuses unknown names.
func Decode(r io.Reader, v any) error {
	return json.UnmarshalRead(r, v, json.RejectUnknownMembers(true), json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(decodeNumber), json.UnmarshalFromFunc(decodeDuration))))
}

func encodeNumber(enc *jsontext.Encoder, x float64) error {
	switch {
	case math.IsNaN(x):
		return enc.WriteToken(jsontext.Null)
	case math.IsInf(x, 1):
		return enc.WriteToken(jsontext.String("Infinity"))
	case math.IsInf(x, -1):
		return enc.WriteToken(jsontext.String("-Infinity"))
	}
	return enc.WriteToken(jsontext.Float(x))
}

// encodeMeasured writes values that were measured, by name.
func encodeMeasured(enc *jsontext.Encoder, values map[string]float64) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := enc.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		if err := encodeValue(enc, values[name]); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// Measured is a number that was measured: in JSON a NaN is the string "NaN", and not null.
type Measured float64

func (x Measured) MarshalJSONTo(enc *jsontext.Encoder) error { return encodeValue(enc, float64(x)) }

func (x *Measured) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return decodeNumber(dec, (*float64)(x))
	}
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	number, err := token.Float()
	*x = Measured(number)
	return err
}

func encodeValue(enc *jsontext.Encoder, x float64) error {
	if math.IsNaN(x) {
		return enc.WriteToken(jsontext.String("NaN"))
	}
	return encodeNumber(enc, x)
}

func decodeNumber(dec *jsontext.Decoder, x *float64) error {
	switch dec.PeekKind() {
	case 'n':
		*x = math.NaN()
		return dec.SkipValue()
	case '"':
	default:
		return errors.ErrUnsupported
	}
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	switch text := token.String(); text {
	case "NaN":
		*x = math.NaN()
	case "Infinity":
		*x = math.Inf(1)
	case "-Infinity":
		*x = math.Inf(-1)
	default:
		return fmt.Errorf("%q is not a number", text)
	}
	return nil
}

func encodeDuration(enc *jsontext.Encoder, d time.Duration) error {
	return enc.WriteToken(jsontext.Float(d.Seconds()))
}

func decodeDuration(dec *jsontext.Decoder, d *time.Duration) error {
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != '0' {
		return fmt.Errorf("a duration is a number of seconds, not %s", token.Kind())
	}
	seconds, err := token.Float()
	*d = time.Duration(math.Round(seconds * float64(time.Second)))
	return err
}

func encodeTime(enc *jsontext.Encoder, t time.Time) error {
	return enc.WriteToken(jsontext.String(t.UTC().Format(time.RFC3339Nano)))
}
