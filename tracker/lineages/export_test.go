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
	CheckEnd = checkEnd
	Withdraw = withdraw
)
