package seeds

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
	"track/sweep"
)

// ParseParams returns the parameters of a JSON object, which may be empty, and of KEY=VALUE pairs. [sweep.Word] reads
// their values. A mistake is a [param.Error].
func ParseParams(object string, pairs []string) (track.Params, error) {
	values := map[string]jsontext.Value{}
	if object != "" {
		if err := json.Unmarshal([]byte(object), &values); err != nil || values == nil {
			return "", &param.Error{Param: "params", Message: fmt.Sprintf("not a JSON object: %v", cmp.Or(err, errors.New("it is null")))}
		}
	}
	wrong := func(format string, args ...any) (track.Params, error) {
		return "", &param.Error{Param: "param", Message: fmt.Sprintf(format, args...)}
	}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return wrong("%q is not KEY=VALUE", pair)
		}
		if _, duplicate := values[key]; duplicate {
			return wrong("%s is given twice", key)
		}
		value, err := sweep.Word(text)
		if err != nil {
			return wrong("%s: %v", key, err)
		}
		values[key] = value
	}
	text, err := json.Marshal(values, json.Deterministic(true))
	if err != nil {
		return wrong("%v", err)
	}
	params, err := track.NewParams(text)
	if err != nil {
		return wrong("%v", err)
	}
	return params, nil
}

// differingParameters returns, for each configuration, those of its parameters that are not the same in all.
func differingParameters(configurations []track.Params) ([]map[string]jsontext.Value, error) {
	sides := make([]map[string]jsontext.Value, len(configurations))
	for i, params := range configurations {
		if err := json.Unmarshal(params.JSON(), &sides[i]); err != nil {
			return nil, fmt.Errorf("parameters %.80q: %w", params, err)
		}
	}
	for _, name := range parameterNames(sides) {
		if !slices.ContainsFunc(sides, func(side map[string]jsontext.Value) bool { return string(side[name]) != string(sides[0][name]) }) {
			for _, side := range sides {
				delete(side, name)
			}
		}
	}
	return sides, nil
}

// parameterNames returns the names of the parameters of all sides, sorted.
func parameterNames(sides []map[string]jsontext.Value) []string {
	all := map[string]jsontext.Value{}
	for _, side := range sides {
		maps.Copy(all, side)
	}
	return slices.Sorted(maps.Keys(all))
}

// parameterLines returns for each configuration the parameters that differ among them, as in "theta=14 n_firms=10".
func parameterLines(configurations []track.Params) ([]string, error) {
	differing, err := differingParameters(configurations)
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(configurations))
	for i, side := range differing {
		var words []string
		for _, name := range slices.Sorted(maps.Keys(side)) {
			words = append(words, name+"="+string(side[name]))
		}
		lines[i] = strings.Join(words, " ")
	}
	return lines, nil
}
