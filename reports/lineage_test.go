package reports_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"track/answer"
	"track/evolution"
	"track/reports"
	"track/reports/chart"
	"track/reports/document"
)

// lineageBuilder makes the ledger of a lineage, and the data of its report.
type lineageBuilder struct {
	t    testing.TB
	data answer.LineageReport
	last evolution.Entry
	step int
	risk evolution.Risk // of proposals
}

func newLineage(t testing.TB, name string) *lineageBuilder {
	b := &lineageBuilder{t: t, risk: evolution.Low, data: answer.LineageReport{Name: name, Subject: "agent", Seed: "7", SHA256: strings.Repeat("ab", 32), Schema: 7, Settings: evolution.DefaultSettings()}}
	b.data.Settings.Policy, b.data.Settings.Params = "threshold", []byte(`{"explore":-3,"explore_p":0.2,"marginal":0,"significant":5}`)
	root := b.version("one\ntwo\n", 60, 62, 61)
	b.entry(evolution.KindCreation, evolution.Creation{Seed: 7, Subject: "agent", Root: &root, Settings: b.data.Settings}, "v001")
	return b
}

func (b *lineageBuilder) entry(kind evolution.Kind, body any, head string) {
	b.t.Helper()
	b.step++
	e, err := evolution.NewEntry(b.last, b.data.Name, kind, body, head, time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC).Add(time.Duration(b.step)*time.Hour))
	if err != nil {
		b.t.Fatal(err)
	}
	b.last = e
	b.data.Entries, b.data.End = append(b.data.Entries, e), evolution.Head{Number: e.Number, Hash: e.Hash}
}

// version adds a version with the scores of its trials, which are of the tasks t0, t1, …
func (b *lineageBuilder) version(content string, scores ...float64) evolution.VersionRef {
	n := len(b.data.Versions) + 1
	v := answer.ReportedVersion{Label: evolution.VersionLabel(n), Content: &content, ContentID: evolution.VersionID([]byte(content))}
	for i, s := range scores {
		b.trial(&v, i, s)
	}
	b.data.Versions = append(b.data.Versions, v)
	return evolution.VersionRef{Label: v.Label, ID: v.ContentID}
}

func (b *lineageBuilder) trial(v *answer.ReportedVersion, i int, score float64) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(len(b.data.Versions)*100+i) * time.Minute)
	v.Trials = append(v.Trials, evolution.Trial{ID: fmt.Sprintf("%s-%d", v.Label, i), Key: fmt.Sprintf("t%d", i%10), At: at, Score: &score, Under: "own"})
}

// propose proposes a child of a version; parent counts from 0.
func (b *lineageBuilder) propose(parent int, operator, note string, scores ...float64) evolution.Proposal {
	b.t.Helper()
	p := b.data.Versions[parent]
	child := b.version(fmt.Sprintf("one\ntwo\n%d %s\n", len(b.data.Versions), operator), scores...)
	n := 0
	for _, e := range b.data.Entries {
		if e.Kind == evolution.KindProposal || e.Kind == evolution.KindRefusal {
			n++
		}
	}
	proposal := evolution.Proposal{
		Number: n + 1, Parents: []evolution.VersionRef{{Label: p.Label, ID: p.ContentID}}, Child: child, Operator: operator, Risk: b.risk, Note: note,
	}
	proposal.Mutation = proposal.ID()
	b.entry(evolution.KindProposal, proposal, b.last.HeadAfter)
	return proposal
}

// mutate proposes and decides a child of a version; parent counts from 0.
func (b *lineageBuilder) mutate(parent int, operator, note string, scores ...float64) evolution.Decision {
	b.t.Helper()
	p, head := b.data.Versions[parent], b.last.HeadAfter
	proposal := b.propose(parent, operator, note, scores...)
	draw := evolution.NewDraw(evolution.DrawKey{Seed: 7, Lineage: b.data.Name, Mutation: proposal.Mutation, Label: evolution.LabelExplore})
	policy, err := evolution.ParsePolicy(b.data.Settings.Policy, b.data.Settings.Params)
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := evolution.NewRecord(policy, evolution.Evidence{Child: b.data.Versions[len(b.data.Versions)-1].Trials, Parent: p.Trials, Since: b.last.At, Scale: b.data.Settings.Scale}, draw)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Settings = b.data.Settings.Number
	b.entry(evolution.KindDecision, r, evolution.HeadAfter(r.Decision, head, p.Label, proposal.Child.Label))
	return r.Decision
}

// refuse proposes a child of a version that is not tried, though it has scores.
func (b *lineageBuilder) refuse(parent int, refusals []evolution.Refusal, scores ...float64) {
	b.t.Helper()
	p := b.data.Versions[parent]
	child := b.version(fmt.Sprintf("refused %d\n", len(b.data.Versions)), scores...)
	n := 0
	for _, e := range b.data.Entries {
		if e.Kind == evolution.KindProposal || e.Kind == evolution.KindRefusal {
			n++
		}
	}
	proposal := evolution.Proposal{
		Number: n + 1, Parents: []evolution.VersionRef{{Label: p.Label, ID: p.ContentID}}, Child: child, Operator: "rephrase", Risk: evolution.Low, Refusals: refusals,
	}
	proposal.Mutation = proposal.ID()
	b.entry(evolution.KindRefusal, proposal, b.last.HeadAfter)
}

