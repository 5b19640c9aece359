package scoring

// Status is the verdict on one metric of one seed.
type Status string

// The statuses, from best to worst.
const (
	Pass Status = "PASS"
	Warn Status = "WARN"
	Fail Status = "FAIL"
)

// PackedStatus is a [Status] in one byte, for one of each metric in each of many seeds. Its zero value is no status.
type PackedStatus int8

// Pack returns a status in one byte.
func Pack(s Status) PackedStatus {
	switch s {
	case Pass:
		return 1
	case Warn:
		return 2
	case Fail:
		return 3
	}
	return 0
}

// Status returns the status; empty for none.
func (p PackedStatus) Status() Status { return [...]Status{"", Pass, Warn, Fail}[p] }

// MarshalText implements [encoding.TextMarshaler].
func (p PackedStatus) MarshalText() ([]byte, error) { return []byte(p.Status()), nil }

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
