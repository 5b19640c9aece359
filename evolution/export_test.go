package evolution

// What the tests of this package reach into.
type ParamError = paramError

var (
	ErrLedger        = errLedger
	ErrNoOperator    = errNoOperator
	ErrOperatorList  = errOperatorList
	ErrUnknownPolicy = errUnknownPolicy

	DefaultForbidden     = defaultForbidden
	DefaultLoopSettings  = defaultLoopSettings
	DefaultRollbackRules = defaultRollbackRules
	MutationID           = mutationID
	Replay               = func(r Record) []Difference { return replayRecord(r, policyReader{}) }
	ReplayEntry          = replayEntry
)

const (
	Exploration       = exploration
	HoldNone          = holdNone
	Marginal          = marginal
	NeedsEvidence     = needsEvidence
	Futile            = futile
	Measuring         = measuring
	NoImprovement     = noImprovement
	Regression        = regression
	ScreenedOut       = screenedOut
	WarnContradiction = warnContradiction
	WarnFailures      = warnFailures
	WarnNoise         = warnNoise
	WarnSmallN        = warnSmallN
	WarnUnpaired      = warnUnpaired
	WarnZeroVariance  = warnZeroVariance
)

func (d Draw) Verify() error                        { return d.verify() }
func (e Entry) ContentHash() (string, error)        { return e.contentHash() }
func (s LoopSettings) Stable(scores []float64) bool { return s.isStable(scores) }
func (s LoopSettings) Validate() error              { return s.validate() }

// Weight exports weight.
func (h OperatorHistory) Weight() float64 { return h.weight() }

// Judge is [Decide] without the noise, for simulations that decide many times.
func Judge(p Policy, e Evidence, draw Draw) (Decision, error) {
	d, _, err := judge(p, e, draw)
	return d.inScale(e.Scale), err
}
