package seeds

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"track"
	"track/scoring"
)

// explainFailing gives seeds the reason why they did not pass, and leaves out their configuration unless several are
// mixed. The worst seed comes first.
func explainFailing(stored []track.FailingSeed, spec scoring.Spec, mixed bool) []track.FailingSeed {
	list := make([]track.FailingSeed, len(stored))
	bands := make(map[string][]scoring.Band, len(spec.Metrics))
	if len(stored) > 0 {
		for _, m := range spec.Metrics {
			bands[m.Name] = m.Bands()
		}
	}
	for i, seed := range stored {
		seed.Reason = whyFailing(seed)
		if !mixed {
			seed.Configuration = ""
		}
		if seed.Metrics == nil {
			seed.Metrics = []track.FailingMetric{}
		}
		for k := range seed.Metrics {
			m := &seed.Metrics[k]
			if outside := scoring.Outside(bands[m.Name], m.Value); !m.Missing && !math.IsInf(outside, 0) {
				m.Outside = &outside
			}
		}
		slices.SortStableFunc(seed.Metrics, func(a, b track.FailingMetric) int { return compareOutside(a.Outside, b.Outside) })
		list[i] = seed
	}
	slices.SortStableFunc(list, compareSeverity)
	return list
}

// compareSeverity puts first what did not run well, then what was not judged, and then seeds by the metric that is
// farthest outside of what it accepts; if that is equal, by the next one. Seeds that are alike keep the order of their
// numbers.
func compareSeverity(a, b track.FailingSeed) int {
	kind := func(f track.FailingSeed) int {
		switch {
		case f.Outcome != track.OutcomeOK:
			return 0
		case len(f.Metrics) == 0:
			return 1
		}
		return 2
	}
	if x, y := kind(a), kind(b); x != y || x != 2 {
		return cmp.Compare(x, y)
	}
	for k := range min(len(a.Metrics), len(b.Metrics)) {
		if c := compareOutside(a.Metrics[k].Outside, b.Metrics[k].Outside); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(b.Metrics), len(a.Metrics))
}

// compareOutside puts the larger distance first. None stands for one that is beyond all numbers.
func compareOutside(a, b *float64) int {
	if a == nil || b == nil {
		return cmp.Compare(oneIf(a != nil), oneIf(b != nil))
	}
	return cmp.Compare(*b, *a)
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// whyFailing returns in a few words why a seed did not pass. Its Reason is the message that it was recorded with.
func whyFailing(seed track.FailingSeed) string {
	if seed.Outcome != track.OutcomeOK {
		if seed.Reason != "" {
			return seed.Reason
		}
		return string(seed.Outcome)
	}
	var missing []string
	for _, m := range seed.Metrics {
		if m.Missing {
			missing = append(missing, m.Name)
		}
	}
	if len(missing) > 0 {
		return "missing " + strings.Join(missing, ", ")
	}
	return fmt.Sprintf("%d failed", len(seed.Metrics))
}
