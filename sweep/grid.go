package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// maxConfigurations bounds a grid.
const maxConfigurations = 10_000

// Grid returns the parameters of each configuration that KEY=VALUE,VALUE,… pairs span: every combination, the last key
// changing fastest. A value that is JSON stands for itself, any other is a string; what is JSON as a whole, as [1,2] or
// "a,b", is one value.
func Grid(pairs []string) ([]track.Params, error) {
	grid := []map[string]jsontext.Value{{}}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not KEY=VALUE", pair)
		}
		if key == placeSeed || key == placeOut {
			return nil, fmt.Errorf("%s is no name for a parameter: {%s} is filled in by the sweep", key, key)
		}
		values, err := gridValues(key, text)
		if err != nil {
			return nil, err
		}
		if _, twice := grid[0][key]; twice {
			return nil, fmt.Errorf("%s is given twice; several values are separated by commas", key)
		}
		if len(grid)*len(values) > maxConfigurations {
			return nil, fmt.Errorf("the grid has more than %d configurations", maxConfigurations)
		}
		var next []map[string]jsontext.Value
		for _, params := range grid {
			for _, value := range values {
				more := map[string]jsontext.Value{key: value}
				for k, v := range params {
					more[k] = v
				}
				next = append(next, more)
			}
		}
		grid = next
	}
	var list []track.Params
	for _, params := range grid {
		text, err := json.Marshal(params, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		canonical, err := track.NewParams(text)
		if err != nil {
			return nil, err
		}
		if slices.Contains(list, canonical) {
			return nil, fmt.Errorf("%s is the same configuration twice", canonical.JSON())
		}
		list = append(list, canonical)
	}
	return list, nil
}

func gridValues(key, text string) (values []jsontext.Value, err error) {
	if list := jsontext.Value("[" + text + "]"); list.IsValid() { // 8,10 and [1,2],[3], and what is one value
		err := json.Unmarshal(list, &values)
		if err == nil && len(values) > 0 {
			return values, nil
		}
	}
	words := strings.Split(text, ",")
	for _, word := range words {
		value := jsontext.Value(word)
		if len(words) > 1 && word == "" {
			return nil, fmt.Errorf("%s=%s has an empty value among others", key, text)
		}
		if !value.IsValid() {
			if value, err = json.Marshal(word); err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
		}
		values = append(values, value)
	}
	return values, nil
}

// words are the values of parameters as a command line has them: strings without quotes, anything else as JSON.
func words(p track.Params) (map[string]string, error) {
	var values map[string]jsontext.Value
	if err := json.Unmarshal(p.JSON(), &values); err != nil {
		return nil, err
	}
	list := make(map[string]string, len(values))
	for name, value := range values {
		list[name] = string(value)
		if value.Kind() == '"' {
			var s string
			if err := json.Unmarshal(value, &s); err != nil {
				return nil, err
			}
			list[name] = s
		}
	}
	return list, nil
}
