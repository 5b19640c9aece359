package evolution

import (
	"slices"
	"time"
)

const day = 24 * time.Hour

// lastDay returns the times of the mutations of the 24 hours before now, oldest first, and how many of them were of
// high risk. Any 24 hours, not a calendar day: a limit of 10 that starts again at midnight allows 20 in an hour.
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

// DayLimit is a limit of the mutations in 24 hours that is reached.
type DayLimit struct {
	High  bool // only mutations of high risk count
	N     int  // made
	Limit int
	Until time.Time // when it lets the next one through; zero for never
}

// DayLimits returns the limits that forbid one more mutation of a risk now.
func (s LoopSettings) DayLimits(list []PastMutation, risk Risk, now time.Time) (reached []DayLimit) {
	highs := slices.DeleteFunc(slices.Clone(list), func(m PastMutation) bool { return m.Risk != High })
	for _, limit := range []struct {
		DayLimit
		of []PastMutation
	}{{DayLimit{Limit: s.MaxPerDay}, list}, {DayLimit{Limit: s.MaxHighPerDay, High: true}, highs}} {
		times, _ := lastDay(limit.of, now)
		if limit.N = len(times); limit.N < limit.Limit || limit.High && risk != High {
			continue
		}
		if limit.Limit > 0 {
			limit.Until = times[limit.N-limit.Limit].Add(day)
		}
		reached = append(reached, limit.DayLimit)
	}
	return reached
}
