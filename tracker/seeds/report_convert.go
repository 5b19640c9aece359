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

func specVersionOf(stored store.Spec, declared scoring.Spec) answer.SpecVersion {
	return answer.SpecVersion{ScenarioSpec: scenarioSpec(stored), Declared: declared}
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
	differing, err := differingParameters([]track.Params{before, after})
	if err != nil {
		return nil, err
	}
	for _, name := range parameterNames(differing) {
		list = append(list, answer.ParameterChange{Name: name, Before: string(differing[0][name]), After: string(differing[1][name])})
	}
	return list, nil
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
