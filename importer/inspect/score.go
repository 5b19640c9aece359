package inspect

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

type score struct {
	Value jsontext.Value `json:"value"`
}

// truths returns the scores as numbers; nil where there are none.
func (s sample) truths() map[string]float64 {
	truths := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(s.Scores)) {
		value := s.Scores[name].Value
		if name = importer.Name(name); name == "" {
			continue
		}
		if x, ok := number(value); ok {
			truths[name] = x
		}
		for part, x := range parts(value) {
			if key := importer.Name(name + "." + part); key != "" {
				truths[key] = x
			}
		}
	}
	if len(truths) == 0 {
		return nil
	}
	return truths
}

// parts returns the values of a score that has several: by name, or by place.
func parts(value jsontext.Value) map[string]float64 {
	named := map[string]jsontext.Value{}
	switch value.Kind() {
	case '{':
		if importer.Unmarshal(value, &named) != nil {
			return nil
		}
	case '[':
		var list []jsontext.Value
		if importer.Unmarshal(value, &list) != nil {
			return nil
		}
		for i, element := range list {
			named[strconv.Itoa(i)] = element
		}
	}
	numbers := map[string]float64{}
	for name, element := range named {
		if x, ok := number(element); ok {
			numbers[name] = x
		}
	}
	return numbers
}

// number reads a value of a score. The letters are those of Inspect: correct, incorrect, partial, no answer.
func number(value jsontext.Value) (x float64, ok bool) {
	switch value.Kind() {
	case '0':
		x, err := strconv.ParseFloat(string(value), 64)
		return x, err == nil && !math.IsInf(x, 0)
	case 't':
		return 1, true
	case 'f':
		return 0, true
	case '"':
		switch text := importer.String(value); text {
		case "C":
			return 1, true
		case "I", "N":
			return 0, true
		case "P":
			return 0.5, true
		default:
			x, err := strconv.ParseFloat(text, 64)
			return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
		}
	}
	return 0, false
}

// tokens returns the sum over models; nil where no usage is known.
func (s sample) tokens() *track.Tokens {
	var t track.Tokens
	for _, name := range slices.Sorted(maps.Keys(s.Usage)) {
		s.Usage[name].addTo(&t)
	}
	if t == (track.Tokens{}) {
		return nil
	}
	return &t
}

// tokens returns the counts apart from each other; nil if there are none.
func (u *modelUsage) tokens() *track.Tokens {
	if u == nil {
		return nil
	}
	var t track.Tokens
	u.addTo(&t)
	return &t
}

func (u modelUsage) addTo(t *track.Tokens) {
	if u.includesCache() {
		input := max(0, *u.Input-*u.CacheRead)
		u.Input = &input
	}
	importer.AddCount(&t.Input, u.Input)
	importer.AddCount(&t.Output, u.Output)
	importer.AddCount(&t.CacheRead, u.CacheRead)
	importer.AddCount(&t.CacheWrite, u.CacheWrite)
	importer.AddCount(&t.Reasoning, u.Reasoning)
}

// includesCache says whether the input counts the cache: then input and output alone make the total.
func (u modelUsage) includesCache() bool {
	return u.Input != nil && u.Output != nil && u.Total != nil && u.CacheRead != nil && *u.CacheRead > 0 && *u.CacheRead <= *u.Input &&
		*u.Total == *u.Input+*u.Output
}
