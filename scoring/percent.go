package scoring

// percentFactor lies between a share and the same share in percent.
const percentFactor = 100

// MeantAsPercent returns the value that was probably meant, if one is a hundred times as large as the target wants it,
// or as small: 6.5 for 0.065 ± 0.02. The value must FAIL, a tenth or ten times of it must not PASS, and a
// hundredth or a hundred times must. A target that 0 meets tells nothing. No share is above 1, whatever its target.
func (m Metric) MeantAsPercent(value float64) (meant float64, isPercent bool) {
	if m.Target == nil || !finite(value) || value == 0 {
		return 0, false
	}
	check := func(x float64) Status { return m.Target.check(x, failEscalationMultiplier(m.Weight)) }
	if _, is := m.Target.(Boolean); is {
		return 0, false
	}
	if m.IsShare() && value > 1 {
		meant = value / percentFactor
		return meant, meant <= 1
	}
	if check(value) != Fail || check(0) == Pass {
		return 0, false
	}
	for _, factor := range [...]float64{1. / percentFactor, percentFactor} {
		tenth := float64(value / 10)
		if factor > 1 {
			tenth = float64(value * 10)
		}
		if meant = float64(value * factor); check(meant) == Pass && check(tenth) != Pass {
			return meant, true
		}
	}
	return 0, false
}

// IsShare says whether the values of the metric are shares, from 0 to 1.
func (m Metric) IsShare() bool {
	switch m.Target.(type) {
	case Outlier, PctWithin:
		return true
	}
	return false
}
