//go:build !race

package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"track"
	"track/access"
	"track/answer"
	"track/internal/trackertest"
	"track/server"
	"track/store"
	"track/tracker/agents"
	"track/tracker/seeds"
	"track/tracker/tokens"
)

// What a server remembers between transactions is never older than what others have committed.
func TestChangesOfOthers(t *testing.T) {
	s := serve(t, nil)
	secret := s.token(access.Grant{Name: "sender", Scopes: []access.Scope{access.Record}})
	send := func(line, part string) {
		t.Helper()
		if response, body := s.do(http.MethodPost, server.LinesPath, secret, line); response.StatusCode != http.StatusOK || !strings.Contains(body, part) {
			t.Fatalf("%d: %s, want %s", response.StatusCode, body, part)
		}
	}
	numbered := func(number, rest string) string {
		return `{"kind":"seed","scenario":"growth","seed":"` + number + `","values":{"a":1}` + rest + `,"configuration":{"label":"sent"}}` + "\n"
	}
	of := answer.Selector{Scenario: "growth", Configuration: "sent"}
	version := func(number track.SeedNumber) int {
		t.Helper()
		a, err := seeds.ShowSeed(t.Context(), s.store.Reader, answer.SeedQuestion{Of: of, Seed: number})
		if err != nil {
			t.Fatal(err)
		}
		return a.Spec.Version
	}

	send(numbered("10", `,"series":{"u":[1,2,3]}`), `"recorded":1`)
	trackertest.AddSpec(t, s.store, trackertest.Ranges("growth", [2]float64{0, 20}))
	send(numbered("11", ""), `"recorded":1`)
	if before, after := version(10), version(11); before != 1 || after != 2 {
		t.Errorf("judged under versions %d and %d, want 1 and 2", before, after)
	}

	if _, err := s.store.PruneSeries(t.Context(), store.PruneRule{Before: s.now().Add(time.Hour)}, false); err != nil {
		t.Fatal(err)
	}
	send(numbered("12", `,"series":{"u":[1,2,3]}`), `"recorded":1`)
	if _, err := seeds.SummarizeSeries(t.Context(), s.store.Reader, answer.SeriesQuestion{Of: of, Seed: 12}); err != nil {
		t.Errorf("a series that was pruned and sent again: %v", err)
	}

	because := answer.Change{Reason: "wrong", Actor: "another"}
	if _, err := seeds.WithdrawConfiguration(t.Context(), s.store, answer.WithdrawConfigurationQuestion{Of: of, Change: because}); err != nil {
		t.Fatal(err)
	}
	send(numbered("13", ""), `"conflicts":1`)
	if _, err := seeds.RestoreConfiguration(t.Context(), s.store, answer.RestoreConfigurationQuestion{Of: of, Change: because}); err != nil {
		t.Fatal(err)
	}
	send(numbered("13", ""), `"recorded":1`)

	const spoken = `{"kind":"execution","lineage":"l","version":"v1","task":"t","key":"1","message":"m","output":"secret words"}` + "\n"
	send(spoken, `"recorded":1`)
	list, err := s.store.Executions(t.Context(), store.ExecutionFilter{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d executions, %v", len(list), err)
	}
	if e, err := s.store.Execution(t.Context(), list[0].ID); err != nil || e.Output == nil || e.Output.Text == nil {
		t.Fatalf("%+v, %v: nothing to forget", e.Output, err)
	}
	if _, err := agents.ForgetExecutions(t.Context(), s.store, answer.ForgetExecutionQuestion{IDs: []string{list[0].ID}}); err != nil {
		t.Fatal(err)
	}
	send(spoken, `"duplicates":1`)
	if again, err := s.store.Execution(t.Context(), list[0].ID); err != nil || again.Output == nil || again.Output.Text != nil {
		t.Errorf("after it was forgotten: %+v, %v", again.Output, err)
	}

	if _, err := tokens.Revoke(t.Context(), s.store, answer.RevokeTokenQuestion{Name: "sender"}); err != nil {
		t.Fatal(err)
	}
	if response, body := s.do(http.MethodPost, server.LinesPath, secret, numbered("14", "")); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("with a revoked token: %d: %s", response.StatusCode, body)
	}
}
