package pages

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/answer/param"
	"track/ask"
	"track/internal/shell"
	"track/reports"
	"track/reports/render"
)

// linked is a row whose cells lead to other pages.
type linked struct {
	base  string
	asked url.Values    // of the page
	sweep *answer.Sweep // that the page is about; nil for none
	table answer.Table
	row   []any
}

// exact returns what programs read in a column; empty if there is none.
func (l linked) exact(names ...string) string {
	for _, name := range names {
		if i := slices.IndexFunc(l.table.Columns, func(c answer.Column) bool { return c.Name == name }); i >= 0 && l.row[i] != nil {
			return render.ExactText(l.row[i])
		}
	}
	return ""
}

// scenario returns the scenario of the row: its own, or the one that the page is about.
func (l linked) scenario() string {
	if name := l.exact("scenario"); name != "" {
		return name
	}
	if l.sweep != nil {
		return l.sweep.Scenario
	}
	for _, asked := range []string{"scenario", "candidate"} {
		if text := l.asked.Get(asked); text != "" {
			selector, err := answer.ParseSelector(text)
			if err == nil {
				return selector.Scenario
			}
		}
	}
	return ""
}

// tickKey names the row among those that can be compared; empty if it cannot.
func (l linked) tickKey() string {
	if l.table.Name == "executions" {
		return l.exact("id")
	}
	return l.selector()
}

// comparisonOf returns what compares rows of a table; nil unless there are two that differ.
func comparisonOf(base, table string, groups []group) *comparison {
	keys := map[string]bool{}
	for _, g := range groups {
		for _, r := range g.Rows {
			if r.Key != "" {
				keys[r.Key] = true
			}
		}
	}
	switch {
	case len(keys) < 2:
		return nil
	case table == "executions":
		return &comparison{base + "/compare/executions", "id"}
	}
	return &comparison{base + "/compare", "scenario"}
}

// selector names the configuration of the row; empty if there is none.
func (l linked) selector() string {
	scenario, configuration := l.scenario(), l.exact("configuration")
	if scenario == "" {
		return ""
	}
	if configuration == "" {
		if l.exact("seed") == "" {
			return ""
		}
		return l.asked.Get("scenario") // of the page
	}
	if l.sweep != nil && !hasSeeds(*l.sweep, configuration) {
		return ""
	}
	return answer.Selector{Scenario: scenario, Configuration: configuration}.String()
}

// hasSeeds reports whether a sweep has recorded seeds of a configuration, so that there is a page of it. Of a sweep of many
// configurations this is known of some.
func hasSeeds(a answer.Sweep, configuration string) bool {
	return slices.ContainsFunc(a.Progress.Configurations, func(c answer.ConfigurationProgress) bool {
		return c.Configuration == configuration && c.NRecorded > 0
	})
}

// lineage returns the lineage of the row: its own, or the one that the page is about.
func (l linked) lineage() string {
	if name := l.exact("lineage"); name != "" {
		return name
	}
	for _, asked := range []string{"lineage", "version"} {
		if text := l.asked.Get(asked); text != "" {
			selector, err := answer.ParseLineageSelector(text)
			if err == nil {
				return selector.Lineage
			}
		}
	}
	return ""
}

// address returns where a cell of the row leads; empty for nowhere.
func (l linked) address(column string) string {
	to := func(path string, params ...string) string { return addressOf(l.base, path, params...) }
	value := l.exact(column)
	if value == "" {
		return ""
	}
	if l.table.Name == "names" && column == "name" {
		return l.nameAddress(value)
	}
	switch column {
	case "scenario":
		if selector, err := answer.ParseSelector(value); err == nil && selector.Configuration != "" {
			return to("stability", "scenario", value)
		}
		return to("history", "scenario", value)
	case "configuration", "label":
		if selector := l.selector(); selector != "" {
			return to("stability", "scenario", selector)
		}
	case "seed":
		selector := l.selector()
		if l.table.Name == "draws" || selector == "" {
			return ""
		}
		return to("show/seed", "scenario", selector, "seed", value)
	case "lineage":
		return to("lineage/show", "lineage", value)
	case "replay":
		return to("replay", "lineage", l.lineage())
	case "head", "version", "child", "parent":
		if lineage := l.lineage(); lineage != "" && !strings.Contains(value, " ") {
			return to("version/show", "version", lineage+"@"+value)
		}
	case "mutation":
		return to("mutation/show", "mutation", value, "lineage", l.lineage())
	case "id", "execution":
		if l.table.Name != "notes" {
			return to("show/execution", "id", value)
		}
	case "call":
		if execution := l.exact("execution"); execution != "" {
			return callAddress(l.base, execution, value)
		}
	case "first", "second":
		if ids := l.asked["id"]; l.table.Name == "aligned_calls" && len(ids) == 2 {
			return callAddress(l.base, ids[boolNumber(column == "second")], value)
		}
	case "sweep":
		return to("sweep/show", "sweep", value)
	case "name":
		if l.table.Name == "artifacts" && l.exact("left_out") == "" && l.exact("pruned") == "" {
			return to("api/v1/artifact/content", "scenario", l.asked.Get("scenario"), "seed", l.exact("seed"), "name", value)
		}
		if l.table.Name == "series" && l.asked.Get("scenario") != "" && l.asked.Get("seed") != "" {
			return to("series/show", "scenario", l.asked.Get("scenario"), "seed", l.asked.Get("seed"), "series", value)
		}
	}
	return ""
}

