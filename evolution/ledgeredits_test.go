package evolution_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"track/evolution"
)

// leaf is one value of a JSON text, by its path.
type leaf struct {
	path string
	edit func() // of the tree that it is part of
}

// leaves are the values of a tree that are no objects and no lists, empty ones apart. To edit one gives another value
// of its own type, where it has one.
func leaves(path string, value any, set func(any)) (list []leaf) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, leaves(path+"."+name, v[name], func(x any) { v[name] = x })...)
		}
		return list
	case []any:
		for i := range v {
			list = append(list, leaves(path+"["+strconv.Itoa(i)+"]", v[i], func(x any) { v[i] = x })...)
		}
		if len(v) == 0 {
			list = append(list, leaf{path, func() { set([]any{"x"}) }})
		}
		return list
	case string:
		return []leaf{{path, func() { set(otherText(v)) }}}
	case float64:
		return []leaf{{path, func() { set(v + 1) }}}
	case bool:
		return []leaf{{path, func() { set(!v) }}}
	}
	return []leaf{{path, func() { set(1) }}}
}

// otherText is a plausible other text: of a number another number, of a hexadecimal one another of its length.
func otherText(s string) string {
	if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return at.Add(time.Microsecond).Format(time.RFC3339Nano)
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		return strconv.FormatUint(n+1, 10)
	}
	if s == "" || len(s) >= 16 && !strings.ContainsAny(s, "ghijklmnopqrstuvwxyz ") {
		return strings.Map(func(r rune) rune {
			if r == 'a' {
				return 'b'
			}
			return 'a'
		}, s+strings.Repeat("b", max(0, 1-len(s))))
	}
	return s + "1"
}

