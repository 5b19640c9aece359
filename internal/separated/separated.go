// Package separated finds out how a table of text separates its cells and writes its numbers.
package separated

import (
	"bytes"
	"fmt"
	"strings"

	"track/internal/jsonio"
)

// Format is how a table is written. Zero values ask to find it out.
type Format struct {
	Delimiter byte // ',', ';' or '\t'
	Decimal   byte // '.' or ','
}

// ParseFormat reads the values of the flags --delimiter and --decimal; empty texts ask to find it out.
func ParseFormat(delimiter, decimal string) (f Format, err error) {
	delimiters := map[string]byte{"": 0, ",": ',', ";": ';', "\t": '\t', `\t`: '\t', "comma": ',', "semicolon": ';', "tab": '\t'}
	decimals := map[string]byte{"": 0, "comma": ',', ",": ',', "point": '.', ".": '.'}
	known := false
	if f.Delimiter, known = delimiters[delimiter]; !known {
		return f, fmt.Errorf("--delimiter %q: must be , or ; or tab", delimiter)
	}
	if f.Decimal, known = decimals[decimal]; !known {
		return f, fmt.Errorf("--decimal %q: must be comma or point", decimal)
	}
	return f, nil
}

// Candidates are the delimiters that a header may have.
const Candidates = ",;\t"

// Numbers reads the numbers of one table, which are all written in the same way.
type Numbers struct {
	decimal  byte
	isGiven  bool
	line     int    // that showed the decimal sign
	doubtful string // the first number such as 1,234, if nothing shows yet which sign its comma is
	doubt    int    // its line
}

// NewNumbers returns a reader of numbers. The decimal sign is found out if it is not given.
func NewNumbers(f Format) *Numbers { return &Numbers{decimal: f.Decimal, isGiven: f.Decimal != 0} }

// Parse reads a number. The decimal sign of a table may not change.
func (n *Numbers) Parse(text []byte, line int) (float64, error) {
	comma := bytes.IndexByte(text, ',')
	sign := byte(0)
	switch {
	case comma >= 0:
		sign = ','
	case bytes.IndexByte(text, '.') >= 0:
		sign = '.'
	}
	if sign == 0 || n.isGiven && n.decimal == '.' || comma >= 0 && bytes.IndexByte(text, '.') >= 0 {
		return jsonio.ParseNumber(string(text))
	}
	x, err := jsonio.ParseNumber(strings.Replace(string(text), ",", ".", 1))
	if err != nil || text[len(text)-1] == ',' {
		_, err := jsonio.ParseNumber(string(text))
		return x, err
	}
	if sign == ',' && !n.isGiven && n.decimal != ',' && isGrouped(text) {
		if n.doubtful == "" {
			n.doubtful, n.doubt = string(text), line
		}
		return x, n.conflict(sign, text)
	}
	if err := n.conflict(sign, text); err != nil {
		return x, err
	}
	if n.decimal == 0 {
		n.decimal, n.line = sign, line
	}
	return x, nil
}

// conflict returns an error if a number has another decimal sign than those before.
func (n *Numbers) conflict(sign byte, text []byte) error {
	switch {
	case n.isGiven && n.decimal == ',' && sign == '.':
		return fmt.Errorf("%q has a decimal point, and --decimal says comma", jsonio.Abbreviate(text))
	case n.decimal != 0 && n.decimal != sign:
		return fmt.Errorf("%q: numbers with a comma and with a point are mixed (line %d): say --decimal comma or --decimal point", jsonio.Abbreviate(text), n.line)
	case sign == '.' && n.doubtful != "":
		return fmt.Errorf("%q: numbers with a comma and with a point are mixed (line %d): say --decimal comma or --decimal point", jsonio.Abbreviate(text), n.doubt)
	}
	return nil
}

// Doubt returns the line and the error of a number such as 1,234 that nothing else in the table explains.
func (n *Numbers) Doubt() (line int, err error) {
	if n.doubtful == "" || n.decimal != 0 {
		return 0, nil
	}
	return n.doubt, fmt.Errorf("%q: the comma may be a decimal sign or separate thousands: say --decimal comma, or leave separators out", n.doubtful)
}

// isGrouped reports whether a comma may separate thousands, as in 12,345.
func isGrouped(text []byte) bool {
	whole, rest, _ := bytes.Cut(bytes.TrimLeft(text, "+-"), []byte{','})
	isDigits := func(s []byte) bool { return len(bytes.Trim(s, "0123456789")) == 0 }
	return len(whole) >= 1 && len(whole) <= 3 && whole[0] != '0' && len(rest) == 3 && isDigits(whole) && isDigits(rest)
}
