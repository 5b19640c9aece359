package verdict

// What the tests in verdict_test see besides the exported names.

const (
	ReasonNoBaseline   = reasonNoBaseline
	ReasonUndecidable  = reasonUndecidable
	RuleMaxStd         = ruleMaxStd
	RuleMinScore       = ruleMinScore
	RuleMinSeeds       = ruleMinSeeds
	RuleStable         = ruleStable
	WarnFailedPair     = warnFailedPair
	WarnFewAccepted    = warnFewAccepted
	WarnFewPairs       = warnFewPairs
	WarnFewPoints      = warnFewPoints
	WarnOneValue       = warnOneValue
	WarnIdentical      = warnIdentical
	WarnIdenticalSeeds = warnIdenticalSeeds
	WarnNoScores       = warnNoScores
	WarnNoSeeds        = warnNoSeeds
	WarnUnmatched      = warnUnmatched
	WarnUnreliable     = warnUnreliable
	WarnDependent      = warnDependent
	WarnFewForTrend    = warnFewForTrend
)

var NewEstimates = newEstimates
