package track

// Disposition says what became of a record that was handed over.
type Disposition string

// The dispositions.
const (
	Recorded     Disposition = "recorded"     // stored, and judged if its scenario has a spec
	Duplicate    Disposition = "duplicate"    // the same is already recorded; nothing was stored
	Conflict     Disposition = "conflict"     // something else is recorded under the same identity; nothing was stored
	Replaced     Disposition = "replaced"     // stored in place of another record
	Contradicted Disposition = "contradicted" // its values are not the ones that its series give; nothing was stored
)
