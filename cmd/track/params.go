package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// differingParameters are the parameters of several configurations that are not the same in all, by name; nil where a configuration
// does not have it.
func differingParameters(configurations []track.Params) (map[string][]*jsontext.Value, error) {
	all := map[string][]*jsontext.Value{}
	for i, params := range configurations {
		var values map[string]jsontext.Value
		if err := json.Unmarshal(params.JSON(), &values); err != nil {
			return nil, fmt.Errorf("parameters %s: %w", shorten(string(params)), err)
		}
		for name, value := range values {
			if all[name] == nil {
				all[name] = make([]*jsontext.Value, len(configurations))
			}
			all[name][i] = &value
		}
	}
	maps.DeleteFunc(all, func(_ string, values []*jsontext.Value) bool {
		return !slices.ContainsFunc(values, func(v *jsontext.Value) bool { return parameterText(v) != parameterText(values[0]) })
	})
	return all, nil
}

func parameterText(v *jsontext.Value) string {
	if v == nil {
		return ""
	}
	return string(*v)
}

// parameterLines shows of each configuration the parameters that differ among them, as in "theta=14 n_firms=10".
func parameterLines(configurations []track.Params) ([]string, error) {
	differing, err := differingParameters(configurations)
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(configurations))
	for i := range configurations {
		var words []string
		for _, name := range slices.Sorted(maps.Keys(differing)) {
			if value := differing[name][i]; value != nil {
				words = append(words, name+"="+parameterText(value))
			}
		}
		lines[i] = strings.Join(words, " ")
	}
	return lines, nil
}
