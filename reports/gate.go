package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"

	"track/answer"
	"track/reports/document"
	"track/reports/render"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
)

// GateDocument returns a gate for a job summary.
func GateDocument(a answer.Gate) document.Document {
	r := Report{Title: render.VerdictText(a.Verdict)[0].Text + " track gate: " + string(a.Verdict)}
	r.Add("", a)
	return r.Document()
}

// needsAttention reports whether an outcome failed, is undecided, or is a WARN that the rules count as a failure.
func needsAttention(s verdict.ScenarioOutcome, o verdict.Outcome) bool {
	switch o.Verdict {
	case scoring.VerdictPass:
		return false
	case scoring.VerdictWarn:
		return slices.Contains(s.Rules.FailOn, o.Verdict)
	}
	return true
}

// found returns what an outcome says, with its code where it has one.
func found(o verdict.Outcome) string {
	switch {
	case o.Reason == "":
		return o.Message
	case o.Message == "":
		return o.Reason
	}
	return o.Reason + ": " + o.Message
}

// Badge is the answer of an endpoint that shields.io draws a badge from (https://shields.io/badges/endpoint-badge).
type Badge struct {
	SchemaVersion int    `json:"schemaVersion"`
	Label         string `json:"label"`
	Message       string `json:"message"`
	Color         string `json:"color"`
	IsError       bool   `json:"isError,omitempty"`
}

// GateBadge returns the badge of a gate: its verdict, and the number of seeds that it rests on.
func GateBadge(g verdict.Gate) Badge {
	b := Badge{SchemaVersion: 1, Label: "track gate", Color: "lightgrey"}
	seeds, leftOut := 0, 0
	for _, s := range g.Scenarios {
		seeds, leftOut = seeds+s.Estimates.NSeeds, leftOut+len(s.LeftOut)
	}
	b.Message = fmt.Sprintf("%s (%d %s", g.Verdict, seeds, format.Plural(seeds, "seed"))
	if leftOut > 0 {
		b.Message += fmt.Sprintf(", %s not guarded", format.Counted(leftOut, "metric"))
	}
	b.Message += ")"
	switch g.Verdict {
	case scoring.VerdictPass:
		b.Color = "brightgreen"
	case scoring.VerdictWarn:
		b.Color = "yellow"
	case scoring.VerdictFail:
		b.Color, b.IsError = "red", true
	}
	return b
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr,omitempty"`
	Cases    []junitCase `xml:"testcase"`
}

type junitID struct {
	ClassName string `xml:"classname,attr"`
	Name      string `xml:"name,attr"`
}

type junitCase struct {
	junitID
	Properties *junitProperties `xml:"properties"`
	Failure    *junitFailure    `xml:"failure"`
	Skipped    *junitSkipped    `xml:"skipped"`
	SystemOut  string           `xml:"system-out,omitempty"`
}

type junitProperties struct {
	List []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// GateJUnit writes a gate as JUnit XML: a test case for each rule and one for each metric of each scenario.
// INCONCLUSIVE is a failure of that type, because readers show "skipped" in green; WARN is one where the rules of the
// scenario fail on it. A metric that the rules leave out is a skipped case of its own, with the reason.
func GateJUnit(w io.Writer, g verdict.Gate) error {
	all := junitSuites{Name: "track gate"}
	for _, s := range g.Scenarios {
		suite := junitSuite{Name: s.Name}
		known := map[junitID]int{}
		for _, o := range s.Outcomes {
			id := junitID{s.Name + ".metrics", o.Metric}
			if o.Metric == "" {
				id = junitID{s.Name + ".rules", o.Rule}
			}
			k, seen := known[id]
			if !seen {
				k, known[id] = len(suite.Cases), len(suite.Cases)
				suite.Cases = append(suite.Cases, junitCase{junitID: id})
			}
			suite.Cases[k].add(o, needsAttention(s, o))
		}
		for _, out := range s.LeftOut {
			suite.Cases = append(suite.Cases, junitCase{junitID: junitID{s.Name + ".not_guarded", out.Metric}, Skipped: &junitSkipped{"not guarded: " + out.Reason}})
		}
		suite.Skipped = len(s.LeftOut)
		suite.Tests = len(suite.Cases)
		for _, c := range suite.Cases {
			if c.Failure != nil {
				suite.Failures++
			}
		}
		all.Tests, all.Failures = all.Tests+suite.Tests, all.Failures+suite.Failures
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// addAssumption says as properties what an outcome assumes, each under the name of the rule.
func (c *junitCase) addAssumption(o verdict.Outcome) {
	if o.Assumption == "" {
		return
	}
	if c.Properties == nil {
		c.Properties = new(junitProperties)
	}
	add := func(name, value string) {
		c.Properties.List = append(c.Properties.List, junitProperty{o.Rule + "." + name, value})
	}
	add("assumption", string(o.Assumption))
	if o.UnseenShare != nil {
		add("unseen_share", format.Four(*o.UnseenShare))
	}
	if o.AssumedLoss != nil {
		add("assumed_loss", format.Four(*o.AssumedLoss))
	}
}

// add joins an outcome of the rule or metric; the worst one names the failure.
func (c *junitCase) add(o verdict.Outcome, fails bool) {
	c.addAssumption(o)
	text := string(o.Verdict) + " " + o.Rule + ": " + found(o)
	if o.Need != "" {
		text += "\nneeded: " + o.Need
	}
	if !fails {
		c.SystemOut = lines(c.SystemOut, text)
		return
	}
	if c.Failure == nil {
		c.Failure = &junitFailure{Type: string(o.Verdict), Message: found(o), Text: text}
		return
	}
	c.Failure.Text = lines(c.Failure.Text, text)
	if worst := scoring.WorstVerdict(scoring.Verdict(c.Failure.Type), o.Verdict); string(worst) != c.Failure.Type {
		c.Failure.Type, c.Failure.Message = string(o.Verdict), found(o)
	}
}

func lines(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}
