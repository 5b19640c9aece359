package evolution_test

import (
	"slices"
	"testing"

	"track/evolution"
)

// fourStages are minutes: 0 the parent before, 100 stage 1 of the child, 200 pairs after it.
func confirmEvidence(parent, stage1 []float64, differences ...float64) evolution.Evidence {
	e := evolution.Evidence{Parent: trialsFrom("p", 0, parent...), Child: trialsFrom("c", 100, stage1...)}
	for i, d := range differences {
		e.Child = append(e.Child, trialsFrom("c", 200+i, 50+d)...)
		e.Parent = append(e.Parent, trialsFrom("p", 200+i, 50)...)
	}
	return e
}

func TestConfirmStages(t *testing.T) {
	five := []float64{58, 60, 62, 60, 60} // mean 60
	old := []float64{59, 60, 58}          // mean 59
	for name, c := range map[string]struct {
		e     evolution.Evidence
		state evolution.State
		label evolution.Label
	}{
		"fewer than n1":             {confirmEvidence(old, five[:4]), evolution.Continue, evolution.NeedsEvidence},
		"no parent":                 {confirmEvidence(nil, five), evolution.Continue, evolution.NeedsEvidence},
		"above the parent":          {confirmEvidence(old, five), evolution.Continue, evolution.NeedsEvidence},
		"equal is not above":        {confirmEvidence([]float64{60}, five), evolution.Reject, evolution.ScreenedOut},
		"below":                     {confirmEvidence([]float64{60.01}, five), evolution.Reject, evolution.ScreenedOut},
		"14 of 15 pairs":            {confirmEvidence(old, five, alternating(9, 1, 14)...), evolution.Continue, evolution.NeedsEvidence},
		"confirmed":                 {confirmEvidence(old, five, alternating(9, 1, 15)...), evolution.Accept, evolution.Improvement},
		"not confirmed":             {confirmEvidence(old, five, alternating(0, 1, 15)...), evolution.Reject, evolution.NoImprovement},
		"only the first 15 count":   {confirmEvidence(old, five, append(alternating(0, 1, 15), repeat(50, 15)...)...), evolution.Reject, evolution.NoImprovement},
		"later pairs do not screen": {confirmEvidence([]float64{60.01}, five, alternating(9, 1, 15)...), evolution.Reject, evolution.ScreenedOut},
	} {
		if d := decide(t, policy(t, "confirm", ""), c.e); d.State != c.state || d.Label != c.label {
			t.Errorf("%s: %s, %s", name, d.State, d.Label)
		}
	}
}

// Stage 1 chose the child because it was lucky there, so its trials have no part in the fitness on record.
func TestOnlyStage2IsRecorded(t *testing.T) {
	d := decide(t, policy(t, "confirm", ""), confirmEvidence([]float64{40}, repeat(99, 5), alternating(9, 1, 15)...))
	if want := 59.0 + 1.0/15; *d.Fitness < want-1e-6 || *d.Fitness > want+1e-6 || *d.OldScore != 50 || d.NPairs != 15 {
		t.Errorf("records %v, want %v", *d.Fitness, want)
	}
	if slices.ContainsFunc(d.UsedChild, func(u evolution.Use) bool { return u.Score == 99 }) {
		t.Errorf("uses a trial of stage 1: %+v", d.UsedChild)
	}
	for name, e := range map[string]evolution.Evidence{
		"waiting":  confirmEvidence([]float64{40}, repeat(99, 5), 1, 2, 3),
		"screened": confirmEvidence([]float64{40}, repeat(30, 5)),
	} {
		if d := decide(t, policy(t, "confirm", ""), e); d.Fitness != nil {
			t.Errorf("%s: records %v", name, *d.Fitness)
		}
	}
}

// A trial that stage 1 looked at is not fresh: the parent's old trials on the same tasks make no pair.
func TestPairsAreFresh(t *testing.T) {
	e := confirmEvidence([]float64{50, 50, 50}, repeat(60, 5))
	old := trialsFrom("c", 300, repeat(60, 3)...)
	for i := range old {
		old[i].Key = e.Parent[i].Key
	}
	e.Child = append(e.Child, old...)
	d := decide(t, policy(t, "confirm", ""), e)
	if d.NPairs != 0 || d.Need == nil || d.Need.Pairs != 15 || !d.Need.Fresh {
		t.Fatalf("%d pairs, %+v", d.NPairs, d.Need)
	}
	if !slices.Equal(d.Need.ParentKeys, []string{"k0", "k1", "k2"}) || d.Need.Child != 12 || d.Need.Parent != 15 {
		t.Errorf("%+v", d.Need)
	}
}

// A parent that was first measured after the child is screened with its first n1.
func TestParentMeasuredLater(t *testing.T) {
	late := evolution.Evidence{Child: trialsFrom("c", 0, repeat(60, 5)...), Parent: trialsFrom("p", 100, repeat(50, 4)...)}
	if d := decide(t, policy(t, "confirm", ""), late); d.State != evolution.Continue || d.Need.Parent != 1 || d.Need.Child != 0 {
		t.Errorf("%+v", d.Need)
	}
	late.Parent = trialsFrom("p", 100, repeat(70, 5)...)
	if d := decide(t, policy(t, "confirm", ""), late); d.Label != evolution.ScreenedOut || len(d.UsedParent) != 5 {
		t.Errorf("%s by %d trials", d.Label, len(d.UsedParent))
	}
}
