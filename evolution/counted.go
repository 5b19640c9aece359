package evolution

// Counted are the trials of a version whose scores say how good it is.
type Counted struct {
	Trials []Trial // with a score; failed ones too, if they have the one that they count as: see [WithFailures]
	Failed int     // of all trials
	// Chosen: their scores served to choose the version, so they tend to be too high.
	Chosen bool
}

// fewestFresh is from how many trials on those after the choice stand alone.
const fewestFresh = 2

// Count returns the trials of a version that no decision that accepted it looked at, if there are enough; else all.
// looked has the IDs of the trials that those decisions looked at.
func Count(trials []Trial, looked map[string]bool) (c Counted) {
	var fresh, all []Trial
	for _, t := range trials {
		if t.Failed != "" {
			c.Failed++
		}
		switch {
		case t.Score == nil:
		case looked[t.ID]:
			all = append(all, t)
		default:
			all, fresh = append(all, t), append(fresh, t)
		}
	}
	if c.Trials = all; len(fresh) >= fewestFresh {
		c.Trials = fresh
	}
	c.Chosen = len(looked) > 0 && len(c.Trials) != len(fresh)
	return c
}

// Scores returns the scores of the trials.
func (c Counted) Scores() (scores []float64) {
	for _, t := range c.Trials {
		scores = append(scores, *t.Score)
	}
	return scores
}
