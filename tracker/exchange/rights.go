package exchange

import (
	"fmt"
	"strings"

	"track"
)

// Rights say what a caller may bring into a database.
type Rights uint8

// The rights.
const (
	BringFacts       Rights = 1 << iota // seeds, executions, sweeps, series, specs and versions
	bringJudgements                     // statuses and scores that another database gave, and interim analyses
	bringPins                           // pins of baselines
	bringLedgers                        // lineages with their decisions
	bringTombstones                     // what was forgotten elsewhere is forgotten here
	bringWithdrawals                    // what was withdrawn or restored elsewhere

	// Owner has all rights: a merge by the owner of the database.
	Owner = BringFacts | bringJudgements | bringPins | bringLedgers | bringTombstones | bringWithdrawals
)

// include reports whether all of some other rights are among the rights.
func (r Rights) include(others Rights) bool { return others&^r == 0 }

// String names the rights.
func (r Rights) String() string {
	var names []string
	for i, name := range []string{"facts", "judgements", "baselines", "ledgers", "tombstones", "withdrawals"} {
		if r&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// refuse says why a record that needs more rights is not stored.
func (r Rights) refuse(needed Rights) *track.FieldError {
	return &track.FieldError{
		Field: "kind", Message: fmt.Sprintf("only the owner of the database can bring %s: import the lineage, or merge the databases", needed&^r),
	}
}
