package tracker_test

import (
	"crypto/rand"
	"fmt"
	"iter"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/importer"
	"track/internal/admission"
	"track/internal/testdb"
	"track/store"
	"track/tracker/agents"
	"track/tracker/exchange"
)

// oldRules mask only "password=…", and another word that today's rules leave alone.
func oldRules() *admission.Rules {
	rules := admission.New(false)
	rules.Version--
	rules.Mask = func(text string) (string, int) {
		words, n := strings.Split(text, " "), 0
		for i, w := range words {
			if value, ok := strings.CutPrefix(w, "password="); ok && !strings.HasPrefix(value, "[masked:") {
				words[i], n = "password=[masked:secret]", n+1
			}
			if w == "harmless" {
				words[i], n = "[masked:mistake]", n+1
			}
		}
		return strings.Join(words, " "), n
	}
	rules.LooksSecret = func(name string) (string, bool) {
		_, n := rules.Mask(name)
		return "secret", n > 0
	}
	return rules
}

// logOf is a log whose texts hold a secret that only today's rules find, one that both find, and a mistake of the old.
func logOf(key, output string, calls int) track.Execution {
	token := "gh" + "p_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	text := "use " + token + " and password=hun" + "ter2hunter2 in harmless words " + output
	e := track.Execution{
		Key: key, Lineage: "l", Version: "v1", Source: "log", Task: "t", Session: "s", Status: track.ExecutionError, Message: "failed with " + text, Output: &text,
	}
	for i := range calls {
		e.Calls = append(e.Calls, track.ToolCall{Key: fmt.Sprint(i), Tool: "Bash", Input: "run " + text, Error: "no " + text, Answered: true, Output: &text})
	}
	return e
}

func importWith(t *testing.T, st *store.Store, rules *admission.Rules, keep bool, list ...track.Execution) (recorded, duplicates, conflicts, unknown int) {
	t.Helper()
	st.Admit(rules)
	items := func(yield func(importer.Item, error) bool) {
		for i, e := range list {
			if !yield(importer.Item{File: "log", Line: i + 1, Execution: &e}, nil) {
				return
			}
		}
	}
	options := exchange.ImportOptions{Execution: agents.Options{KeepText: keep}}
	a, err := exchange.Import(t.Context(), st, iter.Seq2[importer.Item, error](items), options, rand.Reader, exchange.ImportObserver{})
	if err != nil || a.Skipped > 0 {
		t.Fatal(a, err)
	}
	return a.Executions, a.Duplicates, a.Conflicts, a.Uncompared
}

// Importing a log again after the rules have improved is no conflict, whether or not the executions have keys and their
// texts are kept. Another log is another execution.
func TestImportAfterBetterMasking(t *testing.T) {
	for _, keep := range []bool{false, true} {
		for _, key := range []string{"", "k"} {
			t.Run(fmt.Sprintf("keep %v, key %q", keep, key), func(t *testing.T) {
				st := testdb.New(t)
				if n, _, _, _ := importWith(t, st, oldRules(), keep, logOf(key, "A", 2)); n != 1 {
					t.Fatal(n)
				}
				n, duplicates, conflicts, unknown := importWith(t, st, admission.New(false), keep, logOf(key, "A", 2))
				if wantUnknown := map[bool]int{false: 4, true: 0}[keep]; n != 0 || duplicates != 1 || conflicts != 0 || unknown != wantUnknown {
					t.Errorf("the same log: %d new, %d duplicates, %d conflicts, %d texts unknown, want %d", n, duplicates, conflicts, unknown, wantUnknown)
				}
				n, _, conflicts, _ = importWith(t, st, admission.New(false), keep, logOf(key, "B", 2))
				if key == "" && n != 1 || key != "" && conflicts != 1 {
					t.Errorf("another output: %d new, %d conflicts", n, conflicts)
				}
			})
		}
	}
}

// Two machines that imported one log by different rules agree after they merged, in both directions and twice.
func TestMergeAfterBetterMasking(t *testing.T) {
	for _, key := range []string{"", "k"} {
		old, today := testdb.New(t), testdb.New(t)
		importWith(t, old, oldRules(), false, logOf(key, "A", 2))
		importWith(t, today, admission.New(false), false, logOf(key, "A", 2))
		old.Admit(admission.New(false)) // the program was updated since
		for round := range 2 {
			for _, m := range []struct{ to, from *store.Store }{{old, today}, {today, old}} {
				counts := answer.NewMergedFile("")
				err := exchange.Merge(t.Context(), m.to, m.from, &counts, exchange.MergeOptions{})
				if err != nil || counts.Executions.Conflicts != 0 || counts.Executions.Recorded != 0 {
					t.Errorf("key %q, round %d: %+v, error %v", key, round, counts.Executions, err)
				}
			}
		}
		var got []string
		for _, st := range []*store.Store{old, today} {
			rows, _, err := st.ExecutionRows(t.Context(), 0, 10)
			if err != nil || len(rows) != 1 {
				t.Fatal(rows, err)
			}
			c, err := st.ExecutionByRow(t.Context(), rows[0])
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(c.Message+*c.Output.Text, "gh"+"p_") {
				t.Error("a secret that today's rules find is recorded")
			}
			got = append(got, fmt.Sprintf("%s %s %x %d %s %s", c.ID, c.Key, c.Digest, c.Masking, c.Message, *c.Output.Text))
		}
		if got[0] != got[1] {
			t.Errorf("key %q: the databases differ:\n%s\n%s", key, got[0], got[1])
		}
	}
}

// The content of a version is compared as texts are, and the better masked one stays.
func TestVersionAfterBetterMasking(t *testing.T) {
	content := "Prompt with " + "gh" + "p_" + strings.Repeat("aB3dE6gH9k", 4)[:36] + " and harmless words"
	st := testdb.New(t)
	for i, rules := range []*admission.Rules{oldRules(), admission.New(false), oldRules()} {
		st.Admit(rules)
		v := track.Version{Lineage: "l", Name: "v1", Content: &content}
		if _, problem := rules.Admit(&v); problem != nil {
			t.Fatal(problem)
		}
		err := st.Update(t.Context(), func(tx *store.Tx) error {
			change, err := tx.AddVersion(v, false)
			if change == store.VersionConflict {
				t.Errorf("import %d is a conflict", i)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	v, err := st.Version(t.Context(), "l", "v1")
	if err != nil || strings.Contains(*v.Content, "gh"+"p_") || !strings.Contains(*v.Content, "harmless") {
		t.Errorf("%v, error %v", *v.Content, err)
	}
}
