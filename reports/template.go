package reports

import (
	"fmt"

	"track/scoring"
)

// What templates of reports take from this package.

// Icon is the sign of a verdict or status, so that nobody needs to tell colours apart.
func Icon(verdict string) string { return icon(scoring.Verdict(verdict)) }

// ShellWord quotes a word for a shell where it must.
func ShellWord(s string) string { return shellWord(s) }

// Command gives the report, for good: it names the configuration by its hash.
func (d StabilityData) Command() string {
	return fmt.Sprintf("track report stability %s --spec %d%s", shellWord(d.Configuration.Selector()), d.Spec.Version, seedsFlag(d.Ranges))
}

// Command gives the report, for good.
func (d ImprovementData) Command() string { return d.command("track report improvement") }

// Command gives the report as long as no configuration is added.
func (d ScenarioData) Command() string {
	return fmt.Sprintf("track report scenario %s --spec %d --limit %d", shellWord(d.Spec.Scenario), d.Spec.Version, d.Limit)
}

// Command gives the report as long as nothing is added to the lineage.
func (d LineageData) Command() string { return "track report lineage " + shellWord(d.Name) }
