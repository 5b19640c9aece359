package evolution

// Warning is a reason to trust a decision less. It is data: the code is stable, [Warning.Message] is for people.
type Warning string

// The warnings.
const (
	warnSmallN        Warning = "small_n"
	warnZeroVariance  Warning = "zero_variance"
	warnFailures      Warning = "failures"
	warnUnpaired      Warning = "unpaired"
	WarnUnclear       Warning = "unclear"
	warnNoise         Warning = "noise"
	warnContradiction Warning = "contradiction"
)

// Message says the warning in a sentence.
func (w Warning) Message() string {
	switch w {
	case warnSmallN:
		return "n too small: fewer than 5 trials on a side, or fewer than 5 pairs"
	case warnZeroVariance:
		return "the scores or differences do not vary, so there is no interval: that says nothing about other tasks or seeds"
	case warnFailures:
		return "some trials failed and are left out, as set: the scores compare those that survived"
	case warnUnpaired:
		return "fewer than 80% of the trials have a partner with the same task or seed"
	case WarnUnclear:
		return "accepted, though no interval shows the difference to be above 0"
	case warnNoise:
		return "at this noise the policy accepts more than one in ten mutations that change nothing"
	case warnContradiction:
		return "the pairs on common tasks say the opposite: threshold compares the last five trials of each side, whatever their tasks"
	}
	return string(w)
}
