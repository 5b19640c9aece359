package pages

import "strings"

// term is a word that a page explains to whoever asks.
type term struct{ ID, Name, Text string }

// explained returns what words of the pages mean, by the name of a column or of a fact.
func explained() map[string]string {
	return map[string]string{
		"mean score":       "The mean of the scores of all seeds, with its t interval. A seed's score is the weighted mean of its metrics' scores, from 0 to 1.",
		"mean_score":       "The mean of the scores of all seeds. A score is 1 in the middle of its target and falls to 0 outside of it.",
		"score":            "From 0 to 1: 1 in the middle of the target, 0 outside of it. A seed's score is the weighted mean of its metrics' scores.",
		"spread of scores": "The sample standard deviation of the scores of the seeds, with its interval.",
		"passing seeds":    "The share of seeds without a failing metric, with its Clopper–Pearson interval.",
		"unseen failures":  "The largest share of all possible seeds that could fail and yet fail in none of these, at the stated confidence.",
		"flag":             "A doubt about this metric, such as a value that nearly always lies at the edge of its target.",
		"gate":             "What the declared rules of the spec conclude. Opening this page is no interim analysis.",
		"interval":         "Where the true value lies, at the stated confidence.",
		"fitness":          "What the policy of the lineage maximizes, computed from the executions of a version.",
		"replay":           "Whether each recorded decision follows again from its recorded evidence and draw.",
		"gain":             "The mean score of the active version less that of the root, with Welch's interval. Trials that served to choose the version do not count if there are two others.",
		"operator":         "The kind of change that made a mutation.",
		"draw":             "The random number of a decision. It is recorded, so the decision can be replayed.",
		"stability":        "Whether the pass rate and the spread of the scores hold within the limits of the spec.",
	}
}

// Explains returns what explains a name on this page; nil for nothing.
func (v view) Explains(name string) *term {
	for i, t := range v.Terms {
		if t.ID == termID(name) {
			return &v.Terms[i]
		}
	}
	return nil
}

func termID(name string) string { return strings.ReplaceAll(name, " ", "-") }

// explain returns the term of a name, and notes that the page explains it; nil if nothing is to be said.
func (b *builder) explain(name string) *term {
	text, found := explained()[name]
	if !found {
		return nil
	}
	t := term{termID(name), strings.ReplaceAll(name, "_", " "), text}
	for _, known := range b.view.Terms {
		if known == t {
			return &t
		}
	}
	b.view.Terms = append(b.view.Terms, t)
	return &t
}
