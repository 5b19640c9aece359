package spec

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// decimal reports whether s is a number in decimal notation, without leading zeros, which mean octal to some readers of
// YAML.
func decimal(s string) bool {
	s = unsigned(s)
	whole, rest := leadingDigits(s)
	if whole > 1 && s[0] == '0' {
		return false
	}
	fraction := 0
	if rest != "" && rest[0] == '.' {
		fraction, rest = leadingDigits(rest[1:])
	}
	return whole+fraction > 0 && exponent(rest)
}

// exponent reports whether s is the exponent of a number, or empty.
func exponent(s string) bool {
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	digits, rest := leadingDigits(unsigned(s[1:]))
	return digits > 0 && rest == ""
}

func unsigned(s string) string {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:]
	}
	return s
}

// leadingDigits returns how many digits s begins with and what follows them.
func leadingDigits(s string) (int, string) {
	rest := strings.TrimLeft(s, "0123456789")
	return len(s) - len(rest), rest
}

// parseNumber returns the float64 nearest to a decimal text, or why there is none.
func parseNumber(text string) (float64, string) {
	switch strings.ToLower(unsigned(text)) {
	case ".nan", ".inf":
		return 0, text + " is not a finite number"
	}
	if !decimal(text) {
		return 0, printable(text) + ": write the number in plain decimal, as in 0.05"
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, printable(text) + " is too large for a float64"
	}
	return x + 0, "" // -0 + 0 is 0: canonical JSON knows no -0
}

// formatNumber is the shortest text that reads back as x, as RFC 8785 writes it: 1000000, 1e-7, and 0 for -0.
func formatNumber(x float64) string { return jsontext.Float(x + 0).String() }
