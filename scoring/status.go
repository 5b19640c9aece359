package scoring

// Status is the verdict on one metric of one seed.
type Status string

// The statuses, from best to worst.
const (
	Pass Status = "PASS"
	Warn Status = "WARN"
	Fail Status = "FAIL"
)

// WorstStatus returns Fail if any status is Fail, else Warn if any is Warn, else Pass; Pass for none at all.
func WorstStatus(statuses ...Status) Status {
	worst := Pass
	for _, s := range statuses {
		switch s {
		case Fail:
			return Fail
		case Warn:
			worst = Warn
		}
	}
	return worst
}
