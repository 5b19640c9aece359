package storetest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/store"
)

// found returns where texts match, as execution, kind and call, the best first.
func found(t *testing.T, st *store.Store, f store.TextFilter) (list []string) {
	t.Helper()
	if err := st.IndexTexts(t.Context(), func(int) {}); err != nil {
		t.Fatal(err)
	}
	if f.Limit == 0 {
		f.Limit = 10
	}
	texts, n, err := st.SearchTexts(t.Context(), f)
	if err != nil || n < len(texts) {
		t.Fatalf("%d of %d texts, %v", len(texts), n, err)
	}
	for _, text := range texts {
		list = append(list, fmt.Sprintf("%s %s %d", text.Execution, text.Kind, text.Call))
	}
	if n > len(texts) {
		list = append(list, fmt.Sprint("of ", n))
	}
	return list
}

func testSearch(t *testing.T, st *store.Store) {
	expect := func(f store.TextFilter, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, found(t, st, f)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", f, diff)
		}
	}
	phrase := func(phrases ...string) store.TextFilter { return store.TextFilter{Phrases: phrases} }
	expect(phrase("anything"))

	second := "v2"
	prompt, answer, output := "Please count the Äpfel", "There are seven apples zanzibar", "seven of seven; zanzibar's \"quoted\" word"
	ids := addExecutions(t, st,
		store.ExecutionRecord{Execution: track.Execution{
			Key: "a", Version: "v1", Model: "m", Prompt: &prompt, Output: &answer, Message: "stopped early", Status: track.ExecutionError,
			Calls: []track.ToolCall{{Tool: "Bash", Input: "wc seven", Output: &output, Answered: true}, {Tool: "Bash", Input: "grep x", Error: "no such file", Answered: true}},
		}},
		store.ExecutionRecord{Execution: track.Execution{Key: "b", Lineage: "other", Version: "v2", Output: &answer}},
	)
	if n, err := st.CountUnindexed(t.Context()); err != nil || n != 2 {
		t.Errorf("%d executions wait, %v", n, err)
	}
	for query, want := range map[string]string{"apfel": " prompt 0", "early": " message 0", "WC": " input 1", "quoted": " output 1", "no such file": " error 2", "grep": " input 2"} {
		expect(phrase(query), ids[0]+want)
	}
	expect(phrase("seven apples", "zanzibar"), ids[0]+" answer 0", ids[1]+" answer 0")
	expect(phrase("apples seven"))
	expect(store.TextFilter{Phrases: []string{"seven"}, Kind: "answer", Lineage: "l"}, ids[0]+" answer 0")
	expect(store.TextFilter{Phrases: []string{"zanzibar"}, Version: &second}, ids[1]+" answer 0")
	expect(store.TextFilter{Phrases: []string{"zanzibar"}, Model: "m", Kind: "output"}, ids[0]+" output 1")
	expect(store.TextFilter{Phrases: []string{"seven"}, Limit: 1}, ids[0]+" input 1", "of 4")
	for _, hostile := range []string{`"`, `a" OR "b`, "NEAR(a b)", "*", "^a", "a AND", "text:x", "-a", "\x00", "(", "{a b}:c", strings.Repeat(`"`, 99)} {
		expect(phrase(hostile))
	}

	// What takes the place of an execution, and what is forgotten, is not found any more.
	other := "eight pears"
	replacement := execution(st, store.ExecutionRecord{Execution: track.Execution{ID: ids[1], Key: "b", Lineage: "other", Version: "v2", Output: &other}})
	update(t, st, func(tx *store.Tx) error {
		existing, err := tx.AddExecution(replacement)
		if err != nil {
			return err
		}
		return tx.ReplaceExecution(*existing, replacement)
	})
	expect(phrase("pears"), ids[1]+" answer 0")
	expect(store.TextFilter{Phrases: []string{"zanzibar"}, Version: &second})
	if err := st.Forget(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	expect(phrase("zanzibar"))
	expect(phrase("pears"), ids[1]+" answer 0")
	if file, err := os.ReadFile(st.Path()); !store.IsServer(st.Path()) && (err != nil || strings.Contains(string(file), "zanzibar")) {
		t.Errorf("the index still has what was forgotten, %v", err)
	}
	if err := st.RebuildIndex(t.Context(), func(int) {}); err != nil {
		t.Fatal(err)
	}
	expect(phrase("pears"), ids[1]+" answer 0")
	checkRows(t, st)
}

func testFindNames(t *testing.T, st *store.Store) {
	ids := addExecutions(t, st,
		store.ExecutionRecord{Execution: track.Execution{Key: "a", Lineage: "growth_agent", Version: "Growth_v1"}},
		store.ExecutionRecord{Execution: track.Execution{Key: "b", Lineage: "other", Version: "growthXv1"}},
	)
	update(t, st, func(tx *store.Tx) error {
		seed, digest := complete(st, track.Seed{Scenario: "growth_plus", Configuration: track.Configuration{Label: "Growth_2"}, Values: map[string]float64{"growth_rate": 1}})
		_, _, err := tx.AddSeed(seed, digest)
		return err
	})
	expect := func(text, of string, limit int, want ...string) {
		t.Helper()
		found, err := st.FindNames(t.Context(), text, of, limit)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range found {
			list = append(list, f.Kind+" "+strings.Trim(f.Scenario+"/"+f.Lineage, "/")+" "+f.Name)
		}
		if diff := cmp.Diff(want, list); diff != "" {
			t.Errorf("%q of %q (-want +got):\n%s", text, of, diff)
		}
	}
	configuration := "configuration growth_plus Growth_2"
	expect("GROWTH_", "", 9, "scenario growth_plus growth_plus", configuration, "lineage growth_agent growth_agent", "version growth_agent Growth_v1", "metric growth_plus growth_rate")
	expect("growth", "", 1, "scenario growth_plus growth_plus", configuration, "lineage growth_agent growth_agent", "version growth_agent Growth_v1", "version other growthXv1", "metric growth_plus growth_rate")
	expect("v1", "other", 9, "version other growthXv1")
	expect("growth_2", "growth_plus", 9, configuration)
	expect("%", "", 9)
	expect("!", "", 9)
	expect(strings.ToLower(ids[0]), "", 9, "execution growth_agent "+ids[0])
	found, err := st.FindNames(t.Context(), "growth_2", "", 9)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	hash := found[0].Configuration
	expect(hash[:3], "", 9)
	expect(hash[:7], "", 9, configuration)
	expect(hash[1:], "", 9)
}

// checkRows reports what a check finds in a sound database.
func checkRows(t *testing.T, st *store.Store) {
	t.Helper()
	if err := st.CheckRows(t.Context(), func(d store.Damage) { t.Errorf("%+v", d) }); err != nil {
		t.Error(err)
	}
}
