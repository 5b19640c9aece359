package evolution_test

import (
	"testing"
	"time"

	"track/evolution"
)

// A replay finds an adoption that changes nothing, or whose mutation made another version.
func TestReplayAdoption(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	score := 0.75
	for _, tt := range []struct {
		adoption evolution.Adoption
		differs  string
	}{
		{evolution.Adoption{Version: evolution.VersionRef{Label: "v002"}, VersionMutation: "p2", Source: "gepa", Score: &score}, ""},
		{evolution.Adoption{Version: evolution.VersionRef{Label: "v003"}, Source: "gepa"}, ""},
		{evolution.Adoption{Version: evolution.VersionRef{Label: "v001"}, Source: "gepa"}, "version"},
		{evolution.Adoption{Version: evolution.VersionRef{Label: "v002"}, VersionMutation: "p9", Source: "gepa"}, "version_mutation"},
		{evolution.Adoption{Version: evolution.VersionRef{Label: "v003"}, VersionMutation: "p2", Source: "gepa"}, "version_mutation"},
	} {
		var entries []evolution.Entry
		add := func(kind evolution.Kind, body any, head string) {
			var prev evolution.Entry
			if n := len(entries); n > 0 {
				prev = entries[n-1]
			}
			e, err := evolution.NewEntry(prev, "l", kind, body, head, at)
			if err != nil {
				t.Fatal(err)
			}
			entries = append(entries, e)
		}
		root, child := evolution.VersionRef{Label: "v001"}, evolution.VersionRef{Label: "v002"}
		add(evolution.KindCreation, evolution.Creation{Seed: 1, Subject: "agent", Root: &root, Source: "gepa", Settings: evolution.DefaultSettings()}, "v001")
		add(evolution.KindProposal, evolution.Proposal{
			Mutation: "p2", Number: 1, Named: true, Parents: []evolution.VersionRef{root}, Child: child, Operator: "o", Risk: evolution.Medium, Source: "gepa",
		}, "v001")
		add(evolution.KindAdoption, tt.adoption, tt.adoption.Version.Label)
		last := entries[len(entries)-1]
		replayed := evolution.ReplayLedger(entries, evolution.Head{Number: last.Number, Hash: last.Hash})
		got := ""
		for _, d := range replayed.Differences {
			got += d.Field
		}
		if got != tt.differs || replayed.Head != tt.adoption.Version.Label {
			t.Errorf("%+v: differs in %q, want %q; active: %s", tt.adoption, got, tt.differs, replayed.Head)
		}
	}
}
