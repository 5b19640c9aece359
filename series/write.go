package series

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// WriteCSV writes a header and a row for each point; a series that is shorter than others ends in empty cells.
// [ReadFile] reads the same values back, to the last bit.
func WriteCSV(w io.Writer, list []track.Series) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	rows := 0
	for i, s := range list {
		rows = max(rows, len(s.Values))
		if i > 0 {
			buffered.WriteByte(',')
		}
		buffered.WriteString(quoted(s.Name))
	}
	buffered.WriteByte('\n')
	var text []byte
	for row := range rows {
		text = text[:0]
		for i, s := range list {
			if i > 0 {
				text = append(text, ',')
			}
			if row < len(s.Values) {
				text = appendNumber(text, s.Values[row])
			}
		}
		if _, err := buffered.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return buffered.Flush() // with the first error, if there was one
}

// quoted puts a name into quotes where a bare one might be read as something else.
func quoted(name string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.- ", r)
	}
	if !strings.ContainsFunc(name, special) && !isNumber(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// WriteJSON writes an object of arrays; NaN and infinities are the strings "NaN", "Infinity" and "-Infinity".
func WriteJSON(w io.Writer, list []track.Series) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	buffered.WriteByte('{')
	var text []byte
	for i, s := range list {
		if i > 0 {
			buffered.WriteString(",\n")
		}
		name, err := jsontext.AppendQuote(text[:0], s.Name)
		if err != nil {
			return err
		}
		buffered.Write(name)
		buffered.WriteByte(':')
		separator := byte('[')
		for _, x := range s.Values {
			text = append(text[:0], separator)
			if x-x == 0 {
				text = appendNumber(text, x)
			} else {
				text = append(appendNumber(append(text, '"'), x), '"')
			}
			if _, err := buffered.Write(text); err != nil {
				return err
			}
			separator = ','
		}
		if len(s.Values) == 0 {
			buffered.WriteByte('[')
		}
		buffered.WriteByte(']')
	}
	buffered.WriteString("}\n")
	return buffered.Flush() // with the first error, if there was one
}

// appendNumber writes the shortest text that reads back as x: 0.05, 1e-07, NaN, -Infinity, -0.
func appendNumber(text []byte, x float64) []byte {
	switch {
	case x != x:
		return append(text, "NaN"...)
	case x > math.MaxFloat64:
		return append(text, "Infinity"...)
	case x < -math.MaxFloat64:
		return append(text, "-Infinity"...)
	}
	if size := math.Abs(x); size == 0 || 1e-6 <= size && size < 1e21 {
		return strconv.AppendFloat(text, x, 'f', -1, 64)
	}
	return strconv.AppendFloat(text, x, 'e', -1, 64)
}
