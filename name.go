package track

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxNameLength = 200

// CheckName returns why s cannot name a scenario, metric or label, or nil if it can. Names are for people and command
// lines: not empty, at most 200 bytes, valid UTF-8 without hidden characters (see [IsHidden]) or surrounding space.
func CheckName(s string) error {
	switch {
	case isPlainName(s): // as most are
		return nil
	case s == "":
		return errors.New("is empty")
	case len(s) > maxNameLength:
		return fmt.Errorf("is %d bytes long; at most %d are allowed", len(s), maxNameLength)
	case !utf8.ValidString(s):
		return fmt.Errorf("%q is not valid UTF-8", s)
	case strings.TrimSpace(s) != s:
		return fmt.Errorf("%q begins or ends with white space", s)
	}
	return CheckVisible(s)
}

// isPlainName reports whether s can be a name and has nothing but letters, digits and signs of ASCII.
func isPlainName(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != "" && len(s) <= maxNameLength
}

// CheckVisible returns an error that names the first hidden character of a text and its place.
func CheckVisible(s string) error {
	if i := strings.IndexFunc(s, IsHidden); i >= 0 {
		r, _ := utf8.DecodeRuneInString(s[i:])
		what := "an invisible character"
		if unicode.IsControl(r) {
			what = "a control character"
		}
		return fmt.Errorf("%q contains %s: %U at byte %d", s, what, r, i+1)
	}
	return nil
}

// IsHidden reports whether a character cannot be seen, or changes how others are seen: control characters, separators
// of lines, marks of the direction of writing, and spaces without width. The joiners of letters and of emoji are not
// hidden. Neither are private characters known, nor is the one that stands for unreadable bytes.
func IsHidden(r rune) bool {
	switch {
	case r < 0x7f:
		return r < 0x20
	case r < 0xa0:
		return true
	case r == 0xad, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x180e, r == 0x200b, r == 0x3164, r == 0xffa0, unicode.Is(unicode.Co, r), r == utf8.RuneError,
		r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
		return true
	}
	return r >= 0xfff9 && r <= 0xfffb || r >= 0xe0000 && r <= 0xe007f
}

// CheckScenarioName is [CheckName] for scenarios, in which @ is reserved for SCENARIO@CONFIGURATION.
func CheckScenarioName(s string) error {
	if strings.Contains(s, "@") {
		return fmt.Errorf("%q contains @, which separates a scenario from its configuration", s)
	}
	return CheckName(s)
}
