package seeds

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
	"track/scoring"
	"track/store"
	"track/sweep"
)

func configurationOf(scenario string, c store.Configuration) answer.ScenarioConfiguration {
	return answer.ScenarioConfiguration{Scenario: scenario, RecordedConfiguration: track.RecordedConfiguration{Hash: c.Hash, Configuration: c.Configuration}}
}

func specVersionOf(stored store.Spec, declared scoring.Spec) answer.SpecVersion {
	return answer.SpecVersion{Scenario: stored.Scenario, Version: stored.Version, Hash: stored.Hash, Declared: declared}
}

// runsOf returns where and when seeds ran, with the commands of their sweeps.
func runsOf(ctx context.Context, st *store.Reader, selection store.Selection) (track.Runs, error) {
	runs, err := st.Runs(ctx, selection)
	if err != nil {
		return runs, err
	}
	for i, use := range runs.Sweeps {
		plan, err := sweep.ReadPlan("plan of sweep "+use.ID, []byte(use.Plan))
		if err != nil {
			return runs, err
		}
		runs.Sweeps[i].Command = plan.Command
	}
	return runs, nil
}

// parameterChanges returns the parameters that differ between two configurations.
func parameterChanges(before, after track.Params) (list []answer.ParameterChange, err error) {
	differing, err := DifferingParameters([]track.Params{before, after})
	for _, name := range slices.Sorted(maps.Keys(differing)) {
		values := differing[name]
		list = append(list, answer.ParameterChange{Name: name, Before: ParameterText(values[0]), After: ParameterText(values[1])})
	}
	return list, err
}

// DifferingParameters returns the parameters that are not the same in all of several configurations, by name; nil if a configuration
// does not have it.
func DifferingParameters(configurations []track.Params) (map[string][]*jsontext.Value, error) {
	all := map[string][]*jsontext.Value{}
	for i, params := range configurations {
		var values map[string]jsontext.Value
		if err := json.Unmarshal(params.JSON(), &values); err != nil {
			return nil, fmt.Errorf("parameters %.80q: %w", params, err)
		}
		for name, value := range values {
			if all[name] == nil {
				all[name] = make([]*jsontext.Value, len(configurations))
			}
			all[name][i] = &value
		}
	}
	maps.DeleteFunc(all, func(_ string, values []*jsontext.Value) bool {
		return !slices.ContainsFunc(values, func(v *jsontext.Value) bool { return ParameterText(v) != ParameterText(values[0]) })
	})
	return all, nil
}

// ParameterText returns a parameter as JSON; empty if there is none.
func ParameterText(v *jsontext.Value) string {
	if v == nil {
		return ""
	}
	return string(*v)
}

// ParameterLines returns for each configuration the parameters that differ among them, as in "theta=14 n_firms=10".
func ParameterLines(configurations []track.Params) ([]string, error) {
	differing, err := DifferingParameters(configurations)
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(configurations))
	for i := range configurations {
		var words []string
		for _, name := range slices.Sorted(maps.Keys(differing)) {
			if value := differing[name][i]; value != nil {
				words = append(words, name+"="+ParameterText(value))
			}
		}
		lines[i] = strings.Join(words, " ")
	}
	return lines, nil
}
