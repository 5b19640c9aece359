package seeds

import (
	"track"
	"track/scoring"
)

// Status returns the worst status of a recorded seed, and its total score; nil if it has none.
func (r RecordResult) Status(outcome track.Outcome) (status scoring.Status, total *float64) {
	if outcome != track.OutcomeOK {
		status = scoring.Fail
	}
	if a := r.Assessment; a != nil {
		if a.Scored {
			total = &a.TotalScore
		}
		for _, result := range a.Results {
			status = scoring.WorstStatus(status, result.Status)
		}
	}
	return status, total
}
