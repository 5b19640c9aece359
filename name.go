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
// lines: not empty, at most 200 bytes, valid UTF-8 without control characters or surrounding space.
func CheckName(s string) error {
	switch {
	case s == "":
		return errors.New("is empty")
	case len(s) > maxNameLength:
		return fmt.Errorf("is %d bytes long; at most %d are allowed", len(s), maxNameLength)
	case !utf8.ValidString(s):
		return fmt.Errorf("%q is not valid UTF-8", s)
	case strings.TrimSpace(s) != s:
		return fmt.Errorf("%q begins or ends with white space", s)
	case strings.ContainsFunc(s, unicode.IsControl):
		return fmt.Errorf("%q contains a control character", s)
	}
	return nil
}

// CheckScenarioName is [CheckName] for scenarios, in which @ is reserved for SCENARIO@CONFIGURATION.
func CheckScenarioName(s string) error {
	if strings.Contains(s, "@") {
		return fmt.Errorf("%q contains @, which separates a scenario from its configuration", s)
	}
	return CheckName(s)
}
