package openevolve

import (
	"maps"
	"math"
	"slices"
	"strings"

	"track/importer"
	"track/importer/programs"
)

const scoreName = "combined_score"

// judge finds the score of a program in its metrics, or why it has none. features are metrics that are no part of a
// score.
func judge(p *importer.Program, metrics programs.Object, features []string) {
	p.Metrics = metrics.Metrics(scoreName)
	score, scored, problem := metrics.Metric(scoreName)
	if p.Failed, p.Message = failure(metrics, scored); p.Failed != "" {
		if scored {
			p.Partial = &score
		}
		return
	}
	switch {
	case scored:
		p.Score = &score
	case problem != "":
		p.Failed, p.Message = importer.FailedInvalid, programs.Title(scoreName+" "+problem)
	default:
		if p.Score = mean(p.Metrics, features); p.Score == nil {
			p.Failed, p.Message = importer.FailedInvalid, "no "+scoreName+", nor a number to take in its place"
		}
	}
}

// failure returns how a program failed and what the source says of it; nothing where it did not. scored says that
// there is a combined score.
func failure(metrics programs.Object, scored bool) (failed, message string) {
	if is, ok, _ := metrics.Metric("timeout"); ok && is == 1 || isText(metrics, "timeout") {
		return importer.FailedTimeout, stages(metrics)
	}
	if message, is := errorOf(metrics, scored); is {
		if programs.TellsTimeout(message) {
			return importer.FailedTimeout, message
		}
		return importer.FailedError, message
	}
	if broken := stages(metrics); broken != "" {
		return importer.FailedError, broken
	}
	if runs, ok, _ := metrics.Metric("runs_successfully"); ok && runs == 0 {
		return importer.FailedError, "runs_successfully is 0"
	}
	if validity, ok, _ := metrics.Metric("validity"); ok && validity == 0 {
		return importer.FailedInvalid, "validity is 0"
	}
	return "", ""
}

// errorOf returns the error among metrics.
func errorOf(metrics programs.Object, scored bool) (message string, is bool) {
	switch metrics.Kind("error") {
	case 'n', 'f':
		return "", false
	case '"':
		return programs.Title(metrics.Text("error")), isText(metrics, "error")
	case '0':
		return "", !scored
	}
	return "", true
}

// isText says whether a field holds a text that is not empty.
func isText(metrics programs.Object, name string) bool {
	return metrics.Kind(name) == '"' && metrics.Canonical(name) != `""`
}

// stages names the stages of a cascade that a program did not pass.
func stages(metrics programs.Object) string {
	var broken []string
	for _, name := range metrics.Names() {
		number, is := strings.CutSuffix(name, "_passed")
		if number, isStage := strings.CutPrefix(number, "stage"); !is || !isStage || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if passed, ok, _ := metrics.Metric(name); ok && passed == 0 {
			broken = append(broken, name)
		}
	}
	if len(broken) == 0 {
		return ""
	}
	return programs.Title(strings.Join(broken, ", ") + " is 0")
}

// mean is what OpenEvolve takes for the score of a program without one (get_fitness_score in its
// utils/metrics_utils.py): the mean of what is no feature, and of all where nothing else is there. It is nil where
// there is nothing, or no number comes of it.
func mean(metrics map[string]float64, features []string) *float64 {
	scores := maps.Clone(metrics)
	maps.DeleteFunc(scores, func(name string, _ float64) bool { return slices.Contains(features, name) })
	if len(scores) == 0 {
		scores = metrics
	}
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(scores)) { // sums depend on their order
		sum += scores[name]
	}
	if sum /= float64(len(scores)); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil
	}
	return &sum
}
