package admission

import (
	"slices"

	"golang.org/x/text/unicode/norm"

	"track"
)

// Normal returns a name in Unicode's form NFC: a letter with an accent is one name, whether the accent is a character
// of its own or not.
func Normal(name string) string { return norm.NFC.String(name) }

// NormalParams returns parameters whose names and values are in the form of [Normal].
func NormalParams(p track.Params) (track.Params, error) {
	if norm.NFC.IsNormalString(string(p)) {
		return p, nil
	}
	return track.NewParams([]byte(Normal(string(p)))) // in canonical order
}

// normalize brings the names of a seed into the form of [Normal]. Two metrics that become one are a problem.
func normalize(s *track.Seed) *track.FieldError {
	if isNormal(s) {
		return nil
	}
	s.Scenario, s.Configuration.Label = Normal(s.Scenario), Normal(s.Configuration.Label)
	var err error
	if s.Configuration.Params, err = NormalParams(s.Configuration.Params); err != nil {
		return &track.FieldError{Field: "configuration.params", Message: err.Error()}
	}
	values := make(map[string]float64, len(s.Values))
	for name, value := range s.Values {
		values[Normal(name)] = value
	}
	if len(values) < len(s.Values) {
		return &track.FieldError{Field: "values", Message: "two metrics have the same name, with letters that are composed differently"}
	}
	s.Values, s.Series = values, slices.Clone(s.Series)
	for i := range s.Series {
		s.Series[i].Name = Normal(s.Series[i].Name)
	}
	return s.Validate()
}

func isNormal(s *track.Seed) bool {
	for name := range s.Values {
		if !norm.NFC.IsNormalString(name) {
			return false
		}
	}
	return norm.NFC.IsNormalString(s.Scenario) && norm.NFC.IsNormalString(s.Configuration.Label) && norm.NFC.IsNormalString(string(s.Configuration.Params)) &&
		!slices.ContainsFunc(s.Series, func(list track.Series) bool { return !norm.NFC.IsNormalString(list.Name) })
}
