package seeds

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"

	"track"
	"track/internal/dataset"
	"track/store"
)

// tableParam is a parameter of some configuration, at the top level of its parameters.
type tableParam struct {
	name string
	kind dataset.Type
}

// tableParams returns the parameters of configurations by name. One that is always a number, or always true or false,
// has that type. All others are texts: lists and objects as JSON.
func tableParams(configurations []store.Configuration) (list []tableParam) {
	kinds := map[string]dataset.Type{}
	for _, c := range configurations {
		for name, value := range decodeParams(c.Params) {
			kind := kindOf(value)
			if before, known := kinds[name]; known && before != kind {
				kind = dataset.Text
			}
			kinds[name] = kind
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		list = append(list, tableParam{name, kinds[name]})
	}
	return list
}

// decodeParams returns the parameters by name, as JSON; without those that are null.
func decodeParams(params track.Params) map[string]json.RawMessage {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(params.JSON(), &values) // what is recorded is a JSON object
	maps.DeleteFunc(values, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return values
}

func kindOf(value json.RawMessage) dataset.Type {
	switch value[0] {
	case 't', 'f':
		return dataset.Flag
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if x, err := strconv.ParseFloat(string(value), 64); err == nil && !math.IsInf(x, 0) {
			return dataset.Number // recorded numbers are exact in float64
		}
	}
	return dataset.Text
}

// cell returns a parameter as a cell; nil is none.
func (p tableParam) cell(value json.RawMessage) dataset.Cell {
	if value == nil {
		return dataset.Cell{}
	}
	switch p.kind {
	case dataset.Number:
		x, _ := strconv.ParseFloat(string(value), 64) // see kindOf
		return dataset.NewNumber(x)
	case dataset.Flag:
		return dataset.NewFlag(value[0] == 't')
	}
	text := ""
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	return dataset.Cell{IsSet: true, Text: text}
}
