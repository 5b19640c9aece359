package rubric

import (
	"fmt"
	"strings"
)

// finding is something wrong at one place.
type finding struct {
	Kind string `json:"kind"`
	Line int    `json:"line,omitempty"` // of the final text, from 1; 0 where it is about the whole
	Text string `json:"text,omitempty"`
}

// findingsDetail is what [noObviousErrors] found.
type findingsDetail struct {
	Found    int       `json:"found"`
	Findings []finding `json:"findings"` // the first of them
	// NotKnown names what could not be looked for.
	NotKnown []string `json:"not_known,omitempty"`
}

// obviousErrors looks for anchored crash patterns, a fence that is never closed, an output cut off at the token
// limit, placeholders, and a claim of success while the last test or build call of the execution failed.
func (s *scorer) obviousErrors() Component {
	d := findingsDetail{Findings: []finding{}}
	add := func(f finding) {
		d.Found++
		if len(d.Findings) < maxListed {
			d.Findings = append(d.Findings, f)
		}
	}
	n := 0
	for line := range strings.Lines(s.text) {
		n++
		if pattern := crash(line); pattern != "" {
			add(finding{Kind: "crash", Line: n, Text: pattern})
		}
		if text := placeholder(line); text != "" {
			add(finding{Kind: "placeholder", Line: n, Text: text})
		}
	}
	for _, b := range s.doc.blocks {
		if b.Open {
			add(finding{Kind: "odd number of fences", Line: b.Line, Text: "a fence is never closed"})
		}
	}
	switch {
	case s.e.Truncated == nil:
		d.NotKnown = append(d.NotKnown, "whether the output was cut off")
	case *s.e.Truncated:
		add(finding{Kind: "truncated", Text: "cut off at the token limit"})
	}
	if s.e.CallsUnknown {
		d.NotKnown = append(d.NotKnown, "how the last test or build ended")
	} else if f, ok := s.falseClaim(); ok {
		add(f)
	}
	reason := "none found"
	if d.Found > 0 {
		f := d.Findings[0]
		reason = fmt.Sprintf("%s, the first: %s (%s)", plural(d.Found, "finding"), f.Kind, f.Text)
		if f.Line > 0 {
			reason += fmt.Sprintf(" at line %d", f.Line)
		}
	} else if len(d.NotKnown) > 0 {
		reason += "; not known: " + strings.Join(d.NotKnown, ", ")
	}
	return holds(noObviousErrors, d.Found == 0, d, "%s", reason)
}

// placeholder returns the first placeholder in a line: YOUR_API_KEY and its like, INSERT_…_HERE, REPLACE_ME, CHANGE_ME.
func placeholder(line string) string {
	for rest := line; rest != ""; {
		start := strings.IndexFunc(rest, upperWord)
		if start < 0 {
			return ""
		}
		rest = rest[start:]
		end := strings.IndexFunc(rest, func(r rune) bool { return !upperWord(r) })
		if end < 0 {
			end = len(rest)
		}
		word := rest[:end]
		if len(word) > len("YOUR_") && strings.HasPrefix(word, "YOUR_") ||
			strings.HasPrefix(word, "INSERT_") && strings.HasSuffix(word, "_HERE") ||
			among(word, "REPLACE_ME", "CHANGE_ME", "CHANGEME") {
			return excerpt(word)
		}
		rest = rest[end:]
	}
	return ""
}

func upperWord(r rune) bool { return r == '_' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' }

// falseClaim finds a claim of success where the last call that ran tests or a build failed. A sentence that also has
// a word of negation or condition claims nothing.
func (s *scorer) falseClaim() (finding, bool) {
	claim, line := s.claim()
	if claim == "" {
		return finding{}, false
	}
	for i := len(s.e.Calls) - 1; i >= 0; i-- {
		if !testsOrBuilds(s.e.Calls[i]) {
			continue
		}
		if s.verdicts[i].outcome != failed {
			return finding{}, false
		}
		text := fmt.Sprintf("%q, but call %d failed (%s): %s", claim, i+1, s.verdicts[i].why, excerpt(s.e.Calls[i].Command))
		return finding{Kind: "claim of success", Line: line, Text: text}, true
	}
	return finding{}, false
}

func (s *scorer) claim() (phrase string, line int) {
	for _, b := range s.doc.blocks {
		if b.Kind != proseBlock && b.Kind != headingBlock {
			continue
		}
		if contains(b.plain, successes) == "" {
			continue
		}
		for _, sentence := range sentences(b.Text) {
			text := plain(sentence)
			if phrase := contains(text, successes); phrase != "" && contains(affirmations.Replace(text), negations) == "" {
				return phrase, b.Line
			}
		}
	}
	return "", 0
}