// set puts other limits in force.
func (b *lineageBuilder) set(perDay, highPerDay int) {
	b.data.Settings.Number++
	b.data.Settings.Loop.MaxPerDay, b.data.Settings.Loop.MaxHighPerDay = perDay, highPerDay
	b.entry(evolution.KindSettings, evolution.SettingsChange{Settings: b.data.Settings}, b.last.HeadAfter)
}

func (b *lineageBuilder) rollback(to string) {
	b.entry(evolution.KindRollback, evolution.RollbackEvent{Rollback: evolution.Rollback{Trigger: evolution.TriggerHand, From: b.last.HeadAfter, To: to, Reason: "it | was `better`"}, Settings: b.data.Settings.Number}, to)
}

func (b *lineageBuilder) report() document.Document {
	b.t.Helper()
	b.data.Replayed = evolution.ReplayLedger(b.data.Entries, b.data.End)
	if d := b.data.Replayed.Differences; len(d) > 0 {
		b.t.Fatalf("the ledger of the test does not replay: %v", d)
	}
	d, err := reports.Lineage(b.data)
	if err != nil {
		b.t.Fatal(err)
	}
	return d
}

// textOf is everything that blocks say, a line each.
func textOf(blocks []document.Block) string {
	var s strings.Builder
	span := func(t document.Text) {
		for _, part := range t {
			s.WriteString(part.Text)
		}
		s.WriteByte('\n')
	}
	for _, b := range blocks {
		switch b := b.(type) {
		case document.Heading:
			s.WriteString("# " + b.Text + "\n")
		case document.Paragraph:
			span(b.Text)
		case document.List:
			for _, item := range b.Items {
				span(item)
			}
		case document.Table:
			for _, row := range b.Rows {
				for _, cell := range row {
					for _, part := range cell {
						s.WriteString(part.Text)
					}
					s.WriteString(" | ")
				}
				s.WriteByte('\n')
			}
		case document.Code:
			s.WriteString(b.Text)
		case document.Details:
			span(b.Summary)
			s.WriteString(textOf(b.Blocks))
		case document.Note:
			s.WriteString(textOf(b.Blocks))
		}
	}
	return s.String()
}

