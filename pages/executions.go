package pages

import (
	"context"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"track/answer"
	"track/ask"
	"track/reports/escape"
	"track/scoring/format"
)

// composeExecution shows an execution with its scores, the reasons for them, and its trace.
func composeExecution(ctx context.Context, b *builder) error {
	in := maps.Clone(b.asked)
	for _, name := range []string{"trace", "all"} {
		if !in.Has(name) {
			in.Set(name, "true")
		}
	}
	a, err := get(ctx, b, ask.ShowExecution(), in)
	if err != nil {
		return err
	}
	b.shown.add(a.Lineage)
	b.view.Trail = []link{{Text: "Executions", Href: b.address("executions")}, {Text: escape.Line(a.Lineage), Href: b.address("executions", "lineage", a.Lineage)}}
	trace, failed, notes := a.Trace, failedText(a), a.RequestNotes()
	b.executionFacts(a, failed)
	a.Trace = nil
	b.show(a)
	for i, s := range b.view.Sections {
		if s.ID == "components" {
			b.view.Sections[i].Folded, b.view.Sections[i].Title = true, "Why this score: "+s.Title
		}
	}
	b.head("Execution " + a.ID[max(0, len(a.ID)-10):] + " of " + strings.TrimSuffix(a.Lineage+"@"+a.Version, "@"))
	if trace == nil || len(trace.Parts) == 0 && trace.Search == "" {
		return nil
	}
	return b.addTrace(*trace, notes, failed)
}

// failedText says how many calls failed: according to the source, as the trace shows it, and how many of these the
// rubric forgives. A search in the trace leaves out calls, so the rubric counts alone then.
func failedText(a answer.Execution) string {
	counted := a.NFailed
	for _, s := range a.Scores {
		if s.Rubric == a.ComponentsUnder {
			counted = s.NFailed
		}
	}
	if a.Trace == nil || a.Trace.Search != "" || a.ComponentsUnder == "" {
		return fmt.Sprintf("%d failed", counted)
	}
	inTrace := 0
	for _, s := range stepsOf(*a.Trace) {
		inTrace += boolNumber(s.failed && s.call() > 0)
	}
	return failedCounts(inTrace, counted, a.ComponentsUnder)
}

func failedCounts(inTrace, counted int, rubric string) string {
	switch {
	case inTrace > counted:
		return fmt.Sprintf("%d failed, %d of them benign under %s", inTrace, inTrace-counted, rubric)
	case inTrace < counted:
		return fmt.Sprintf("%d failed, %d under %s", inTrace, counted, rubric)
	}
	return fmt.Sprintf("%d failed", inTrace)
}

// executionFacts shows the numbers of an execution; failed says how many calls failed.
func (b *builder) executionFacts(a answer.Execution, failed string) {
	if a.Score != nil {
		basis := "by " + a.Rubric
		if a.Grade != "" {
			basis = "grade " + a.Grade + " " + basis
		}
		b.fact("score", format.Fixed(*a.Score, 2), "", basis)
	}
	b.fact("calls", strconv.Itoa(a.NCalls), "", failed)
	if a.Duration != nil {
		b.fact("time", a.Duration.Round(100*time.Millisecond).String(), "", "")
	}
	number := func(n *int64) string {
		if n == nil {
			return "?"
		}
		return fmt.Sprint(*n)
	}
	if t := a.Tokens; t != nil && (t.Input != nil || t.Output != nil) {
		basis := "input + output"
		if t.CacheRead != nil {
			basis += ", " + number(t.CacheRead) + " from a cache"
		}
		b.fact("tokens", number(t.Input)+" + "+number(t.Output), "", basis)
	}
	if a.CostUSD != nil {
		b.fact("cost", format.Four(*a.CostUSD)+" USD", "", "")
	}
}

