package reports

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"track"
	"track/scoring"
)

// Configured is a configuration of a scenario, as reports name it.
type Configured struct {
	Scenario string
	Hash     string
	track.Configuration
}

// Selector names the configuration in commands, for good: a label may come to name another one.
func (c Configured) Selector() string { return c.Scenario + "@" + track.ShortHash(c.Hash) }

// Known is what people call the configuration: its label, or else its hash.
func (c Configured) Known() string {
	if c.Configuration.Label != "" {
		return c.Configuration.Label
	}
	return track.ShortHash(c.Hash)
}

// params are the parameters, each as theta=14, by name; none where they are not recorded.
func (c Configured) params() (list []parameter) {
	var values map[string]json.RawMessage
	if c.Configuration.Params == "" || json.Unmarshal([]byte(c.Configuration.Params), &values) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, parameter{name, name + "=" + string(values[name])})
	}
	return list
}

type parameter struct{ name, text string }

// SpecVersion is a version of a spec.
type SpecVersion struct {
	Scenario string
	Version  int
	Hash     string
	Declared scoring.Spec
}

// metric returns the metric of this name; one of that name alone where the spec has none.
func (s SpecVersion) metric(name string) scoring.Metric {
	for _, m := range s.Declared.Metrics {
		if m.Name == name {
			return m
		}
	}
	return scoring.Metric{Name: name}
}

// Runs says where and when seeds ran, as far as they tell.
type Runs struct {
	First, Last  time.Time // zero where no start is known
	NStarted     int       // seeds whose start is known
	Duration     time.Duration
	NTimed       int // seeds whose duration is known: Duration is that of all of them together
	Environments []EnvironmentUse
	Sweeps       []SweepUse // that ran them; seeds may have been run by none
}

// SweepUse is a sweep with the number of seeds that it ran.
type SweepUse struct {
	ID, Command string
	NSeeds      int
}

// EnvironmentUse is an environment with the number of seeds that ran in it.
type EnvironmentUse struct {
	Environment track.Environment
	NSeeds      int
}

// Seed is a seed of a configuration with the statuses of its metrics.
type Seed struct {
	Number   track.SeedNumber
	Outcome  track.Outcome
	Scored   bool
	Passed   bool             // scored, and no metric failed
	Score    float64          // NaN where it has none
	Statuses []scoring.Status // in the order of the spec, empty where there is no value; nil for a seed that did not run well
}

// FailingSeed is a seed that did not pass.
type FailingSeed struct {
	Number  track.SeedNumber
	Outcome track.Outcome
	Message string
	Metrics []FailingMetric // in the order of the spec
}

// FailingMetric is a metric that a seed failed.
type FailingMetric struct {
	Name    string
	Value   float64
	Missing bool
}

// Reason says in a few words why the seed did not pass.
func (f FailingSeed) Reason() string {
	if f.Outcome != track.OutcomeOK {
		if f.Message != "" {
			return f.Message
		}
		return string(f.Outcome)
	}
	var missing []string
	for _, m := range f.Metrics {
		if m.Missing {
			missing = append(missing, m.Name)
		}
	}
	if len(missing) > 0 {
		return "missing " + strings.Join(missing, ", ")
	}
	return fmt.Sprintf("%d failed", len(f.Metrics))
}

// ParameterChange is a parameter that differs between two configurations.
type ParameterChange struct {
	Name          string
	Before, After string // as JSON; empty where a configuration does not have it
}

// seedsText writes seed numbers in a few words, as 0..9, 12.
func seedsText[N ~uint64](numbers []N) string {
	const most = 20 // ranges
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	var words []string
	for i := 0; i < len(sorted); {
		j := i
		for j+1 < len(sorted) && sorted[j+1] == sorted[j]+1 {
			j++
		}
		if len(words) == most {
			return strings.Join(words, ", ") + fmt.Sprintf(" and %d more", len(sorted)-i)
		}
		word := fmt.Sprint(sorted[i])
		switch j - i {
		case 0:
		case 1:
			word += fmt.Sprintf(", %d", sorted[j])
		default:
			word += fmt.Sprintf("..%d", sorted[j])
		}
		words, i = append(words, word), j+1
	}
	return strings.Join(words, ", ")
}
