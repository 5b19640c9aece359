package seeds

import (
	"cmp"
	"errors"
	"fmt"
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
