package spec

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track/scoring"
)

// Canonical is the spec as canonical JSON (RFC 8785): keys sorted, numbers in the shortest form that reads back as the
// same float64, no white space. Fields with their default value are left out, so a field that a later version adds does
// not change the identity of the specs written before. It is itself a spec file.
//
// It panics for a spec that no file can say: one with a non-finite number, without a target, or with invalid UTF-8.
func Canonical(s scoring.Spec) []byte {
	b := append(make([]byte, 0, 160*(len(s.Metrics)+1)), '{')
	if g := normalGate(s.Gate); g != nil {
		b = append(b, `"gate":`...)
		b = appendObject(b, canonicalGate(*g))
		b = append(b, ',')
	}
	if i := normalImprovement(s); i != nil {
		b = append(b, `"improvement":`...)
		b = appendObject(b, appendImprovement(nil, *i))
		b = append(b, ',')
	}
	b = append(b, `"metrics":[`...)
	var fields []setting
	for i, m := range s.Metrics {
		if i > 0 {
			b = append(b, ',')
		}
		fields = appendMetric(fields[:0], m)
		if m.From != nil {
			fields = append(fields, setting{field: "from", value: string(appendObject(nil, appendReduction(nil, *m.From)))})
		}
		b = appendObject(b, fields)
	}
	b = append(b, "],"...)
	b = appendMember(b, textSetting("scenario", s.Scenario))
	if s.Title != "" {
		b = append(b, ',')
		b = appendMember(b, textSetting("title", s.Title))
	}
	return append(b, '}')
}

func canonicalGate(g scoring.GateRules) []setting {
	list := append(appendGate(nil, g), guardSettings(g)...)
	if g.FailOn == nil {
		return list
	}
	return append(list, setting{field: "fail_on", value: string(appendList(nil, "fail_on", verdictNames(g.FailOn)))})
}

// Hash identifies a spec: the lowercase hexadecimal SHA-256 of [Canonical].
func Hash(s scoring.Spec) string {
	sum := sha256.Sum256(Canonical(s))
	return hex.EncodeToString(sum[:])
}

var errNotCanonical = errors.New("decode canonical spec: valid, but not in canonical form")

// Decode reads what [Canonical] wrote, and nothing else: whatever it accepts has exactly these bytes as its canonical
// form, and so their SHA-256 as its hash. Its error is not an [*Error]: a user did not write the input.
func Decode(canonical []byte) (scoring.Spec, error) {
	root, problem := jsonTree(canonical)
	if problem != nil {
		return scoring.Spec{}, fmt.Errorf("decode canonical spec: %s", problem)
	}
	s, problems := new(reader).read(root)
	if len(problems) > 0 {
		return scoring.Spec{}, fmt.Errorf("decode canonical spec: %s", problems[0])
	}
	if !bytes.Equal(Canonical(s), canonical) {
		return scoring.Spec{}, errNotCanonical
	}
	return s, nil
}

// appendObject writes an object of the settings that are not default, sorted. Field names are ASCII, so the order of
// their bytes is the order of RFC 8785. It sorts indices: moving settings about took longer than all the rest of
// [Canonical].
func appendObject(b []byte, settings []setting) []byte {
	order := make([]int, 0, 16)
	for i := range settings {
		if !settings[i].isDefault {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(settings[i].field, settings[j].field) })
	b = append(b, '{')
	for k, i := range order {
		if k > 0 {
			b = append(b, ',')
		}
		b = appendMember(b, settings[i])
	}
	return append(b, '}')
}

func appendMember(b []byte, s setting) []byte {
	b = append(append(append(b, '"'), s.field...), `":`...)
	if !s.isText {
		if s.value == "NaN" || strings.HasSuffix(s.value, "Infinity") {
			panic("spec: no canonical form: " + s.field + " is " + s.value)
		}
		return append(b, s.value...)
	}
	return appendText(b, s.field, s.value)
}

// appendList writes a list of texts.
func appendList(b []byte, field string, list []string) []byte {
	b = append(b, '[')
	for i, text := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, field, text)
	}
	return append(b, ']')
}

func appendText(b []byte, field, text string) []byte {
	b, err := jsontext.AppendQuote(b, text)
	if err != nil {
		panic(fmt.Sprintf("spec: no canonical form: %s %q: %v", field, text, err))
	}
	return b
}
