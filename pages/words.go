package pages

import (
	"context"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"time"

	"track/answer"
)

// term is a word that a page explains to whoever asks.
type term struct{ ID, Name, Text string }

const termsPath = "/terms"

// glossary returns what words mean, in their order. It is what pages explain at a word, the page of terms, and
// docs/reference/terms.md.
func glossary() []term {
	list := make([]term, 0, 2*len(explained()))
	for _, words := range []map[string]string{explained(), others()} {
		for name, text := range words {
			list = append(list, term{termID(name), name, text})
		}
	}
	slices.SortFunc(list, func(a, b term) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// explained returns what words of the pages mean, by the name of a column or of a fact.
func explained() map[string]string {
	return map[string]string{
		"score":            "Of a metric: 1 in the middle of the target, 0 outside of it. Of a seed: the weighted mean of the scores of its metrics. Of a configuration: the mean of the scores of its seeds, of which a failed one counts as 0; the score of seeds that ran leaves failed ones out. Of an execution: from 0 to 100 by a rubric, or a number that was given.",
		"spread of scores": "The sample standard deviation of the scores of the seeds, with its interval.",
		"passing seeds":    "The share of seeds without a failing metric, with its Clopper–Pearson bounds. Each bound holds alone at the stated confidence. The verdict states the confidence that it asks for.",
		"unseen failures":  "The largest share of all possible seeds that could fail in a way that none of these did, at the stated confidence.",
		"flag":             "A doubt about this metric, such as a value that nearly always lies at the edge of its target.",
		"gate":             "What the declared rules of the spec conclude. Opening its page is no interim analysis.",
		"outside":          "How far the worst metric of a failing seed lies outside of what it accepts with PASS or WARN: as a share of the accepted range, or of its limit if the range is open on a side.",
		"interval":         "A range that is computed so that it holds the true value in the stated share of cases, if the conditions of its method are met.",
		"fitness":          "What the policy of the lineage maximizes, computed from the executions of a version.",
		"replay":           "Whether each recorded decision follows again from its recorded evidence and draw.",
		"gain":             "The mean score of the active version less that of the root, with Welch's interval: the two are compared as wholes. A decision compares pairs of trials of the same task if there are any, so its number may differ. Trials that served to choose the version do not count if there are two others.",
		"operator":         "The kind of change that made a mutation.",
		"draw":             "The random number of a decision. It is recorded, so the decision can be replayed.",
		"stability":        "Whether the pass rate and the spread of the scores hold within the limits of the spec.",
		"running":          "Planned seeds that processes run now, for this sweep or another. After kill -9 none is shown: on a file at once, on a server when the lease has ended.",
	}
}

// others returns what other words mean that the pages use.
func others() map[string]string {
	return map[string]string{
		"active version":   "The version of a lineage that is in use. A decision to accept or a rollback changes it.",
		"baseline":         "The configuration that others of its scenario are compared with.",
		"component":        "A part of the score of an execution, such as the share of tool calls that succeeded.",
		"configuration":    "What was run: parameters, the revision of the code, a label, and the environment. Aggregates are per scenario, spec and configuration.",
		"decision":         "Accepts or rejects a mutation by the policy of its lineage. It records its evidence and its draw.",
		"execution":        "One run of an agent on a task, with its tool calls and its score.",
		"front":            "The versions that no other version equals or beats in two objectives at once: the Pareto front.",
		"improvement":      "The comparison of a candidate with a baseline, paired by seed.",
		"interim analysis": "A judgement of seeds before all of them have run, also called a look. Each one is recorded, because many looks find chance results.",
		"lineage":          "The history of one thing that evolves, such as a prompt: its versions, mutations and decisions.",
		"metric":           "A number that each seed of a scenario measures, with its target and its weight in the spec.",
		"mutation":         "The step from one or two parents to a child version.",
		"outcome":          "How a seed ended: ok, error, timeout or collapsed.",
		"policy":           "The rule by which a lineage decides mutations.",
		"result":           "The status and the score of a value under one spec.",
		"rollback":         "The return of a lineage to an earlier version.",
		"rubric":           "How executions are scored from their tool calls and their text. Rubrics have versions, and each score names its own.",
		"scenario":         "Something that is validated by seeds, with a name.",
		"seed":             "One run of a simulation with one seed of its random numbers.",
		"spec":             "The metrics of a scenario with their types, targets and weights. Specs are immutable and have versions.",
		"sweep":            "A command that is run once for each planned seed of some configurations.",
		"trial":            "An execution that counts as evidence for a version.",
		"value":            "What a seed measured, by the name of the metric, before it is judged.",
		"verdict":          "PASS, WARN, FAIL or INCONCLUSIVE. INCONCLUSIVE means that the seeds cannot tell.",
		"version":          "The content of a lineage at one step, identified by its hash.",
		"withdrawn":        "Taken back with a reason. The record stays, and no longer counts.",
	}
}

// composeTerms shows all terms. They are words of the program, which no question answers, so there is nothing to download.
func composeTerms(_ context.Context, b *builder) error {
	b.view.Live = false // they change with the program
	return b.addFragment("terms", "", "terms", glossary())
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

func termID(name string) string { return strings.NewReplacer(" ", "-", "_", "-").Replace(name) }

// explain returns the term of a name, and notes that the page explains it; nil if nothing is to be said.
func (b *builder) explain(name string) *term {
	name = strings.ReplaceAll(name, "_", " ")
	text, found := explained()[name]
	if !found {
		return nil
	}
	t := term{termID(name), name, text}
	for _, known := range b.view.Terms {
		if known == t {
			return &t
		}
	}
	b.view.Terms = append(b.view.Terms, t)
	return &t
}

// timeLayout is how a time is written for readers without a script, and what they see on hover.
const timeLayout = "2006-01-02 15:04:05 UTC"

// timeElement returns a time that scripts show in the reader's zone: as the span up to now, or exactly if it stands in
// a sentence. at is RFC 3339.
func timeElement(at, text string, isExact bool) template.HTML {
	parsed, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
	}
	exact := ""
	if isExact {
		exact = " data-exact"
	}
	return template.HTML(`<time datetime="` + parsed.UTC().Format(time.RFC3339Nano) + `" title="` + parsed.UTC().Format(timeLayout) + `"` + exact + ">" + template.HTMLEscapeString(text) + "</time>") //nolint:gosec // it is escaped
}

// timeIn finds times in HTML, and what may hold no other element: tags, code and pictures.
var timeIn = regexp.MustCompile(`(?s)<(?:pre|code|time|svg)\b.*?</(?:pre|code|time|svg)>|<[^>]*>|\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)`)

// timedHTML returns HTML with an element for each time.
func timedHTML(text string) template.HTML {
	return template.HTML(timeIn.ReplaceAllStringFunc(text, func(found string) string { //nolint:gosec // it is HTML already
		if found[0] == '<' {
			return found
		}
		at := strings.TrimSuffix(strings.TrimSuffix(strings.Replace(found, " ", "T", 1), " UTC"), "Z")
		if strings.Count(at, ":") == 1 {
			at += ":00"
		}
		return string(timeElement(at+"Z", found, true))
	}))
}

// timedText is [timedHTML] for a text.
func timedText(text string) template.HTML { return timedHTML(template.HTMLEscapeString(text)) }

// timeFunctions are what templates call to show times.
func timeFunctions() template.FuncMap {
	return template.FuncMap{"timed": timedText, "timeOf": func(at, text string) template.HTML { return timeElement(at, text, false) }}
}

// selectorIn finds the selectors of configurations that a report writes as code, and what may hold no link.
var selectorIn = regexp.MustCompile(`(?s)<(?:pre|summary|svg|a)\b.*?</(?:pre|summary|svg|a)>|<code>[^<\s]+@[0-9a-f]{10,64}</code>`)

// linkSelectors makes the configurations that a report names links to their pages.
func (b *builder) linkSelectors(text template.HTML) template.HTML {
	return template.HTML(selectorIn.ReplaceAllStringFunc(string(text), func(found string) string { //nolint:gosec // it is HTML already
		name, isCode := strings.CutPrefix(found, "<code>")
		if !isCode {
			return found
		}
		selector, err := answer.ParseSelector(html.UnescapeString(strings.TrimSuffix(name, "</code>")))
		if err != nil {
			return found
		}
		return `<a href="` + html.EscapeString(b.address("stability", "scenario", selector.String())) + `">` + found + "</a>"
	}))
}
