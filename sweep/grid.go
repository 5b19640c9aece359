package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// maxConfigurations bounds a grid.
const maxConfigurations = 10_000

// Grid returns the parameters of each configuration: every row of a design with every combination of the values of
// KEY=VALUE,VALUE,… pairs, the last key changing fastest. No rows are one row without parameters. A value is what
// [Word] reads; what is JSON as a whole, as [1,2] or "a,b", is one value.
func Grid(design []track.Params, pairs []string) ([]track.Params, error) {
	grid, err := objects(design)
	if err != nil {
		return nil, err
	}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not KEY=VALUE", pair)
		}
		if err := checkParameterName(key); err != nil {
			return nil, err
		}
		values, err := gridValues(key, text)
		if err != nil {
			return nil, err
		}
		if grid, err = spread(grid, key, values); err != nil {
			return nil, err
		}
	}
	return distinctParams(grid)
}

// objects returns the rows of a design as objects; a single empty one for no rows.
func objects(design []track.Params) ([]map[string]jsontext.Value, error) {
	if len(design) == 0 {
		return []map[string]jsontext.Value{{}}, nil
	}
	list := make([]map[string]jsontext.Value, len(design))
	for i, row := range design {
		if err := json.Unmarshal(row.JSON(), &list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// spread returns each object with each of the values of one more key.
func spread(grid []map[string]jsontext.Value, key string, values []jsontext.Value) (next []map[string]jsontext.Value, err error) {
	if _, twice := grid[0][key]; twice {
		return nil, fmt.Errorf("%s is given twice; several values are separated by commas", key)
	}
	if len(grid)*len(values) > maxConfigurations {
		return nil, fmt.Errorf("the grid has more than %d configurations", maxConfigurations)
	}
	for _, params := range grid {
		for _, value := range values {
			more := maps.Clone(params)
			more[key] = value
			next = append(next, more)
		}
	}
	return next, nil
}

// distinctParams returns objects in canonical form, and an error if two are equal.
func distinctParams(grid []map[string]jsontext.Value) (list []track.Params, err error) {
	seen := make(map[track.Params]bool, len(grid))
	for _, params := range grid {
		text, err := json.Marshal(params, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		canonical, err := track.NewParams(text)
		if err != nil {
			return nil, err
		}
		if seen[canonical] {
			return nil, fmt.Errorf("%s is the same configuration twice", canonical.JSON())
		}
		seen[canonical] = true
		list = append(list, canonical)
	}
	return list, nil
}

// checkParameterName refuses the names that the sweep fills in.
func checkParameterName(name string) error {
	if name == placeSeed || name == placeOut {
		return fmt.Errorf("%s cannot be the name of a parameter: {%s} is filled in by the sweep", name, name)
	}
	return nil
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
		if len(words) > 1 && word == "" {
			return nil, fmt.Errorf("%s=%s has an empty value among others", key, text)
		}
		value, err := Word(word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		values = append(values, value)
	}
	return values, nil
}

// Word returns a value that is given as text: JSON stands for itself, .5, 5. and +5 are numbers, and True is a boolean.
// Any other text is a string.
func Word(text string) (jsontext.Value, error) {
	value := jsontext.Value(text)
	switch {
	case value.IsValid():
		return value, nil
	case isNumber(text):
		x, err := strconv.ParseFloat(text, 64)
		return jsontext.Value(strconv.FormatFloat(x, 'g', -1, 64)), err
	case isBoolean(text):
		return jsontext.Value(strings.ToLower(text)), nil
	}
	return json.Marshal(text)
}

// isBoolean reports whether text is true or false, as JSON, Python or a spreadsheet writes them.
func isBoolean(text string) bool {
	return strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
}

// OddTexts names the values that look like numbers and are strings, such as 1_000 and O.4.
func OddTexts(grid []track.Params) (list []string) {
	for _, params := range grid {
		values, err := words(params)
		if err != nil {
			continue // the grid has read them
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			text := fmt.Sprintf("the parameter %s has the text %q, which is no number", name, values[name])
			if mistypedNumber.MatchString(values[name]) && !isNumber(values[name]) && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
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
