package reports_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track/answer"
	"track/internal/property"
	"track/reports"
	"track/reports/document"
	"track/scoring"
	"track/scoring/verdict"
)

func ptr(x float64) *float64 { return &x }

func spread(at float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = at + 0.01*float64(i%5-2)
	}
	return xs
}

// stability has two metrics; the second is missing where it is empty.
func stability(passed, n int, second bool) scoring.Stability {
	xs := scoring.NewMoments(spread(0.8, n))
	spec := scoring.Spec{Metrics: []scoring.Metric{{Name: "m0", Weight: 1}, {Name: "m1", Weight: 1}}}
	metrics := []scoring.MetricTotals{{NNotFailed: n, Value: xs, Score: xs}, {NNotFailed: n, Value: xs, Score: xs}}
	if !second {
		metrics[1] = scoring.MetricTotals{Value: scoring.NewMoments(nil), Score: scoring.NewMoments(nil)}
	}
	return scoring.NewStability(spec, scoring.SeedTotals{NSeeds: n, NPassed: passed, NOK: n, Score: xs}, metrics)
}

// compared loses 0.5 in m0, of which 0.25 are allowed, and a little in m1.
func compared(t *testing.T) *verdict.Improvement {
	t.Helper()
	var candidate, baseline []verdict.JudgedSeed
	for i, x := range spread(0.8, 15) {
		n := uint64(i)
		baseline = append(baseline, verdict.JudgedSeed{Number: n, Total: 0.9, Scores: []float64{0.9, 0.9}})
		candidate = append(candidate, verdict.JudgedSeed{Number: n, Total: x - 0.2, Scores: []float64{x - 0.4, x}})
	}
	spec := scoring.Spec{Metrics: []scoring.Metric{{Name: "m0", Weight: 1}, {Name: "m1", Weight: 1}}}
	i, err := verdict.Compare(spec, candidate, baseline, verdict.Options{Confidence: 0.95, Base: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	return &i
}

func newGate(t *testing.T, inputs ...verdict.GateInput) verdict.Gate {
	t.Helper()
	g, err := verdict.NewGate(inputs)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// gates are golden files, one of each kind.
func gates(t *testing.T) map[string]verdict.Gate {
	growth := scoring.GateRules{MinPassRate: ptr(0.9), MinScore: ptr(0.7), MaxStd: ptr(0.1), MinSeeds: 20}
	strict := scoring.GateRules{MinPassRate: ptr(0.95), NoDegradation: true}
	return map[string]verdict.Gate{
		"pass": newGate(t, verdict.GateInput{Name: "growth", Scenario: "growth", Rules: growth, Stability: stability(40, 40, true)}),
		"warn": newGate(t, verdict.GateInput{
			Name: "growth", Scenario: "growth", Rules: scoring.GateRules{Stable: true, FailOn: []scoring.Verdict{scoring.VerdictWarn}}, Stability: stability(20, 20, true),
		}),
		"mixed": newGate(t,
			verdict.GateInput{Name: "growth@v2", Scenario: "growth", Rules: strict, Stability: stability(20, 20, true), Improvement: compared(t)},
			verdict.GateInput{Name: "crises", Scenario: "crises", Rules: growth, Stability: stability(12, 20, false), Look: verdict.Look{Number: 3}},
			verdict.GateInput{Name: "new", Scenario: "new", Rules: growth, Problem: verdict.ProblemNoSeeds},
		),
		"hostile": hostile("<script>alert(1)</script> \"] & | ` \n\r\t\u202e\u200f\u2028 ]]> --> \xff\x00 [x](http://y) ![i](z) **b** _i_ ~s~ $e$ # h\\"),
	}
}

// hostile says the text wherever somebody else may put one.
func hostile(text string) verdict.Gate {
	var all []verdict.Outcome
	for _, v := range scoring.Verdicts() {
		all = append(all, verdict.Outcome{Rule: verdict.RuleData, Metric: text + string(v), Verdict: v, Reason: text, Message: "found " + text, Need: text, Unattainable: text, PCorrected: ptr(0.01)})
	}
	return verdict.Gate{Verdict: scoring.VerdictFail, Scenarios: []verdict.ScenarioOutcome{{
		Name: text, Scenario: text, Verdict: scoring.VerdictFail, Outcomes: all, Warnings: []verdict.Warning{{Code: text, Message: text}},
		ComparisonWarnings: []verdict.Warning{{Code: text, Message: text}}, LeftOut: []verdict.LeftOut{{Metric: text, Reason: text}},
	}}}
}

func written(t rapidTB, write func(io.Writer, verdict.Gate) error, g verdict.Gate) []byte {
	t.Helper()
	var b, again bytes.Buffer
	if err := errors.Join(write(&b, g), write(&again, g)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Fatal("the same gate gave different bytes")
	}
	return b.Bytes()
}

type rapidTB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func markdown(w io.Writer, g verdict.Gate) error {
	return reports.GateDocument(answer.Gate{Gate: g}).Markdown(w, document.MarkdownOptions{})
}

func badge(w io.Writer, g verdict.Gate) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(reports.GateBadge(g))
}

func TestGolden(t *testing.T) {
	for name, g := range gates(t) {
		for ext, write := range map[string]func(io.Writer, verdict.Gate) error{"md": markdown, "xml": reports.GateJUnit, "json": badge} {
			t.Run(name+"."+ext, func(t *testing.T) {
				got := written(t, write, g)
				path := filepath.Join("testdata", "gate_"+name+"."+ext)
				if os.Getenv("UPDATE_GOLDEN") != "" {
					if err := os.WriteFile(path, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
					t.Errorf("%s (UPDATE_GOLDEN=1 writes it; look at it): %s", path, diff)
				}
				switch ext {
				case "md":
					inspectMarkdown(t, string(got), g)
				case "xml":
					inspectJUnit(t, got, g)
				}
			})
		}
	}
}

// junit is what a reader of JUnit XML sees.
type junit struct {
	XMLName xml.Name `xml:"testsuites"`
	T       int      `xml:"tests,attr"`
	F       int      `xml:"failures,attr"`
	Suites  []struct {
		Name  string `xml:"name,attr"`
		T     int    `xml:"tests,attr"`
		F     int    `xml:"failures,attr"`
		Cases []struct {
			Class    string `xml:"classname,attr"`
			Name     string `xml:"name,attr"`
			Failures []struct {
				Type    string `xml:"type,attr"`
				Message string `xml:"message,attr"`
				Text    string `xml:",chardata"`
			} `xml:"failure"`
			Skipped []struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// inspectJUnit reads the document back: the counts agree, every rule and metric has its one case, and it fails where
// the verdict does.
func inspectJUnit(t rapidTB, data []byte, g verdict.Gate) {
	t.Helper()
	var got junit
	decoder := xml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&got); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if rest, ok := token.(xml.CharData); err != nil || !ok || strings.TrimSpace(string(rest)) != "" {
			t.Fatalf("after the document: %v, %v", token, err)
		}
	}
	if !utf8.Valid(data) {
		t.Fatal("invalid UTF-8")
	}
	if len(got.Suites) != len(g.Scenarios) {
		t.Fatalf("%d suites of %d scenarios", len(got.Suites), len(g.Scenarios))
	}
	tests, failures := 0, 0
	for k, suite := range got.Suites {
		s := g.Scenarios[k]
		worst := map[[2]string]scoring.Verdict{}
		for _, o := range s.Outcomes {
			id := [2]string{o.Rule, o.Metric}
			if o.Metric != "" {
				id[0] = ""
			}
			if v, seen := worst[id]; seen {
				worst[id] = scoring.WorstVerdict(v, o.Verdict)
			} else {
				worst[id] = o.Verdict
			}
		}
		if suite.T != len(suite.Cases) || len(suite.Cases) != len(worst)+len(s.LeftOut) {
			t.Fatalf("suite %d says %d tests, has %d, of %d rules and metrics", k, suite.T, len(suite.Cases), len(worst)+len(s.LeftOut))
		}
		types := map[string]int{}
		failed := 0
		for _, c := range suite.Cases {
			if (len(c.Skipped) > 0) != strings.HasSuffix(c.Class, ".not_guarded") || len(c.Failures) > 1 {
				t.Fatalf("%+v", c)
			}
			for _, f := range c.Failures {
				failed++
				types[f.Type]++
				if f.Message == "" || f.Text == "" {
					t.Fatalf("a failure without words: %+v", c)
				}
			}
		}
		want := map[string]int{}
		for _, v := range worst {
			if v == scoring.VerdictFail || v == scoring.VerdictInconclusive || v == scoring.VerdictWarn && slices.Contains(s.Rules.FailOn, v) {
				want[string(v)]++
			}
		}
		if diff := cmp.Diff(want, types); diff != "" || suite.F != failed {
			t.Fatalf("suite %d says %d failures, has %d: %s", k, suite.F, failed, diff)
		}
		tests, failures = tests+len(suite.Cases), failures+failed
	}
	if got.T != tests || got.F != failures {
		t.Fatalf("the document says %d tests, %d failures, and has %d, %d", got.T, got.F, tests, failures)
	}
}

// inspectMarkdown finds every outcome that did not pass, and every rule about seeds, in a row of its own, the worst
// first, and nothing that came from outside as markup.
func inspectMarkdown(t rapidTB, text string, g verdict.Gate) {
	t.Helper()
	markup := regexp.MustCompile(`(?m)</?(?:details|summary|code|span|strong)>|^> ?`)
	inspectText(t, markup.ReplaceAllString(text, ""))
	outcomes := 0
	for _, s := range g.Scenarios {
		for _, o := range s.Outcomes {
			if o.Metric == "" || o.Verdict != scoring.VerdictPass {
				outcomes++
			}
		}
	}
	rows, last := 0, len(scoring.Verdicts())
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			last = len(scoring.Verdicts())
			continue
		}
		cells := strings.Split(strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, ""), "|")
		if words := strings.Fields(cells[1]); len(words) == 2 && slices.Contains(scoring.Verdicts(), scoring.Verdict(words[1])) {
			rows++
			rank := slices.Index(scoring.Verdicts(), scoring.Verdict(words[1]))
			if rank > last {
				t.Fatalf("%s comes after a better one", words[1])
			}
			last = rank
		}
	}
	if rows != outcomes {
		t.Fatalf("%d rows of %d outcomes in %s", rows, outcomes, text)
	}
	if first, _, _ := strings.Cut(text, "\n"); !strings.HasPrefix(first, "# ") || !strings.HasSuffix(first, string(g.Verdict)) {
		t.Fatalf("the first line is not the verdict: %q", first)
	}
}

// inspectText finds nothing that a reader of Markdown takes for HTML, and nothing that a terminal or a browser does
// not show as it stands.
func inspectText(t rapidTB, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatalf("invalid UTF-8 in %q", text)
	}
	for _, r := range text {
		switch {
		case r == '<' || r == '>':
			t.Fatalf("%q in %q", r, text)
		case r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)) && r != '\ufe0f':
			t.Fatalf("%U in %q", r, text)
		}
	}
}

