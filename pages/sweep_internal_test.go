package pages

import (
	"testing"

	"track"
	"track/answer"
)

// TestRunningCells checks which cells a sweep has of which no seed has ended: those that run.
func TestRunningCells(t *testing.T) {
	t.Parallel()
	m := running(answer.Sweep{
		RecordedSweep: answer.RecordedSweep{Scenario: "s"},
		Progress: answer.SweepProgress{NPlanned: 20, NRunning: 3, Configurations: []answer.ConfigurationProgress{
			{Configuration: "0123456789abcdef", Running: []track.SeedNumber{4, 2}}, {Configuration: "1", Label: "two", Running: []track.SeedNumber{3}}, {Configuration: "2"},
		}},
	})
	if len(m.Items) != 2 || len(m.Seeds) != 3 || m.Items[0].Name != "0123456789" || m.Items[0].Cells != ">_>" || m.Items[1].Name != "two" || m.Items[1].Cells != "_>_" {
		t.Errorf("%+v", m)
	}
	b := &builder{}
	if err := b.addHeatMap(m, nil, ".heatmap"); err != nil || len(b.view.Sections) != 1 || b.view.Sections[0].Title != "Configuration by seed" {
		t.Errorf("%+v, error %v", b.view.Sections, err)
	}
}
