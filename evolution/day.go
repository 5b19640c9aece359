package evolution

import (
	"slices"
	"time"
)

const day = 24 * time.Hour

// lastDay returns the times of the mutations of the 24 hours before now, oldest first, and how many of them were of high risk. Any 24 hours, not
// a calendar day: a limit of 10 that starts again at midnight allows 20 in an hour.
func lastDay(list []PastMutation, now time.Time) (times []time.Time, high int) {
	for _, m := range list {
		if now.Sub(m.At) >= day {
			continue
		}
		times = append(times, m.At)
		if m.Risk == High {
			high++
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times, high
}
