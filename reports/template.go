package reports

import (
	"fmt"

	"track/answer"
	"track/scoring"
)

// What templates of reports take from this package.

// Icon returns the sign of a verdict or status, so that nobody needs to tell colours apart.
func Icon(verdict string) string { return icon(scoring.Verdict(verdict)) }

// ShellWord quotes a word for a shell if it must.
func ShellWord(s string) string { return shellWord(s) }

// StabilityCommand returns the command that writes the report. It names the configuration by its hash.
func StabilityCommand(d answer.StabilityReport) string {
	return fmt.Sprintf("track report stability %s --spec %d%s", shellWord(d.Selector()), d.Spec.Version, seedsFlag(d.Ranges))
}

// ImprovementCommand returns the command that writes the report.
func ImprovementCommand(d answer.ImprovementReport) string {
	return improvementReport{d}.command("track report improvement")
}

// ScenarioCommand returns the command that writes the report, as long as no configuration is added.
func ScenarioCommand(d answer.ScenarioReport) string {
	return fmt.Sprintf("track report scenario %s --spec %d --limit %d", shellWord(d.Stability.Selector()), d.Spec.Version, d.Limit)
}

// LineageCommand returns the command that writes the report, as long as nothing is added to the lineage.
func LineageCommand(d answer.LineageReport) string {
	return "track report lineage " + shellWord(d.Name)
}
