package evolution

// Alternative is what another policy would have decided on the evidence and with the draw of a record.
type Alternative struct {
	Record   Record
	Decision Decision
	Err      error // if the policy could not decide at all
	Same     bool  // the state is the same
}

// Counterfactual asks another policy about the evidence of each record. It answers for each decision alone: under that
// policy, later versions would have differed, and more or less evidence would have been gathered. It often needs more
// evidence than is recorded, and then says how much.
func Counterfactual(records []Record, p Policy) []Alternative {
	list := make([]Alternative, len(records))
	for i, r := range records {
		d, err := Decide(p, r.Evidence, r.Draw)
		list[i] = Alternative{Record: r, Decision: d, Err: err, Same: err == nil && d.State == r.Decision.State}
	}
	return list
}
