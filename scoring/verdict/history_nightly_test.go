//go:build nightly

package verdict_test

import "testing"

// The two tests together keep their level of 5 % within a point.
func TestFalseAlarmsOfHistoriesWithinAPoint(t *testing.T) {
	if share := falseAlarms(2500); share < 0.04 || share > 0.06 {
		t.Errorf("%v of histories without a change show one, want 0.05", share)
	}
}
