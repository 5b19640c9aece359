package reports

import (
	"fmt"

	"track/answer"
)

// stabilityCommand returns the command that writes the report. It names the configuration by its hash.
func stabilityCommand(d answer.StabilityReport) string {
	return fmt.Sprintf("track report stability %s --spec %d%s", shellWord(d.Selector()), d.Spec.Version, seedsFlag(d.Ranges))
}

// improvementCommand returns the command that writes the report.
func improvementCommand(d answer.ImprovementReport) string {
	return improvementReport{d}.command("track report improvement")
}

// scenarioCommand returns the command that writes the report, as long as no configuration is added.
func scenarioCommand(d answer.ScenarioReport) string {
	return fmt.Sprintf("track report scenario %s --spec %d --limit %d", shellWord(d.Stability.Selector()), d.Spec.Version, d.Limit)
}
