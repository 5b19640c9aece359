package evolution

// Warning is a reason to trust a decision less. It is data: the code is stable, [Warning.Message] is for people.
type Warning string

// The warnings.
const (
	warnSmallN       Warning = "small_n"
	warnZeroVariance Warning = "zero_variance"
	warnFailures     Warning = "failures"
	warnUnpaired     Warning = "unpaired"
	WarnUnclear      Warning = "unclear"
	warnNoise        Warning = "noise"
	warnNMax         Warning = "n_max"
)

// Message says the warning in a sentence.
func (w Warning) Message() string {
	switch w {
	case warnSmallN:
		return "n too small: fewer than 5 trials on a side, or fewer than 5 pairs"
	case warnZeroVariance:
		return "the scores or differences do not vary, so there is no interval: that says nothing about other tasks or seeds"
	case warnFailures:
		return "some trials failed and have no score: the scores compare those that survived"
	case warnUnpaired:
		return "fewer than 80% of the trials have a partner with the same task or seed"
	case WarnUnclear:
		return "accepted, though no interval shows the difference to be above 0"
	case warnNoise:
		return "at this noise the policy accepts more than one in ten mutations that change nothing"
	case warnNMax:
		return "no decision within the most pairs that the policy allows: the parent stays"
	}
	return string(w)
}
