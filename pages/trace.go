package pages

import (
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"track/answer"
	"track/reports/escape"
)

// What a page shows of a trace.
const (
	stepsOfPage = 200
	shownLines  = 4    // of the beginning and of the end of a text
	shownBytes  = 2000 // of the beginning and of the end
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
	list = make([]step, 0, len(trace.Parts)/2+2)
	first := 0 // part of the last step
	for i, p := range trace.Parts {
		if last := len(list) - 1; last < 0 || p.Call == 0 || list[last].parts[0].Call != p.Call {
			list, first = append(list, step{failed: failedResult(p.Result)}), i
		}
		last := &list[len(list)-1]
		last.failed = last.failed || p.Part == "error"
		last.bytes += p.Bytes
		last.parts = trace.Parts[first : i+1]
	}
	return list
}

// beginOf returns when the first step began that has a time.
func beginOf(trace answer.Trace) time.Time {
	for _, p := range trace.Parts {
		if !p.StartedAt.IsZero() {
			return p.StartedAt
		}
	}
	return time.Time{}
}

// countTokens gives the steps the tokens of the requests that they begin.
func countTokens(steps []step, uses answer.UseIndex) {
	for i := range steps {
		if use := uses.Of(steps[i].parts[0]); use != nil {
			steps[i].tokens = use.All()
		}
	}
}

// failedResult reports whether the result of a call is a failure, in the words of [answer.TracePart].
func failedResult(result string) bool { return result != "" && result != "ok" && result != "answered" }

// addTrace adds the part of a trace that the address asks for; failed says how many calls failed.
func (b *builder) addTrace(trace answer.Trace, notes []string, failed string) error {
	uses := trace.UseIndex()
	steps := stepsOf(trace)
	countTokens(steps, uses)
	v := traceView{Notes: notes, FailedText: escape.Line(failed), Total: len(steps), Search: trace.Search, NothingMatches: trace.Search != "" && len(steps) == 0}
	for _, s := range steps {
		if s.failed {
			v.Failed = append(v.Failed, s.call())
		}
	}
	only := b.request.In.Get("step.trace")
	from, to := b.partShown(steps)
	if only != "" {
		v.Whole = b.traceAddress("", "")
	}
	v.Address = b.traceAddress("at.trace", "")
	began := beginOf(trace)
	for _, s := range steps[from:to] {
		v.Steps = append(v.Steps, b.shownStep(s, began, uses, only != ""))
	}
	v.First, v.Last = from+1, to
	if only == "" && from > 0 {
		v.Before = b.partOf(max(0, from-stepsOfPage))
	}
	if only == "" && to < len(steps) {
		v.After = b.partOf(to)
	}
	b.addBars(&v, steps)
	html, err := fragment("trace", v)
	b.view.Sections = append(b.view.Sections, section{ID: "trace", Title: "Trace", HTML: html})
	return err
}

// partShown returns which steps the address asks for: one, those around one, or those from a number on.
func (b *builder) partShown(steps []step) (from, to int) {
	if only := b.request.In.Get("step.trace"); only != "" {
		return one(steps, only)
	}
	from = min(pageOf(b.request.In.Get("from.trace")), max(0, len(steps)-1))
	if at, end := one(steps, b.request.In.Get("at.trace")); end > at {
		from = at / stepsOfPage * stepsOfPage
	}
	return from, min(len(steps), from+stepsOfPage)
}

// one returns the place of the step with an anchor; both 0 if there is none.
func one(steps []step, anchor string) (from, to int) {
	number, _ := strings.CutPrefix(anchor, "call-")
	call, _ := strconv.Atoi(number) // 0 for the prompt and the answer
	for i, s := range steps {
		if s.call() == call && (call > 0 || s.parts[0].Part == anchor) {
			return i, i + 1
		}
	}
	return 0, 0
}

// pageOf returns the place of the first step that an address asks for.
func pageOf(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0
	}
	return n - 1
}

// partOf returns the address of the page that begins with a step, counted from 0.
func (b *builder) partOf(from int) string {
	if from == 0 {
		return b.traceAddress("", "")
	}
	return b.traceAddress("from.trace", strconv.Itoa(from+1))
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
		shown.Texts = append(shown.Texts, b.stepTextOf(shown.Anchor, p, whole))
	}
	return shown
}

func (b *builder) stepTextOf(anchor string, p answer.TracePart, whole bool) stepText {
	t := stepText{Name: p.Part + ", " + strconv.Itoa(p.Bytes) + " bytes"}
	if !p.Kept {
		t.First = "not kept; sha256 " + p.Digest.String()
		return t
	}
	first, last, left := cutMiddle(p.Text)
	if whole || left == "" {
		t.First = escape.Code(p.Text)
		return t
	}
	t.First, t.Last, t.LeftOut = escape.Code(first), escape.Code(last), left
	t.Href = b.traceAddress("step.trace", anchor) + "#" + anchor
	return t
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