// composeExecutions lists executions, with a search in their texts.
func composeExecutions(ctx context.Context, b *builder) error {
	of := answer.LineageSelector{}
	b.head("Executions")
	if text := b.asked.Get("lineage"); text != "" {
		var err error
		if of, err = answer.ParseLineageSelector(text); err != nil {
			return err
		}
		b.head("Executions of " + text)
		b.lineageTabs(of.Lineage, "executions")
	}
	if err := b.addTextSearch(of.Lineage, ""); err != nil {
		return err
	}
	a, err := get(ctx, b, ask.Executions(), b.asked)
	if err == nil {
		b.show(a)
	}
	return err
}

// composeSearch shows the names that hold a text, and the texts that hold its words, which are marked.
func composeSearch(ctx context.Context, b *builder) error {
	if err := b.addTextSearch(b.asked.Get("lineage"), b.asked.Get("text")); err != nil {
		return err
	}
	a, err := get(ctx, b, ask.Search(), b.asked)
	if err == nil {
		b.show(a)
		b.head("Search")
	}
	return err
}

// addTextSearch adds a form that searches names, and the texts of executions.
func (b *builder) addTextSearch(lineage, text string) error {
	return b.addFragment("text-search", "", "text-search", struct{ Action, Lineage, Text string }{b.address("search"), lineage, text})
}

// composeExecutionComparison shows two executions side by side; the first difference stands at the top.
func composeExecutionComparison(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.CompareExecutions(), b.asked)
	if err != nil {
		return err
	}
	b.view.Trail = []link{{Text: "Executions", Href: b.address("executions")}}
	b.show(a)
	b.head("Two executions side by side")
	return nil
}

// What a page shows of a trace.
const (
	stepsOfPage   = 200
	shownLines    = 4    // of the beginning and of the end of a text
	shownBytes    = 2000 // of the beginning and of the end
	mostTraceBars = 240
)

// step is a line of a trace: the prompt, a call with its texts, or the answer.
type step struct {
	parts  []answer.TracePart
	failed bool
	bytes  int
	tokens int64 // of the requests that it begins
}

func (s step) call() int { return s.parts[0].Call }

func (s step) anchor() string {
	if call := s.call(); call > 0 {
		return "call-" + strconv.Itoa(call)
	}
	return s.parts[0].Part
}

func (s step) took() time.Duration {
	if d := s.parts[0].Duration; d != nil {
		return *d
	}
	return 0
}

// shownStep is a step as the page shows it.
type shownStep struct {
	Anchor     string
	Kind, Tool string
	Outcome    string
	Failed     bool
	Used       string // by the request that it begins
	Offset     string // since the beginning
	Took       string
	Size       string
	Texts      []stepText
}

// stepText is a text of a step. The middle of a long one is left out, and stands at an address of its own.
type stepText struct {
	Name, First, Last string
	LeftOut           string // how much is between First and Last
	Href              string // of the whole text
}

// traceView is a part of a trace, with a bar of the whole above it.
type traceView struct {
	Steps          []shownStep
	Total, First   int // steps; the first one on the page, from 1
	Last           int
	Before, After  string // addresses
	Bars           template.HTML
	Caption        string
	Notes          []string // what does not fit together
	Failed         []int    // numbers of the calls that failed
	FailedText     string   // says how many; nothing is shown if none did
	FailedHref     string   // of the first of them
	Whole          string   // address of the trace, if only one step is shown
	Address        string   // address of the part with a step, without its anchor
	Search         string
	NothingMatches bool
}

// stepsOf returns the steps of a trace. It makes no texts: only some of the steps are shown.
func stepsOf(trace answer.Trace) (list []step) {
	uses := trace.UseIndex()
	list = make([]step, 0, len(trace.Parts)/2+2)
	first := 0 // part of the last step
	for i, p := range trace.Parts {
		if last := len(list) - 1; last < 0 || p.Call == 0 || list[last].parts[0].Call != p.Call {
			one := step{failed: p.Result != "" && p.Result != "ok" && p.Result != "answered"} // in the words of answer.TracePart
			if use := uses.Of(p); use != nil {
				one.tokens = use.All()
			}
			list, first = append(list, one), i
		}
		last := &list[len(list)-1]
		last.failed = last.failed || p.Part == "error"
		last.bytes += p.Bytes
		last.parts = trace.Parts[first : i+1]
	}
	return list
}

