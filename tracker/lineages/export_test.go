package lineages

// What the tests of this package reach into.
const (
	WarnAttempts    = warnAttempts
	WarnLeftOut     = warnLeftOut
	WarnNotAccepted = warnNotAccepted
	WarnOverridden  = warnOverridden
	WarnStaleParent = warnStaleParent
	WarnWasAccepted = warnWasAccepted
)

var (
	CheckEnd        = checkEnd
	Draws           = listDraws
	LoadMutation    = loadMutationHistory
	LoadOverview    = loadOverview
	LoadVersion     = loadVersion
	Operators       = loadOperators
	ReplayDecision  = replayDecision
	SuggestOperator = suggestOperator
	Versions        = listVersions
	Withdraw        = withdraw
)

func (r OperatorReport) CostPerPoint() *float64 { return r.costPerPoint() }