// nameAddress returns the page of a name that was searched for.
func (l linked) nameAddress(name string) string {
	to := func(path string, params ...string) string { return addressOf(l.base, path, params...) }
	switch scenario, lineage := l.exact("scenario"), l.exact("lineage"); l.exact("kind") {
	case "scenario":
		return to("history", "scenario", name)
	case "configuration":
		return to("stability", "scenario", l.selector())
	case "metric":
		if scenario != "" {
			return to("history", "scenario", scenario, "metric", name)
		}
	case "lineage":
		return to("lineage/show", "lineage", name)
	case "version":
		return to("version/show", "version", lineage+"@"+name)
	case "mutation":
		return to("mutation/show", "mutation", name, "lineage", lineage)
	case "sweep":
		return to("sweep/show", "sweep", name)
	case "execution":
		return to("show/execution", "id", name)
	}
	return ""
}

// callAddress returns the address of a call in the trace of an execution.
func callAddress(base, execution, call string) string {
	return addressOf(base, "show/execution", "id", execution, "at.trace", "call-"+call) + "#call-" + call
}

// rowAddress returns where the row leads: what its table lists.
func (l linked) rowAddress() string {
	if l.table.Name == "names" {
		return l.address("name")
	}
	for _, column := range []string{"seed", "mutation", "sweep", "id", "execution", "version", "configuration", "lineage", "scenario"} {
		if address := l.address(column); address != "" {
			return address
		}
	}
	return ""
}

// hintSentence returns a hint with its command apart, and with the page that shows the same, if there is one.
func hintSentence(base string, h track.Hint) sentence {
	text := reports.ShellHint(h)
	if command, found := strings.CutPrefix(text, h.Text+": "); found {
		return sentence{Class: "need", Text: h.Text, Href: hintAddress(base, h), Command: command}
	}
	return sentence{Class: "need", Text: text}
}

// hintAddress returns the page that does what a hint says; empty if there is none, or if the hint leaves something
// open.
func hintAddress(base string, h track.Hint) string {
	if h.Do == "" {
		return ""
	}
	for _, page := range All() {
		if page.question.Name != h.Do {
			continue
		}
		in, ok := paramsOfHint(page.question, h)
		if !ok {
			return ""
		}
		return strings.TrimSuffix(base+page.Path+"?"+in.Encode(), "?")
	}
	return ""
}

// paramsOfHint returns what a hint asks, and false if a required parameter is missing, unknown to the question, or a
// placeholder such as LABEL.
func paramsOfHint(q ask.Question, h track.Hint) (url.Values, bool) {
	in := url.Values{}
	var places []param.Param
	for _, p := range q.Params {
		if p.Arg {
			places = append(places, p)
		}
	}
	for _, arg := range h.Args {
		name := arg.Name
		if name == "" {
			if len(places) == 0 {
				return nil, false
			}
			name = places[0].Name
			if places[0].Value.Type() != "array" {
				places = places[1:]
			}
		}
		known := slices.ContainsFunc(q.Params, func(p param.Param) bool { return p.Name == name })
		if !known || arg.Value != strings.ToLower(arg.Value) && arg.Value == strings.ToUpper(arg.Value) {
			return nil, false
		}
		in.Add(name, cmp.Or(arg.Value, "true"))
	}
	missing := slices.ContainsFunc(q.Params, func(p param.Param) bool { return p.Required && !in.Has(p.Name) })
	return in, !missing
}

// commandOf returns what asks a question on the command line, and what it gives if that is not the same answer.
func commandOf(q ask.Question, in url.Values) (command, gives string) {
	name := q.Name
	if isPreviewed(q) {
		gives = "The report with its verdicts on the command line. It is recorded as an interim analysis:"
	}
	if name == "gate preview" {
		name, gives = "gate", "The verdict on the command line. The gate is recorded as an interim analysis:"
	}
	words := []string{"track", name}
	for _, p := range q.Params {
		flag := "--" + p.Name
		if len(p.Name) == 1 {
			flag = "-" + p.Name
		}
		for _, text := range in[p.Name] {
			switch {
			case p.Arg:
				words = append(words, shell.Word(text))
			case p.Value.Type() == "boolean":
				if text == "true" {
					words = append(words, flag)
				}
			default:
				words = append(words, flag, shell.Word(text))
			}
		}
	}
	return strings.Join(words, " "), gives
}
