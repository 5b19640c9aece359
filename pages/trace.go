package pages

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"track/answer"
	"track/reports/escape"
)

// What a page shows of a trace.
const (
	stepsOfPage   = 200
	mostTraceBars = 240
	shownLines    = 4    // of the beginning and of the end of a text
	shownBytes    = 2000 // of the beginning and of the end
)

// step is a line of a trace: the prompt, a call with its texts, or the answer.
type step struct {
	Anchor     string
	Kind, Tool string
	Outcome    string
	Failed     bool
	Offset     string // since the beginning
	Took       string
	Size       string
	Texts      []stepText
	parts      []answer.TracePart
	call       int
	bytes      int
	duration   time.Duration
}

// stepText is a text of a step. The middle of a long one is left out, and stands at an address of its own.
type stepText struct {
	Name, First, Last string
	LeftOut           string // how much is between First and Last
	Href              string // of the whole text
}

// traceView is a part of a trace, with a bar of the whole above it.
type traceView struct {
	Steps          []step
	Total, First   int // steps; the first one on the page, from 1
	Last           int
	Before, After  string // addresses
	Bars           []traceBar
	Caption        string
	Failed         []int  // numbers of the calls that failed
	FailedText     string // says how many
	FailedHref     string // of the first of them
	Whole          string // address of the trace, if only one step is shown
	Address        string // address of the part with a step, without its anchor
	Search         string
	NothingMatches bool
}

// traceBar is a bar of the picture of a trace: some steps that follow one another.
type traceBar struct {
	X, Width   float64
	Time, Text float64 // heights, from 0 to 20
	TimeTop    float64
	Failed     bool
	Href       string
	Words      string
}

// stepsOf returns the steps of a trace without their texts.
func stepsOf(trace answer.Trace) (list []step) {
	var began time.Time
	list = make([]step, 0, len(trace.Parts)/2+2)
	first := 0 // part of the last step
	for i, p := range trace.Parts {
		if last := len(list) - 1; last < 0 || p.Call == 0 || list[last].call != p.Call {
			s := step{Anchor: p.Part, Kind: p.Part, call: p.Call, Tool: p.Tool, Outcome: p.Result, Failed: failedResult(p.Result)}
			if p.Call > 0 {
				s.Kind = "call " + strconv.Itoa(p.Call)
				s.Anchor = "call-" + strconv.Itoa(p.Call)
			}
			if began.IsZero() {
				began = p.StartedAt
			}
			if !p.StartedAt.IsZero() {
				s.Offset = "+" + p.StartedAt.Sub(began).Round(time.Millisecond).String()
			}
			if p.Duration != nil {
				s.Took, s.duration = p.Duration.Round(time.Millisecond).String(), *p.Duration
			}
			list, first = append(list, s), i
		}
		last := &list[len(list)-1]
		last.Failed = last.Failed || p.Part == "error"
		last.bytes += p.Bytes
		last.parts = trace.Parts[first : i+1]
	}
	return list
}

// failedResult reports whether the result of a call is a failure, in the words of [answer.TracePart].
func failedResult(result string) bool { return result != "" && result != "ok" && result != "answered" }

// addTrace adds the part of a trace that the address asks for.
func (b *builder) addTrace(trace answer.Trace) error {
	steps := stepsOf(trace)
	v := traceView{Total: len(steps), Search: trace.Search, NothingMatches: trace.Search != "" && len(steps) == 0}
	for _, s := range steps {
		if s.Failed {
			v.Failed = append(v.Failed, s.call)
		}
	}
	only := b.request.In.Get("step.trace")
	from, to := b.partShown(steps)
	if only != "" {
		v.Whole = b.traceAddress("", "")
	}
	v.Address = b.traceAddress("at.trace", "")
	for _, s := range steps[from:to] {
		v.Steps = append(v.Steps, b.shownStep(s, only != ""))
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
	for i, s := range steps {
		if s.Anchor == anchor {
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

// stepAddress returns the address of a step among the others.
func (b *builder) stepAddress(s step) string {
	return b.traceAddress("at.trace", s.Anchor) + "#" + s.Anchor
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

// addBars adds the picture of the whole trace: a bar for some steps, with their time and the size of their texts.
func (b *builder) addBars(v *traceView, steps []step) {
	if len(v.Failed) > 0 {
		v.FailedText = strconv.Itoa(len(v.Failed)) + " failed"
	}
	each := (len(steps) + mostTraceBars - 1) / mostTraceBars
	if each == 0 || len(steps) < 3 {
		return
	}
	longest, largest := time.Duration(1), 1
	type bar struct {
		took  time.Duration
		bytes int
		first step
		fails int
	}
	var bars []bar
	for i, s := range steps {
		if i%each == 0 {
			bars = append(bars, bar{first: s})
		}
		one := &bars[len(bars)-1]
		if s.Failed {
			if one.fails++; one.fails == 1 {
				one.first = s
			}
			if v.FailedHref == "" {
				v.FailedHref = b.stepAddress(s)
			}
		}
		one.took, one.bytes = one.took+s.duration, one.bytes+s.bytes
		longest, largest = max(longest, one.took), max(largest, one.bytes)
	}
	width := 1000 / float64(len(bars))
	for i, one := range bars {
		words := fmt.Sprintf("steps %d to %d, %s, %d bytes", i*each+1, min(len(steps), (i+1)*each), one.took.Round(time.Millisecond), one.bytes)
		if one.fails > 0 {
			words += fmt.Sprintf(", %d failed", one.fails)
		}
		took := 20 * float64(one.took) / float64(longest)
		v.Bars = append(v.Bars, traceBar{
			X: float64(i) * width, Width: width, Time: took, TimeTop: 30 - took, Text: 20 * float64(one.bytes) / float64(largest), Failed: one.fails > 0,
			Href: b.stepAddress(one.first), Words: words,
		})
	}
	v.Caption = "The whole trace: time above the line, size of the texts below it; what failed has a mark. A click jumps there."
}

// shownStep returns a step with its texts, whole or cut.
func (b *builder) shownStep(s step, whole bool) step {
	s.Tool, s.Outcome = escape.Line(s.Tool), escape.Line(s.Outcome)
	s.Size = strconv.Itoa(s.bytes) + " B"
	for _, p := range s.parts {
		s.Texts = append(s.Texts, b.stepTextOf(s, p, whole))
	}
	return s
}

func (b *builder) stepTextOf(s step, p answer.TracePart, whole bool) stepText {
	t := stepText{Name: p.Part + ", " + strconv.Itoa(p.Bytes) + " bytes"}
	if !p.Kept {
		t.First = "not kept; sha256 " + p.Digest
		return t
	}
	first, last, left := cutMiddle(p.Text)
	if whole || left == "" {
		t.First = escape.Code(p.Text)
		return t
	}
	t.First, t.Last, t.LeftOut = escape.Code(first), escape.Code(last), left
	t.Href = b.traceAddress("step.trace", s.Anchor) + "#" + s.Anchor
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
