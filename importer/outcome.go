package importer

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The members of an object that say how a run ended, by their common names.
var outcomes = []string{
	"reward", "rewards", "score", "scores", "resolved", "solved", "success", "passed", "correct", "is_correct", "accuracy", "verdict", "result",
}

// AddOutcomes adds to truths what the members of an object say of the outcome of a run: numbers as they are, yes as 1,
// no as 0. Of a member that is an object, each number is a truth of its own, NAME.PART.
func AddOutcomes(truths *map[string]float64, members map[string]jsontext.Value) {
	for name, value := range members {
		if !slices.Contains(outcomes, name) {
			continue
		}
		addOutcome(truths, name, value)
		for part, value := range Members(value) {
			addOutcome(truths, name+"."+part, value)
		}
	}
}

func addOutcome(truths *map[string]float64, name string, value jsontext.Value) {
	if x, ok := outcome(value); ok {
		AddTruth(truths, name, x)
	}
}

// AddTruth adds a truth, unless nothing is left of its name.
func AddTruth(truths *map[string]float64, name string, x float64) {
	if name = Name(name); name == "" {
		return
	}
	if *truths == nil {
		*truths = map[string]float64{}
	}
	(*truths)[name] = x
}

func outcome(value jsontext.Value) (x float64, ok bool) {
	switch value.Kind() {
	case '0':
		x, err := strconv.ParseFloat(string(value), 64)
		return x, err == nil && !math.IsInf(x, 0)
	case 't':
		return 1, true
	case 'f':
		return 0, true
	case '"':
		switch strings.ToLower(String(value)) {
		case "pass", "passed", "success", "true", "correct", "resolved":
			return 1, true
		case "fail", "failed", "failure", "false", "incorrect", "unresolved":
			return 0, true
		}
	}
	return 0, false
}

// Members returns the members of an object; nil for any other value.
func Members(value jsontext.Value) (members map[string]jsontext.Value) {
	if value.Kind() != '{' || Unmarshal(value, &members) != nil {
		return nil
	}
	return members
}