var text = rapid.OneOf(
	rapid.String(),
	rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) }),
	rapid.StringOf(rapid.RuneFrom([]rune("a|`<>&\\\"'\n\r]\u202e\u2066\u200f[!*_#~$ "))),
)

func TestAnyNames(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		g := hostile(text.Draw(t, "text"))
		inspectMarkdown(t, string(written(t, markdown, g)), g)
		inspectJUnit(t, written(t, reports.GateJUnit, g), g)
	})
}

func FuzzGate(f *testing.F) {
	for _, seed := range []string{"", "growth", "<b>", "a|b", "\\|", "`", "]]>", "\u202e", "\xff", "x\ny", "&lt;", "- a", "\x1b[31m"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g := hostile(text)
		inspectMarkdown(t, string(written(t, markdown, g)), g)
		inspectJUnit(t, written(t, reports.GateJUnit, g), g)
	})
}

func TestBadge(t *testing.T) {
	for v, want := range map[scoring.Verdict]reports.Badge{
		scoring.VerdictPass:         {SchemaVersion: 1, Label: "track gate", Message: "PASS (1 seed)", Color: "brightgreen"},
		scoring.VerdictWarn:         {SchemaVersion: 1, Label: "track gate", Message: "WARN (1 seed)", Color: "yellow"},
		scoring.VerdictInconclusive: {SchemaVersion: 1, Label: "track gate", Message: "INCONCLUSIVE (1 seed)", Color: "lightgrey"},
		scoring.VerdictFail:         {SchemaVersion: 1, Label: "track gate", Message: "FAIL (1 seed)", Color: "red", IsError: true},
	} {
		g := verdict.Gate{Verdict: v, Scenarios: []verdict.ScenarioOutcome{{Estimates: verdict.Estimates{NSeeds: 1}}, {}}}
		if diff := cmp.Diff(want, reports.GateBadge(g)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestRulesText(t *testing.T) {
	for want, r := range map[string]scoring.GateRules{
		"stable; confidence 0.95":  {Stable: true},
		"no rule; confidence 0.95": {},
		"min_seeds 5, min_pass_rate 0.9, stable, max_std 0.1, min_score 0.8, no_degradation; confidence 0.99": {
			MinSeeds: 5, MinPassRate: ptr(0.9), Stable: true, MaxStd: ptr(0.1), MinScore: ptr(0.8), NoDegradation: true, Confidence: 0.99,
		},
	} {
		if got := r.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A writer that fails is not taken for one that has written.
func TestWriteError(t *testing.T) {
	for name, write := range map[string]func(io.Writer, verdict.Gate) error{"Markdown": markdown, "JUnit": reports.GateJUnit} {
		for n := range 3 {
			if err := write(&fullDisk{left: n * 45}, gates(t)["mixed"]); !errors.Is(err, errFull) {
				t.Errorf("%s, after %d bytes: %v", name, n*45, err)
			}
		}
	}
}

var errFull = errors.New("disk full")

type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}
