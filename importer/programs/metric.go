package programs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"track"
	"track/internal/jsonio"
)

// Metric returns a measurement. A boolean is 1 or 0, as in Python. What is there and is none has a problem.
func (o Object) Metric(name string) (value float64, ok bool, problem string) {
	switch o.Kind(name) {
	case 'n':
		return 0, false, ""
	case 't':
		return 1, true, ""
	case 'f':
		return 0, true, ""
	}
	if word := o.nonFinite(name); word != "" {
		return 0, false, "is " + word
	}
	if err := json.Unmarshal(o.fields[name], &value); err != nil {
		failure := jsonio.FieldError(err)
		if o.Kind(name) == '0' {
			failure.Message = fmt.Sprintf("%s is beyond what a number can be", o.fields[name])
		}
		return 0, false, failure.Shorten().Message
	}
	return value, true, ""
}

// Metrics returns the measurements among the fields, but for those that are named. A number that is none is noted;
// texts, lists and objects are no measurements.
func (o Object) Metrics(without ...string) map[string]float64 {
	metrics := map[string]float64{}
	for _, name := range o.Names() {
		if slices.Contains(without, name) {
			continue
		}
		value, ok, problem := o.Metric(name)
		switch err := track.CheckName(name); {
		case ok && err == nil:
			metrics[name] = value
		case ok:
			o.Note("", "the name of a measurement "+err.Error())
		case o.Kind(name) == '0' || o.nonFinite(name) != "":
			o.Note(name, problem)
		}
	}
	if len(metrics) == 0 {
		return nil
	}
	return metrics
}

// nonFinite returns NaN, Infinity or -Infinity if a field holds the text of that name; otherwise nothing.
func (o Object) nonFinite(name string) string {
	if o.Kind(name) != '"' {
		return ""
	}
	if _, err := jsonio.Number(o.fields[name]); err != nil {
		return ""
	}
	return strings.Trim(string(o.fields[name]), `"`)
}
