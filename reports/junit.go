package reports

import (
	"encoding/xml"
	"io"

	"track/scoring"
	"track/scoring/verdict"
)

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
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	ClassName string        `xml:"classname,attr"`
	Name      string        `xml:"name,attr"`
	Failure   *junitFailure `xml:"failure"`
	SystemOut string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// GateJUnit writes a gate as JUnit XML: a test case for each rule and one for each metric of each scenario. INCONCLUSIVE is a failure
// of that type, because readers show "skipped" in green.
func GateJUnit(w io.Writer, g verdict.Gate) error {
	all := junitSuites{Name: "track gate"}
	for _, s := range g.Scenarios {
		suite := junitSuite{Name: s.Name}
		metrics := map[string]int{}
		for _, o := range s.Outcomes {
			if o.Metric == "" {
				suite.Cases = append(suite.Cases, newJUnitCase(s.Name+".rules", o.Rule, o))
				continue
			}
			if k, seen := metrics[o.Metric]; seen {
				suite.Cases[k].add(o)
				continue
			}
			metrics[o.Metric] = len(suite.Cases)
			suite.Cases = append(suite.Cases, newJUnitCase(s.Name+".metrics", o.Metric, o))
		}
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

func newJUnitCase(class, name string, o verdict.Outcome) junitCase {
	c := junitCase{ClassName: class, Name: name}
	c.add(o)
	return c
}

// add joins another outcome of the same metric; the worst one names the failure.
func (c *junitCase) add(o verdict.Outcome) {
	text := string(o.Verdict) + " " + o.Rule + ": " + found(o)
	if o.Need != "" {
		text += "\nneeded: " + o.Need
	}
	if !undecidedOrFailed(o.Verdict) {
		c.SystemOut = lines(c.SystemOut, text)
		return
	}
	if c.Failure == nil {
		c.Failure = &junitFailure{Type: string(o.Verdict), Message: found(o), Text: text}
		return
	}
	c.Failure.Text = lines(c.Failure.Text, text)
	if o.Verdict == scoring.VerdictFail && c.Failure.Type != string(o.Verdict) {
		c.Failure.Type, c.Failure.Message = string(o.Verdict), found(o)
	}
}

func lines(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}