// addTrace adds the part of a trace that the address asks for; failed says how many calls failed.
func (b *builder) addTrace(trace answer.Trace, notes []string, failed string) error {
	uses, steps := trace.UseIndex(), stepsOf(trace)
	v := traceView{Notes: notes, FailedText: escape.Line(failed), Total: len(steps), Search: trace.Search, NothingMatches: trace.Search != "" && len(steps) == 0}
	v.Address = b.traceAddress("at.trace", "")
	for _, s := range steps {
		if s.failed {
			if v.Failed = append(v.Failed, s.call()); v.FailedHref == "" {
				v.FailedHref = v.Address + s.anchor() + "#" + s.anchor()
			}
		}
	}
	only := b.request.In.Get("step.trace")
	from, to := b.partShown(steps)
	var began time.Time
	for _, p := range trace.Parts {
		if began.IsZero() {
			began = p.StartedAt
		}
	}
	for _, s := range steps[from:to] {
		v.Steps = append(v.Steps, b.shownStep(s, began, uses, only != ""))
	}
	v.First, v.Last = from+1, to
	switch {
	case only != "":
		v.Whole = b.traceAddress("", "")
	case from > stepsOfPage:
		v.Before = b.traceAddress("from.trace", strconv.Itoa(from-stepsOfPage+1))
	case from > 0:
		v.Before = b.traceAddress("", "")
	}
	if only == "" && to < len(steps) {
		v.After = b.traceAddress("from.trace", strconv.Itoa(to+1))
	}
	v.addBars(steps)
	return b.addFragment("trace", "Trace", "trace", v)
}

// partShown returns which steps the address asks for: one, those around one, or those from a number on.
func (b *builder) partShown(steps []step) (from, to int) {
	if only := b.request.In.Get("step.trace"); only != "" {
		return one(steps, only)
	}
	if number, err := strconv.Atoi(b.request.In.Get("from.trace")); err == nil {
		from = max(0, min(number, len(steps))-1)
	}
	if at, end := one(steps, b.request.In.Get("at.trace")); end > at {
		from = at / stepsOfPage * stepsOfPage
	}
	return from, min(len(steps), from+stepsOfPage)
}

// one returns the place of the step with an anchor; both 0 if there is none.
func one(steps []step, anchor string) (from, to int) {
	for i, s := range steps {
		if s.anchor() == anchor {
			return i, i + 1
		}
	}
	return 0, 0
}

// traceAddress returns the address of another part of the trace.
func (b *builder) traceAddress(name, value string) string {
	in := url.Values{}
	for key, values := range b.request.In {
		if key != "from.trace" && key != "at.trace" && key != "step.trace" {
			in[key] = values
		}
	}
	address := b.request.Base + b.view.Path + "?" + in.Encode()
	if name != "" {
		address += "&" + name + "=" + url.QueryEscape(value)
	}
	return address
}

// shownStep returns a step with its texts, whole or cut.
func (b *builder) shownStep(s step, began time.Time, uses answer.UseIndex, whole bool) shownStep {
	p := s.parts[0]
	shown := shownStep{
		Anchor: s.anchor(), Kind: p.Part, Tool: escape.Line(p.Tool), Outcome: escape.Line(p.Result), Failed: s.failed, Used: escape.Line(uses.Words(p)),
		Size: strconv.Itoa(s.bytes) + " B",
	}
	if p.Call > 0 {
		shown.Kind = "call " + strconv.Itoa(p.Call)
	}
	if !p.StartedAt.IsZero() {
		shown.Offset = "+" + p.StartedAt.Sub(began).Round(time.Millisecond).String()
	}
	if p.Duration != nil {
		shown.Took = p.Duration.Round(time.Millisecond).String()
	}
	for _, p := range s.parts {
		t := stepText{Name: p.Part + ", " + strconv.Itoa(p.Bytes) + " bytes"}
		first, last, left := cutMiddle(p.Text)
		switch {
		case !p.Kept:
			t.First = "not kept; sha256 " + p.Digest.String()
		case whole || left == "":
			t.First = escape.Code(p.Text)
		default:
			t.First, t.Last, t.LeftOut = escape.Code(first), escape.Code(last), left
			t.Href = b.traceAddress("step.trace", shown.Anchor) + "#" + shown.Anchor
		}
		shown.Texts = append(shown.Texts, t)
	}
	return shown
}