// edits calls visit with a body for each leaf, in which that leaf is another, and with bodies that have a member more
// or less.
func edits(t testing.TB, body []byte, visit func(path string, edited []byte)) {
	t.Helper()
	tree := func() (v map[string]any) {
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i := range leaves("", tree(), nil) {
		v := tree()
		l := leaves("", v, nil)[i]
		l.edit()
		visit(strings.TrimPrefix(l.path, "."), []byte(asJSON(t, v)))
	}
	for _, name := range slices.Sorted(maps.Keys(tree())) {
		v := tree()
		delete(v, name)
		visit("without "+name, []byte(asJSON(t, v)))
	}
	v := tree()
	v["another"] = 1
	visit("another member", []byte(asJSON(t, v)))
}

// naming says whether a difference names an entry, by one of the fields if any are given.
func naming(list []evolution.Difference, number int, fields ...string) bool {
	return slices.ContainsFunc(list, func(d evolution.Difference) bool {
		return d.Number == number && (len(fields) == 0 || slices.Contains(fields, d.Field))
	})
}

// with is a ledger in which one entry is another.
func with(entries []evolution.Entry, i int, e evolution.Entry) []evolution.Entry {
	list := slices.Clone(entries)
	list[i] = e
	return list
}

// Any edit of any value of any body is found and named by the number of its entry. Where the forger computes the hash
// of the entry anew, the next one, or the end, shows it. Each is looked at next to the entry after it alone, since
// decisions take their time.
func TestReplayLedgerFindsEditedBodies(t *testing.T) {
	entries, end := wholeLedger(t)
	n := 0
	for i, e := range entries {
		var after []evolution.Entry
		if i < len(entries)-1 {
			after = entries[i+1 : i+2]
		}
		replay := func(e evolution.Entry) []evolution.Difference {
			return evolution.ReplayLedger(append([]evolution.Entry{e}, after...), end).Differences
		}
		chained := func(list []evolution.Difference) bool {
			if after == nil {
				return !naming(list, e.Number, "end")
			}
			return !naming(list, e.Number+1, "prev")
		}
		if list := replay(e); naming(list, e.Number, "hash") || !chained(list) {
			t.Errorf("entry %d (%s) as it is: %v", e.Number, e.Kind, list)
		}
		edits(t, e.Body, func(path string, edited []byte) {
			n++
			what := fmt.Sprintf("entry %d (%s): %s", e.Number, e.Kind, path)
			forged := e
			forged.Body = edited
			if list := replay(forged); !naming(list, e.Number, "hash") {
				t.Errorf("%s: %v", what, list)
			}
			hash, err := forged.ContentHash()
			if err != nil {
				t.Fatal(err)
			}
			forged.Hash = hash
			if list := replay(forged); naming(list, e.Number, "hash") || chained(list) {
				t.Errorf("%s, with its hash: %v", what, list)
			}
		})
	}
	if n < 1000 {
		t.Errorf("only %d edits", n)
	}
}

// So is any edit of the other fields.
func TestReplayLedgerFindsEditedFields(t *testing.T) {
	entries, end := wholeLedger(t)
	for i, e := range entries {
		replay := func(e evolution.Entry) []evolution.Difference { // next to the entries before and after it
			return evolution.ReplayLedger(with(entries, i, e)[max(0, i-1):min(len(entries), i+2)], end).Differences
		}
		base, attempt := replay(e), 7
		if e.Attempt != nil {
			attempt = *e.Attempt + 1
		}
		for field, edit := range map[string]func(e *evolution.Entry){
			"lineage": func(e *evolution.Entry) { e.Lineage = "other" },
			"number":  func(e *evolution.Entry) { e.Number += 100 },
			"kind": func(e *evolution.Entry) {
				e.Kind = map[evolution.Kind]evolution.Kind{evolution.KindProposal: evolution.KindRefusal, evolution.KindRefusal: evolution.KindProposal}[e.Kind]
			},
			"mutation":    func(e *evolution.Entry) { e.Mutation += "x" },
			"attempt":     func(e *evolution.Entry) { e.Attempt = &attempt },
			"no attempt":  func(e *evolution.Entry) { e.Attempt = nil },
			"at":          func(e *evolution.Entry) { e.At = e.At.Add(time.Microsecond) },
			"head_before": func(e *evolution.Entry) { e.HeadBefore = "v009" },
			"head_after":  func(e *evolution.Entry) { e.HeadAfter = "v009" },
			"body":        func(e *evolution.Entry) { e.Body = []byte(`{`) },
			"empty body":  func(e *evolution.Entry) { e.Body = nil },
			"two bodies":  func(e *evolution.Entry) { e.Body = []byte(string(e.Body) + "{}") },
			"twice": func(e *evolution.Entry) {
				e.Body = []byte(strings.Replace(string(e.Body), "{", `{"mutation":"x","mutation":"y",`, 1))
			},
			"prev":      func(e *evolution.Entry) { e.Prev = strings.Repeat("0", 64) },
			"no prev":   func(e *evolution.Entry) { e.Prev = "" },
			"hash":      func(e *evolution.Entry) { e.Hash = strings.Repeat("0", 64) },
			"no hash":   func(e *evolution.Entry) { e.Hash = "" },
			"not UTF-8": func(e *evolution.Entry) { e.Mutation += "\xff" },
		} {
			if field == "no attempt" && e.Attempt == nil || field == "no prev" && i == 0 {
				continue
			}
			forged := e
			edit(&forged)
			list := replay(forged)
			if !slices.ContainsFunc(list, func(d evolution.Difference) bool { return d.Number == forged.Number && !slices.Contains(base, d) }) {
				t.Errorf("entry %d (%s): %s: %v", e.Number, e.Kind, field, list)
			}
			var err error
			if forged.Hash, err = forged.ContentHash(); err != nil || forged.Hash == e.Hash {
				continue // the hash cannot be made good, or was all that was edited
			}
			if slices.Equal(replay(forged), base) {
				t.Errorf("entry %d (%s): %s, with its hash: %v", e.Number, e.Kind, field, list)
			}
		}
	}
}

// Entries that are missing, doubled, swapped, from elsewhere or invented.
func TestReplayLedgerFindsMovedEntries(t *testing.T) {
	entries, end := wholeLedger(t)
	n := len(entries)
	for i := range n {
		without := slices.Delete(slices.Clone(entries), i, i+1)
		r := evolution.ReplayLedger(without, end)
		if i < n-1 && !naming(r.Differences, i+2, "number", "prev") || i == n-1 && !naming(r.Differences, n-1, "end") {
			t.Errorf("without entry %d: %v", i+1, r.Differences)
		}
		if r := evolution.ReplayLedger(slices.Insert(slices.Clone(entries), i, entries[i]), end); !naming(r.Differences, i+1, "number") {
			t.Errorf("entry %d twice: %v", i+1, r.Differences)
		}
		if i == n-1 {
			continue
		}
		swapped := slices.Clone(entries)
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		swapped[i].Number, swapped[i+1].Number = i+1, i+2
		if r := evolution.ReplayLedger(swapped, end); !naming(r.Differences, i+1) || !naming(r.Differences, i+2) {
			t.Errorf("entries %d and %d swapped: %v", i+1, i+2, r.Differences)
		}
	}
	last := entries[n-1]
	if r := evolution.ReplayLedger(entries[:n-1], evolution.Head{}); len(r.Differences) > 0 {
		t.Errorf("only the end can tell that the last entry is missing: %v", r.Differences)
	}
	other := newBook(t, "another")
	other.propose("", "v002", "v001")
	foreign := with(entries, 1, other.entries[1])
	if r := evolution.ReplayLedger(foreign, end); !naming(r.Differences, 2, "lineage") {
		t.Errorf("an entry of another lineage: %v", r.Differences)
	}
	forged := evolution.Entry{Lineage: "l", Number: n + 1, Kind: last.Kind, At: last.At, HeadBefore: last.HeadAfter, HeadAfter: last.HeadAfter, Body: last.Body, Prev: last.Hash}
	forged.Hash, _ = forged.ContentHash()
	if r := evolution.ReplayLedger(append(slices.Clone(entries), forged), end); !naming(r.Differences, n+1, "end") {
		t.Errorf("an entry more: %v", r.Differences)
	}
}

// rehash computes every hash anew, as a forger does who goes all the way.
func rehash(t testing.TB, entries []evolution.Entry) (list []evolution.Entry, end evolution.Head) {
	t.Helper()
	list = slices.Clone(entries)
	for i := range list {
		if list[i].Prev = ""; i > 0 {
			list[i].Prev = list[i-1].Hash
		}
		var err error
		if list[i].Hash, err = list[i].ContentHash(); err != nil {
			t.Fatal(err)
		}
		end = evolution.Head{Number: list[i].Number, Hash: list[i].Hash}
	}
	return list, end
}

// unproven are the values that nothing else in a ledger follows from or leads to, so that only the hash, and the end
// that somebody wrote down, vouch for them: what was measured, said or set, and not computed. Of evidence these are
// times, and all of a trial that failed.
var unproven = map[evolution.Kind]string{
	evolution.KindCreation:      `subject|root\.id|settings\..*`, // no decision was made under the first settings
	evolution.KindSettings:      `reason|settings\.(score_from|operators.*|loop\..*|rollback\..*|policy|params.*)`,
	evolution.KindProposal:      `note|cost_usd|executions|risk|named|child\.label|parents\[\d\]\.label`,
	evolution.KindRefusal:       `executions|risk|named|child\.label|parents\[\d\]\.label|refusals\[\d\]\.(code|reason)`,
	evolution.KindWithdrawal:    `reason`,
	evolution.KindConsideration: `executions|state\..*|signals\..*|histories\..*`,
	evolution.KindRollback:      `executions|reason|from_score|to_score|tasks|state\..*`,
	evolution.KindDecision:      `evidence\.(child|parent)\[\d\]\.at|evidence\.child\[2\]\.(id|failed|key)|evidence\.(child|parent)\[0\].id|score\.(without|holdout)_(child|parent)|params\.effect`,
}

// Even with all hashes computed anew, a decision that does not follow from its evidence, its policy and its draw is
// found, and so is whatever else follows from another entry.
func TestReplayLedgerProvesItself(t *testing.T) {
	t.Parallel()
	entries, _ := wholeLedger(t)
	for i, e := range entries {
		free := regexp.MustCompile("^(" + unproven[e.Kind] + ")$")
		if e.Mutation == "by-name" || e.Mutation == "m-last" { // else the id follows from them
			free = regexp.MustCompile("^(" + unproven[e.Kind] + `|operator|child\.id)$`)
		}
		replay := func(forged evolution.Entry) string {
			list := with(entries, i, forged)
			if e.Kind != evolution.KindProposal { // other decisions take their time, and change nothing but states and heads
				list = slices.DeleteFunc(list, func(other evolution.Entry) bool {
					return other.Kind == evolution.KindDecision && other.Number != e.Number
				})
			}
			list, end := rehash(t, list)
			var found strings.Builder
			for _, d := range evolution.ReplayLedger(list, end).Differences {
				fmt.Fprintln(&found, d.Number, d.Field)
			}
			return found.String()
		}
		base := replay(e)
		edits(t, e.Body, func(path string, edited []byte) {
			if strings.HasPrefix(path, "without ") { // which reads as the zero value
				return
			}
			forged := e
			forged.Body = edited
			if replay(forged) == base && !free.MatchString(path) {
				t.Errorf("entry %d (%s): %s", e.Number, e.Kind, path)
			}
		})
	}
}
