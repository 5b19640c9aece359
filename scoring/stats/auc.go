package stats

import "math"

// AUC says how well a number separates two groups: the probability that one of the first group exceeds one of the
// second, a tie counting half.
type AUC struct {
	NPositive int       `json:"n_positive"`
	NNegative int       `json:"n_negative"`
	Value     float64   `json:"value"`
	Interval  Interval  `json:"ci"` // of Value; not defined below two values in either group
	Warnings  []Warning `json:"warnings,omitempty"`
}

// MethodDeLong is the method of the interval of an AUC.
const MethodDeLong = "delong"

// NewAUC computes the area under the ROC curve as the Mann–Whitney statistic U/(n·m), with the normal interval of
// DeLong, DeLong & Clarke-Pearson (1988), cut to [0, 1].
//
// It assumes independent values; repeated trials of one task are not quite that, and make the interval somewhat too
// narrow. Where the groups are fully separated the interval has no width and says nothing about others:
// [WarnZeroVariance]. An empty group is ErrEmpty.
func NewAUC(positive, negative []float64, confidence float64) (AUC, error) {
	if err := checkBoth(positive, negative, 1); err != nil {
		return AUC{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return AUC{}, err
	}
	a := AUC{NPositive: len(positive), NNegative: len(negative), Interval: noInterval(confidence, MethodDeLong)}
	ofPositive, ofNegative := placements(positive, negative)
	a.Value, _ = moments(ofPositive)
	a.Warnings = smallN(min(len(positive), len(negative)))
	if len(positive) < 2 || len(negative) < 2 {
		return a, nil
	}
	_, ssPositive := moments(ofPositive)
	_, ssNegative := moments(ofNegative)
	n, m := float64(len(positive)), float64(len(negative))
	variance := ssPositive/(n-1)/n + ssNegative/(m-1)/m
	if variance == 0 {
		a.Warnings = append(a.Warnings, WarnZeroVariance)
	}
	half := float64(normalQuantile(confidence) * math.Sqrt(variance))
	a.Interval.Lo, a.Interval.Hi = max(0, a.Value-half), min(1, a.Value+half)
	return a, nil
}

// placements are, for each value of one group, the share of the other group that is on the right side of it.
func placements(positive, negative []float64) (ofPositive, ofNegative []float64) {
	ofPositive, ofNegative = make([]float64, len(positive)), make([]float64, len(negative))
	for i, x := range positive {
		for j, y := range negative {
			win := 0.0
			switch {
			case x > y:
				win = 1
			case x == y:
				win = 0.5
			}
			ofPositive[i] += win / float64(len(negative))
			ofNegative[j] += win / float64(len(positive))
		}
	}
	return ofPositive, ofNegative
}