// cutMiddle returns the beginning and the end of a long text, and says how much is between them; left is empty for a
// short text.
func cutMiddle(text string) (first, last, left string) {
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= 2*shownLines+1 && len(text) <= 2*shownBytes {
		return text, "", ""
	}
	if len(lines) > 2*shownLines+1 {
		first, last = strings.Join(lines[:shownLines], ""), strings.Join(lines[len(lines)-shownLines:], "")
		left = strconv.Itoa(len(lines)-2*shownLines) + " lines"
	} else {
		first, last = text[:len(text)/2], text[len(text)/2:]
	}
	if len(first) > shownBytes || len(last) > shownBytes {
		first = strings.ToValidUTF8(first[:min(len(first), shownBytes)], "")
		last = strings.ToValidUTF8(last[max(0, len(last)-shownBytes):], "")
		left = strconv.Itoa(len(text)-len(first)-len(last)) + " bytes"
	}
	return first, last, left
}

// traceBar is a bar of the picture of a trace: some steps that follow one another.
type traceBar struct {
	first    step // the one that a click leads to
	from, to int  // numbers of the steps, from 1
	took     time.Duration
	bytes    int
	tokens   int64
	fails    int
}

// addBars adds the picture of the whole trace: a bar for some steps, with their time above the line. Below it are the
// tokens of their requests, or the size of their texts if no tokens are known.
func (v *traceView) addBars(steps []step) {
	if len(steps) < 3 {
		return
	}
	var bars []traceBar
	each := (len(steps) + mostTraceBars - 1) / mostTraceBars
	longest, largest, most := time.Duration(1), 1, int64(0)
	for i, s := range steps {
		if i%each == 0 {
			bars = append(bars, traceBar{first: s, from: i + 1})
		}
		one := &bars[len(bars)-1]
		if s.failed {
			if one.fails++; one.fails == 1 {
				one.first = s
			}
		}
		one.to, one.took, one.bytes, one.tokens = i+1, one.took+s.took(), one.bytes+s.bytes, one.tokens+s.tokens
		longest, largest, most = max(longest, one.took), max(largest, one.bytes), max(most, one.tokens)
	}
	below := "size of the texts"
	if most > 0 {
		below = "tokens (read and written, also from a cache)"
	}
	v.Caption = "The whole trace: time above the line, " + below + " below it; what failed has a mark. A click jumps there."
	var svg strings.Builder
	wide := 1000 / float64(len(bars))
	for i, one := range bars {
		under, size := float64(one.bytes)/float64(largest), strconv.Itoa(one.bytes)+" bytes"
		if most > 0 {
			under, size = float64(one.tokens)/float64(most), strconv.FormatInt(one.tokens, 10)+" tokens"
		}
		words := fmt.Sprintf("steps %d to %d, %s, %s", one.from, one.to, one.took.Round(time.Millisecond), size)
		x, above := float64(i)*wide, 20*float64(one.took)/float64(longest)
		elements := rect("space", x, 0, wide, 52) + rect("time", x, 30-above, wide, above) + rect("text", x, 31, wide, 20*under)
		if one.fails > 0 {
			words += fmt.Sprintf(", %d failed", one.fails)
			elements += rect("fail", x, 0, wide, 8)
		}
		address := v.Address + one.first.anchor() + "#" + one.first.anchor()
		svg.WriteString(`<a href="` + template.HTMLEscapeString(address) + `" tabindex="-1"><title>` + template.HTMLEscapeString(words) + "</title>" + elements + "</a>")
	}
	v.Bars = template.HTML(svg.String()) //nolint:gosec // numbers, and addresses that are escaped
}
