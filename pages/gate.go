package pages

import (
	"context"

	"track/ask"
)

// composeGate shows a row for each rule of a gate. Of one scenario no row repeats its name.
func composeGate(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.GatePreview(), b.asked)
	if err != nil {
		return err
	}
	b.lead(a.Lead())
	for _, t := range a.Tables() {
		if len(a.Scenarios) == 1 {
			t = withoutColumn(t, "scenario")
		}
		b.addTable(t)
	}
	return b.ofScenario()
}