func wantText(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The sections stand in their order, and each says what happened.
func TestLineageReport(t *testing.T) {
	b := newLineage(t, "sepa")
	if d := b.mutate(0, "rephrase", "", 70, 71, 72); !d.Accepted {
		t.Fatal(d)
	}
	if d := b.mutate(1, "reorder", "", 50, 51, 49); d.Accepted {
		t.Fatal(d)
	}
	b.mutate(1, "example_inject", "a note", 80, 82, 81)
	b.rollback("v002")
	for i := range 4 { // trials of the version in force, after it was chosen
		b.trial(&b.data.Versions[1], 10+i, 66+float64(i))
	}
	b.data.Totals = answer.LineageTotals{Executions: 16, Failed: 1, Seconds: 90, NSeconds: 15, TokensInput: 10, TokensOutput: 20, NTokens: 16}
	text := textOf(b.report().Blocks)
	position := 0
	for _, heading := range []string{"Alerts", "Path to the active version", "Scores", "Decisions", "Operators", "What each step changed", "Rollbacks", "Noise", "Cost and time", "How to reproduce"} {
		at := strings.Index(text, "# "+heading+"\n")
		if at < position {
			t.Errorf("%s stands at %d, behind %d", heading, at, position)
		}
		position = max(at, position)
	}
	wantText(t, text,
		// The mean is that of the four trials after the choice: 66, 67, 68 and 69; the root has 60, 62 and 61 on the
		// first three tasks.
		"v002 is active: mean score 67.50 (95% t interval 65.45 to 69.55, n = 4), from trials after it was chosen; gain over the root v001: +6.00 (95% paired t interval +3.52 to +8.48, on 3 common tasks)", "Replay: 3/3 decisions verified, 8 entries of the ledger, evidence not compared with recorded trials, no difference; policy threshold; 3 mutations: 2 accepted, 1 rejected.",
		"v002 | active | 67.50 | 4 | v001 | rephrase | 61.04 → 71.07 | +10.04 | 2, 1 rejected | ", "v001 → v002 by rephrase: +1 −0", "+1 rephrase\n",
		" | by_hand | - → - | it | was `better` | ", "16 executions, 1 failed", "time: 90.0 s (known for 15 of 16)", "tokens: 10 in, 20 out\n",
		"seed of all draws: 7; algorithm: sha256-u53/1", b.data.End.Hash, "track replay --lineage sepa --strict",
	)
}

// What the replay found differing is said in the verdict, in the alerts, and beside the decision.
func TestLineageReportDiffers(t *testing.T) {
	b := newLineage(t, "sepa")
	b.mutate(0, "rephrase", "", 70, 71, 72)
	b.data.Differences = []evolution.Difference{{Number: 3, Kind: evolution.KindDecision, Mutation: "m", Field: "decision.label", Stored: "a", Replayed: "b"}}
	wantText(t, textOf(b.report().Blocks), "1 difference; policy", "The replay differs from the stored ledger", "entry 3, decision on mutation m: decision.label: the ledger has a, the replay gives b", "✗ differs")
}

// Each side of a difference is called what it is; evidence that is not recorded here is no difference, and has its
// own alert.
func TestLineageReportEvidence(t *testing.T) {
	b := newLineage(t, "sepa")
	b.mutate(0, "rephrase", "", 70, 71, 72)
	wantText(t, textOf(b.report().Blocks), "3 entries of the ledger, evidence not compared with recorded trials, no difference; policy")
	b.data.Compared = 6
	wantText(t, textOf(b.report().Blocks), "3 entries of the ledger, 6 trials of evidence compared with the recorded trials, no difference; policy", "| accept | ✓ |")
	missing := evolution.Difference{Number: 3, Kind: evolution.KindDecision, Mutation: b.data.Entries[1].Mutation, Field: "evidence.child[a]"}
	b.data.Missing = []evolution.Difference{missing, missing}
	wantText(t, textOf(b.report().Blocks), "compared with the recorded trials, 2 of them not recorded here, no difference; policy", "| accept | ✓ without evidence |",
		"Evidence that is not recorded here and was not compared\nv002 (mutation 1, "+missing.Mutation+"), entry 3: 2 of 6 trials\n")
	b.data.Differences = []evolution.Difference{
		{Number: 3, Kind: evolution.KindDecision, Mutation: "m", Attempt: 1, Field: "evidence.child[e3]", Stored: "score 59.5", Replayed: "score 99"},
		{Number: 3, Kind: evolution.KindDecision, Field: "end", Stored: "3 ab", Replayed: "4 cd"},
		{Kind: "mutation", Mutation: "m", Field: "delta", Stored: "6.68", Replayed: "9.68"},
		{Kind: "version", Field: "v003.content", Stored: "ab", Replayed: "cd"},
	}
	wantText(t, textOf(b.report().Blocks), "2 of them not recorded here, 4 differences; policy", "| accept | ✗ differs |",
		"entry 3, decision on mutation m, attempt 1: evidence.child[e3]: decided on score 59.5; now recorded: score 99\n",
		"entry 3, decision: the ledger ends with 3 ab, but the table of lineages says 4 cd\n",
		"row of mutation m: delta: the table has 6.68, the ledger gives 9.68\n",
		"row of version: v003.content: the table has ab, the ledger gives cd\n")
}

// A lineage that only began, and one without any version.
func TestLineageReportEmpty(t *testing.T) {
	b := newLineage(t, "new")
	wantText(t, textOf(b.report().Blocks), "v001 is active: mean score 61.00", "There are no decisions yet.", "There are no mutations yet.", "None. The replay agrees")
	wantText(t, textOf(b.report().Blocks), "v001 | active | 61.00 | 3 | - | - | - | - | - | \n", "In the chart, 0 is the root.\n", "There are no candidates yet. ")
	b.data.Versions[0].Trials = nil
	wantText(t, textOf(b.report().Blocks), "v001 is active: no score yet", "Unknown: no version has two scores.")
}

// Of many decisions and steps the newest are shown, and the others counted.
func TestLineageReportLong(t *testing.T) {
	b := newLineage(t, "it's")
	const n = 500
	for i := range n {
		score := 61.5 + float64(i)/20
		if d := b.mutate(i, "rephrase", "", score-1, score, score+1); !d.Accepted {
			t.Fatal(i, d.Label)
		}
	}
	text := textOf(b.report().Blocks)
	wantText(t, text, "(481 versions between)", "70 earlier decisions are left out", "400 earlier decisions", "470 earlier ones are left out", "500 mutations: 500 accepted")
	wantText(t, text, `track query 'SELECT * FROM v_decision WHERE lineage = '\''it'\'''\''s'\''' --format csv`) // as a shell and SQL read it
	if rows := strings.Count(text, "| accept | ✓ |"); rows != 430 {
		t.Errorf("%d rows of decisions", rows)
	}
}

// Proposals that the source of a run rejected are counted as withdrawn, and are not said to be few.
func TestLineageReportWithdrawn(t *testing.T) {
	b := newLineage(t, "sepa")
	for range 2 {
		proposal := b.propose(0, "rephrase", "")
		b.entry(evolution.KindWithdrawal, evolution.Withdrawal{Mutation: proposal.Mutation, Reason: "a mistake"}, b.last.HeadAfter)
	}
	b.mutate(0, "rephrase", "", 70, 71, 72)
	text := textOf(b.report().Blocks)
	wantText(t, text, "Withdrawn: 2 of 3 proposals\n2 withdrawn here\n", "| 2, 2 withdrawn | ")
	if strings.Contains(text, "None. The replay agrees") {
		t.Error("two of three proposals were withdrawn, and there is no alert")
	}
}

// What was refused is never the best, has an alert with its reasons, and is listed; its score is shown, as refused.
func TestLineageReportRefused(t *testing.T) {
	b := newLineage(t, "sepa")
	long := evolution.Refusal{Code: "too_long", Reason: "119 characters, more than twice 39"}
	for i := range 11 {
		b.refuse(0, []evolution.Refusal{long}, 90+float64(i)/2)
	}
	b.refuse(0, []evolution.Refusal{{Code: "forbidden", Reason: `line 2 matches rm\s+-rf`}, {Code: "forbidden", Reason: "line 3 matches secret"}, long})
	d := b.report()
	text := textOf(d.Blocks)
	wantText(t, text,
		"Refused without a trial: 12 of 12 proposals\ntoo_long: 12, the first v002: 119 characters, more than twice 39\nforbidden: 1, the first v013: line 2 matches",
		"12 refused; there are no decisions, and the candidate with the highest mean score is v001 with 61.00 (n = 3).\n",
		"# Path to the best candidate\n", "highest mean score among 1 version that did not", "v001 | root, highest score | 61.00 | 3 | - | - | - | - | 12, 12 refused | ",
		"No mutation led to the version at the end of the path. The lineage has 12 mutations: 12 refused.", "# Refused\n", "12 | v013 | v001 | rephrase | forbidden: line 2 matches rm\\s+-rf; forbidden: line 3 matches secret; too_long: 119",
	)
	if strings.Contains(text, "v012 | undecided") || strings.Contains(text, "None. The replay agrees") {
		t.Errorf("a refused version is on the path, or there is no alert:\n%s", text)
	}
	for _, block := range d.Blocks {
		if p, ok := block.(document.Picture); ok {
			for i, c := range p.Chart.(chart.Lineage).Candidates[1:] {
				if c.Decision != chart.Refused || i < 11 && c.Mean != 90+float64(i)/2 {
					t.Errorf("candidate %d is %v with %v", i, c.Decision, c.Mean)
				}
			}
		}
	}
	// Where others are tried, one refusal is listed and no alert.
	b = newLineage(t, "other")
	b.mutate(0, "rephrase", "", 70, 71, 72)
	b.mutate(1, "rephrase", "", 50, 51, 52)
	b.refuse(1, []evolution.Refusal{long})
	text = textOf(b.report().Blocks)
	wantText(t, text, "| 2, 1 rejected, 1 refused | ", "3 | v004 | v002 | rephrase | too_long: ")
	if strings.Contains(text, "Refused without a trial") {
		t.Error("an alert on 1 refusal of 3")
	}
}

// An alert, the decisions and the picture name a mutation by the same number, child and id; the verdict stands in
// front.
func TestLineageReportNames(t *testing.T) {
	b := newLineage(t, "sepa")
	b.mutate(0, "rephrase", "", 62, 75, 60) // accepted, inside its noise
	id := b.data.Entries[1].Mutation
	d := b.report()
	text := textOf(d.Blocks)
	wantText(t, text, "v002 (mutation 1, "+id+"): +", "\n1 | v002 | accept | ✓ | v001 | ", " | "+id+" | 3 | \n")
	for _, block := range d.Blocks {
		if table, ok := block.(document.Table); ok && table.Columns[0].Title == "mutation" {
			var titles []string
			for _, c := range table.Columns {
				titles = append(titles, c.Title)
			}
			if got := strings.Join(titles, ", "); got != "mutation, child, verdict, replay, parents, operator, n, delta, interval, P(improvement), label, draw, id, entry" {
				t.Error(got)
			}
		}
	}
}

// The sd has its interval, and a policy is recommended only where the noise tells something.
func TestLineageReportNoise(t *testing.T) {
	b := newLineage(t, "sepa")
	b.data.Versions[0].Trials = b.data.Versions[0].Trials[:2] // 60 and 62: sd √2; √(1/χ²) at df 1 from 0.446 to 31.91
	wantText(t, textOf(b.report().Blocks), "1.41 (95% chi-square interval 0.63 to 45.13, n = 2, df = 1), pooled over all trials of 1 version\n",
		"with 5 and 5 trials, an assumption, since it decided nothing", "A/A and power are rough: 2 scores with 1 degree of freedom are too few for a precise sd", "no policy is recommended: with 1 degree of freedom the sd is not precise enough")

	b = newLineage(t, "sepa")
	b.mutate(0, "rephrase", "", 70, 71, 72)
	b.mutate(1, "rephrase", "", 70, 71, 72)
	text := textOf(b.report().Blocks)
	wantText(t, text, "n = 9, df = 6), pooled over all trials of 3 versions", ": the median of the rates of its 2 decisions, which are from 60.0% to 60.0%\n", "the active policy accepts too many mutations that change nothing; recommended: confirm, which accepts at most 5% of them")
	if strings.Contains(text, "is the one that serves") {
		t.Error("a policy that accepts most of what changes nothing is said to serve")
	}

	b = newLineage(t, "sepa")
	for i := range b.data.Versions[0].Trials {
		*b.data.Versions[0].Trials[i].Score = 50
	}
	wantText(t, textOf(b.report().Blocks), "pooled sd of scores within versions 0.00 (n = 3, df = 2)", "no policy is recommended: the scores within a version do not differ")
	*b.data.Versions[0].Trials[0].Score = 460
	wantText(t, textOf(b.report().Blocks), "no policy is recommended: the scores are not between 0 and 100 (460 of v001)")
}

// Rollbacks that follow each other raise an alert, and the picture names where they lead.
func TestLineageReportRollbacks(t *testing.T) {
	b := newLineage(t, "sepa")
	for i := range 3 {
		b.mutate(i, "rephrase", "", 70+10*float64(i), 71+10*float64(i), 72+10*float64(i))
	}
	b.rollback("v003")
	b.rollback("v002")
	if text := textOf(b.report().Blocks); strings.Contains(text, "Rolled back again") {
		t.Error("an alert on two rollbacks")
	}
	b.rollback("v001")
	d := b.report()
	wantText(t, textOf(d.Blocks), "Several rollbacks in a row, with nothing accepted between them\n3 rollbacks, entries 8 to 10, from v004 to v001\n", "not recorded: time, tokens, cost\n")
	for _, block := range d.Blocks {
		if p, ok := block.(document.Picture); ok {
			r := p.Chart.(chart.Lineage).Rollbacks
			if len(r) != 3 || r[2] != (chart.Rollback{After: 3, To: 0, Name: "v001"}) {
				t.Error(r)
			}
		}
	}
}

// Each proposal is held against the limits in force when it was made, both of all mutations and of those of high risk.
func TestLineageReportLimits(t *testing.T) {
	b := newLineage(t, "sepa") // each entry is an hour after the one before
	b.set(3, 1)
	b.mutate(0, "rephrase", "", 50, 51, 52)
	wantText(t, textOf(b.report().Blocks), "No limit of 24 hours was reached (max_per_day and max_high_per_day")
	b.risk = evolution.High
	b.mutate(0, "rephrase", "", 50, 51, 52)
	text := textOf(b.report().Blocks)
	wantText(t, text, "Limits per 24 hours that were reached\nmax_high_per_day of settings 2: reached, 1 of 1 in the 24 hours to 2026-01-02T08:00:00Z\n")
	if strings.Contains(text, "max_per_day of settings 2") {
		t.Error("2 of 3 is said to reach a limit")
	}
	b.mutate(0, "rephrase", "", 50, 51, 52)
	b.set(100, 100) // what is active now allows it; what was in force then did not
	wantText(t, textOf(b.report().Blocks), "Limits per 24 hours that were exceeded or reached\nmax_per_day of settings 2: reached, 3 of 3 in the 24 hours to 2026-01-02T10:00:00Z\n"+
		"max_high_per_day of settings 2: exceeded, 2 of 1 in the 24 hours to 2026-01-02T10:00:00Z; 1 proposal was above the limit\n")
}

// Beside an interval stands how it was made, and beside P(improvement) of how many comparisons it is a share.
func TestLineageReportMethods(t *testing.T) {
	b := newLineage(t, "sepa")
	b.mutate(0, "rephrase", "", 62, 75, 60) // three pairs; accepted inside its noise
	b.mutate(1, "rephrase", "", 90)         // one of three tasks
	b.data.Settings.Policy, b.data.Settings.Params = "greedy", []byte(`{"eps":0}`)
	b.data.Settings.Number++
	b.entry(evolution.KindSettings, evolution.SettingsChange{Settings: b.data.Settings}, b.last.HeadAfter)
	for i, score := range []float64{60, 62, 61} { // controls beside the next child
		root := &b.data.Versions[0]
		b.trial(root, 20+i, score)
		root.Trials[len(root.Trials)-1].At = b.last.At.Add(24 * time.Hour)
	}
	b.mutate(0, "rephrase", "", 70, 71, 73)
	text := textOf(b.report().Blocks)
	wantText(t, text, " (paired t around +4.67, 3 pairs) | 0.67: 2 of 3 pairs | ", " | - | 1.00: 3 of 3 combinations | ", " | 1.00: 3 of 3 pairs | ", ", 95% paired t interval -", ", no interval, n = 1 and 3",
		"the share of comparisons that the child won; a tie counts half")
}

// drawnBy is the chart of a report.
func drawnBy(t *testing.T, d document.Document) (chart.Lineage, string) {
	t.Helper()
	for _, block := range d.Blocks {
		if p, ok := block.(document.Picture); ok {
			return p.Chart.(chart.Lineage), p.Alt
		}
	}
	t.Fatal("no picture")
	return chart.Lineage{}, ""
}

// Where nothing was decided, differences of recorded scores are called so, and the picture has a line and a mark that
// are no verdict.
func TestLineageReportUndecided(t *testing.T) {
	b := newLineage(t, "sepa")
	b.propose(0, "rephrase", "", 70, 71, 72)
	b.propose(1, "rephrase", "", 64)
	b.propose(1, "reorder", "", 81)
	d := b.report()
	text := textOf(d.Blocks)
	wantText(t, text, "there are no decisions, and the candidate with the highest mean score is v004 with 81.00 (n = 1)",
		"v004 | undecided, highest score | 81.00 | 1 | v002 | reorder | (71.00 → 81.00) | (+10.00) | - | \nv002 | undecided | 71.00 | 3 | v001 | rephrase | (61.00 → 71.00) | (+10.00) | 1 | \nv001 | root | 61.00 | 3 |",
		"A delta in parentheses is the difference of the recorded means; nothing was decided on it.\n",
		"In the chart, 0 is the root. Nothing was decided. The line is the highest recorded score so far and is not a verdict.\n")
	if strings.Contains(text, "interval is that of the difference") || strings.Contains(text, "when the policy decided") {
		t.Error("it tells of what is not there")
	}
	b.data.Operators = []answer.ReportedOperator{{Name: "rephrase", Proposed: 2, Open: 2}, {Name: "reorder", Proposed: 1, Open: 1}}
	wantText(t, textOf(b.report().Blocks), // 71-61 and 64-71; t at df 1 is 12.706
		" | recorded +1.50 (-106.50 to +109.50, n = 2) | ", " | recorded +10.00 (no interval, n = 1) | ", "A recorded delta is not a verdict: nothing was decided")
	c, alt := drawnBy(t, d)
	if alt != "Scores of the candidates of sepa, with a line of the best score so far, undecided" || !c.Candidates[3].Best || c.Candidates[1].Best || c.Candidates[0].Decision != chart.Root || !c.Candidates[0].Head {
		t.Errorf("%s: %+v", alt, c.Candidates)
	}
}

// The score of an imported program is the mean over its trials, of which it has one on each task. A trial of another
// program with the same content is not its own.
func TestLineageReportScoresOfTasks(t *testing.T) {
	b := newLineage(t, "sepa")
	root := b.data.Versions[0]
	proposal := evolution.Proposal{
		Number: 1, Mutation: "p1", Named: true, Source: "gepa", Operator: "rephrase", Risk: b.risk,
		Parents: []evolution.VersionRef{{Label: root.Label, ID: root.ContentID}}, Child: b.version("child", 70, 80, 10),
	}
	for i, id := range []string{"gepa:p1/t0", "gepa:p1/t1", "gepa:p2/t2"} {
		b.data.Versions[1].Trials[i].ID = id
	}
	b.entry(evolution.KindProposal, proposal, b.last.HeadAfter)
	c, _ := drawnBy(t, b.report())
	if got := c.Candidates[1]; got.Mean != 75 || got.N != 2 {
		t.Errorf("%+v, want the mean 75 of 2 trials", got)
	}
}

// The ledger of an imported run begins with its best program. The picture has what came before it: the root, the whole
// path, and a mark for the active version.
func TestLineageReportImportedPath(t *testing.T) {
	b := newLineage(t, "gepa")
	first := b.version("first", 10, 20, 30)
	middle := b.version("middle", 40, 50, 60)
	best := b.data.Versions[0]
	creation := evolution.Creation{Seed: 7, Subject: "agent", Settings: b.data.Settings, Root: &evolution.VersionRef{Label: best.Label, ID: best.ContentID}, RootMutation: "2"}
	b.data.Entries = nil
	b.last = evolution.Entry{}
	b.entry(evolution.KindCreation, creation, best.Label)
	for i, p := range []evolution.Proposal{{Mutation: "1", Parents: []evolution.VersionRef{first}, Child: middle}, {Mutation: "2", Parents: []evolution.VersionRef{middle}, Child: *creation.Root}} {
		p.Number, p.Named, p.Source, p.Operator, p.Risk = i+1, true, "gepa", "reflection", b.risk
		b.entry(evolution.KindProposal, p, best.Label)
	}
	c, _ := drawnBy(t, b.report())
	if len(c.Candidates) != 3 || c.Candidates[0].Label != first.Label || c.Candidates[0].Decision != chart.Root || c.Candidates[0].Mean != 20 {
		t.Fatalf("%+v, want the root first", c.Candidates)
	}
	for i, p := range c.Candidates {
		if !p.OnPath || p.Head != (i == 2) {
			t.Errorf("%d: %+v, want it on the path, and the last one active", i, p)
		}
	}
}

// Where less is better, a lower mean score is better, and the best score is the lowest.
func TestLineageReportMinimize(t *testing.T) {
	b := newLineage(t, "sepa")
	b.mutate(0, "rephrase", "", 70, 71, 72)
	b.mutate(1, "rephrase", "", 80, 81, 82)
	const alert = "mean score than the active version"
	if text := textOf(b.report().Blocks); strings.Contains(text, alert) {
		t.Errorf("the active version has the highest score, and the report says:\n%s", text)
	}
	b.data.Settings.Scale = &evolution.Scale{Minimize: true}
	d := b.report()
	wantText(t, textOf(d.Blocks), "Accepted versions with a lower "+alert, "v002: +10.0000 over v003, no interval, on 3 common tasks")
	if c, _ := drawnBy(t, d); !c.Minimize {
		t.Error("the picture takes more for better")
	}
}

// Scores stand in the report as they were recorded, and what they gain in points of which more are better.
func TestLineageReportPoints(t *testing.T) {
	b := newLineage(t, "sepa")
	scale := &evolution.Scale{Minimize: true, Points: 2000}
	b.data.Settings.Scale = scale
	for i, score := range []float64{0.0101, 0.0100, 0.0102} {
		b.data.Versions[0].Trials[i].Score = &score
	}
	b.mutate(0, "rephrase", "", 0.0080, 0.0081, 0.0082) // gains 4.2, 3.8 and 4
	d := b.report()
	wantText(t, textOf(d.Blocks),
		"one unit of score is 2000 points. A difference above 0 is an improvement.", "gain over the root v001: +4.0000 (95% paired t interval +3.5032 to +4.4968, on 3 common tasks)",
		"v002 | active | 0.008100 | 3 | v001 | rephrase | 0.01010 → 0.0081", "+3.5032 to +4.4968 (paired t", "pooled sd of scores within versions 0.2000 (")
	c, _ := drawnBy(t, d)
	if p := c.Candidates[1]; !(p.Lo < p.Mean && p.Mean < p.Hi) || p.Hi > 0.0101 {
		t.Errorf("the interval is drawn from %v to %v around %v", p.Lo, p.Hi, p.Mean)
	}
	b.rollback("v001")
	wantText(t, textOf(b.report().Blocks), "Accepted versions with a lower mean score than the active version\nv002: +4.0000 over v001, 95% paired t interval +3.5032 to +4.4968, on 3 common tasks")
}

// What the picture does not have, neither the text nor the alternative claims.
func TestLineageReportDrawn(t *testing.T) {
	b := newLineage(t, "sepa")
	b.data.Versions[0].Trials = nil
	d := b.report()
	if _, alt := drawnBy(t, d); alt != "Scores of the candidates of sepa" {
		t.Error(alt)
	}
	wantText(t, textOf(d.Blocks), "# Scores\nThere are no candidates yet.\n", "v001 | active | - | 0 | ")
	for _, n := range []int{1, 90} { // up to 80 intervals are drawn
		b = newLineage(t, "sepa")
		for i := range n {
			b.mutate(i, "rephrase", "", 61+float64(i)/3, 62+float64(i)/3, 63+float64(i)/3+float64(i%2)/4)
		}
		d = b.report()
		text, about := textOf(d.Blocks), "The interval is the interval of the difference, drawn from the score of the parent.\n"
		if n == 90 {
			about = "The 90 intervals are too many to draw; the table of decisions has them.\n"
		}
		wantText(t, text, about)
		c, alt := drawnBy(t, d)
		if alt != "Scores of the candidates of sepa, with a line of the best accepted so far" || c.Interval != "95% paired t interval" || c.Candidates[0].Mean != 61.037037037 {
			t.Errorf("%s: %s, root %+v", alt, c.Interval, c.Candidates[0])
		}
	}
}

// later adds trials of a version at the time of the last entry, or after it.
func (b *lineageBuilder) later(version int, scores ...float64) {
	v := &b.data.Versions[version]
	for i, s := range scores {
		b.trial(v, 100*b.step+i, s)
		v.Trials[len(v.Trials)-1].At = b.last.At.Add(time.Duration(i) * time.Minute)
	}
}

// Change over time is no noise: trials are parted where a version was accepted and at rollbacks, and what moved is
// named. A gain over the root across rollbacks has a caution.
func TestLineageReportDrift(t *testing.T) {
	b := newLineage(t, "sepa")
	b.mutate(0, "rephrase", "", 70, 71, 72)
	b.later(1, 30, 31, 32) // the world changed
	text := textOf(b.report().Blocks)
	wantText(t, text,
		"pooled sd of scores within versions 1.00 (95% chi-square interval 0.64 to 2.20, n = 9, df = 6), pooled over 3 parts of 2 versions: the trials of each version are split at its acceptance and at rollbacks\n",
		"pooled sd without the split: 18.54 (95% chi-square interval ", // √((2 + 2404)/7)
	)
	if strings.Contains(text, "between their trials") {
		t.Error("a caution without a rollback")
	}
	b.rollback("v001")
	b.mutate(0, "rephrase", "", 64, 65, 66)
	b.later(2, 64, 65, 66)
	wantText(t, textOf(b.report().Blocks), "gain over the root v001: +4.00 (95% paired t interval +1.52 to +6.48, on 3 common tasks), with 1 rollback between their trials: part of the difference may be due to other changes.\n")

	b = newLineage(t, "sepa")
	b.mutate(0, "rephrase", "", 70, 71, 72)
	b.later(1, 69, 72, 72)
	if text := textOf(b.report().Blocks); strings.Contains(text, "moved over time") {
		t.Error("three trials after the choice are said to have moved")
	}
	b.later(1, 30, 31, 32)
	wantText(t, textOf(b.report().Blocks), "The level of a version moved over time", "v002: -40.00 from its earlier to its later trials (95% interval -42.48 to -37.52; 3 tasks, 6 trials, paired t)\n")

	b = newLineage(t, "sepa") // sds of 1 and 20
	for range 5 {
		b.mutate(0, "rephrase", "", 40, 41, 42, 40, 41, 42)
	}
	if text := textOf(b.report().Blocks); strings.Contains(text, "The sds differ") {
		t.Error("equal sds are said to differ")
	}
	b.mutate(0, "rephrase", "", 10, 50, 20, 60, 30, 70)
	wantText(t, textOf(b.report().Blocks), "The sds differ between versions, so the pooled sd is a rough estimate\n", "v007: sd 23.66 (n = 6), of all ")
}

// An accepted version that scores above the one in force is named with both scores.
func TestLineageReportHigher(t *testing.T) {
	b := newLineage(t, "sepa")
	b.mutate(0, "rephrase", "", 70, 71, 72)
	b.mutate(1, "rephrase", "", 80, 82, 81)
	wantText(t, textOf(b.report().Blocks), "No accepted version scores better than the active one")
	b.rollback("v001")
	wantText(t, textOf(b.report().Blocks), "Accepted versions with a higher mean score than the active version\n"+
		"v003: +20.00 over v001, no interval, on 3 common tasks\n"+
		"v002: +10.00 over v001, 95% paired t interval +7.52 to +12.48, on 3 common tasks\n")
}

// The path says in words what became of each version.
func TestLineageReportPathStates(t *testing.T) {
	b := newLineage(t, "sepa")
	b.mutate(0, "rephrase", "", 70, 71, 72)
	b.mutate(1, "rephrase", "", 72, 85, 70) // accepted inside its noise
	b.mutate(2, "rephrase", "", 90, 91, 92)
	wantText(t, textOf(b.report().Blocks), "v004 | active | ", "\nv003 | accepted, unclear | ", "\nv002 | accepted | ", "\nv001 | root | ")
}

// Of many alerts the newest are told.
// The versions of the path stand side by side, with holdout tasks first and marked.
func TestLineageReportPathTasks(t *testing.T) {
	b := newLineage(t, "sepa")
	if blocks := textOf(b.report().Blocks); strings.Contains(blocks, "Scores of the path by task") {
		t.Error("a single version is compared")
	}
	b.mutate(0, "rephrase", "", 70, 71, 72)
	score := 33.0
	b.data.Versions[1].Holdout = []evolution.Trial{{ID: "held", Key: "t9", Score: &score}}
	wantText(t, textOf(b.report().Blocks), "# Scores of the path by task\n", "t9 (holdout) | - | 33.00 | \nt0 | 60.00 | 70.00 | \nt1 | 62.00 | 71.00 | \n")
}

// Trials after the decision move the mean of a version, but not the scores that delta is the difference of.
func TestLineageReportPathCompared(t *testing.T) {
	b := newLineage(t, "sepa")
	b.mutate(0, "rephrase", "", 70, 71, 72)
	b.later(1, 90, 91)
	// The fitness of both sides weighs newer trials more: 61.035 and 71.07.
	wantText(t, textOf(b.report().Blocks), "v002 | active | 90.50 | 2 | v001 | rephrase | 61.04 → 71.07 | +10.04 | - | \n",
		"The scores compared are those of parent and child when the policy decided, and delta is their difference before rounding.\n")
}

func TestLineageReportNewestAlerts(t *testing.T) {
	b := newLineage(t, "sepa")
	b.set(1000, 1000)
	for range 13 {
		b.mutate(0, "rephrase", "", 62, 75, 60) // accepted inside its noise
	}
	text := textOf(b.report().Blocks)
	first, second := strings.Index(text, "v014 (mutation 13, "), strings.Index(text, "v013 (mutation 12, ")
	if first < 0 || second < first || !strings.Contains(text, "and 3 older\n") || strings.Contains(text, "v002 (mutation 1, m-") {
		t.Error(text)
	}
}
