package pages

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"track/answer"
	"track/ask"
	"track/reports/escape"
)

// composeExecution shows an execution with its scores and its trace: a step on a line, its texts folded.
func composeExecution(ctx context.Context, b *builder) error {
	in := url.Values{"trace": {"true"}, "output": {"true"}, "all": {"true"}}
	for name, values := range b.asked {
		in[name] = values
	}
	a, err := get(ctx, b, ask.ShowExecution(), in)
	if err != nil {
		return err
	}
	b.view.Trail = []link{{Text: "Executions", Href: b.address("executions")}, {Text: a.Lineage, Href: b.address("executions", "lineage", a.Lineage)}}
	trace := a.Trace
	a.Trace = nil
	b.show(a)
	if trace != nil && len(trace.Parts) > 0 {
		b.view.Sections = append(b.view.Sections, section{ID: "trace", Title: "Trace", Steps: stepsOf(*trace)})
	}
	return nil
}

// step is a line of a trace.
type step struct {
	Number     int
	Kind, Tool string
	Outcome    string
	Failed     bool
	Offset     string // since the beginning
	Tokens     string
	Texts      []stepText
}

type stepText struct {
	Name, First, Rest string // Rest is folded; empty if First is all
}

// shownLines is the number of lines of a text that are shown before somebody opens it.
const shownLines = 3

// stepsOf returns the steps of a trace: the prompt, the calls and the answer. What failed is open from the start.
func stepsOf(trace answer.Trace) (list []step) {
	var began time.Time
	for _, p := range trace.Parts {
		if last := len(list) - 1; last < 0 || p.Call == 0 || list[last].Number != p.Call {
			s := step{Number: p.Call, Kind: p.Part, Tool: escape.Line(p.Tool), Outcome: escape.Line(p.Result), Failed: p.Result != "" && p.Result != "ok"}
			if p.Call > 0 {
				s.Kind = "call " + strconv.Itoa(p.Call)
			}
			if began.IsZero() {
				began = p.StartedAt
			}
			if !p.StartedAt.IsZero() {
				s.Offset = p.StartedAt.Sub(began).Round(time.Millisecond).String()
			}
			list = append(list, s)
		}
		last := &list[len(list)-1]
		last.Failed = last.Failed || p.Part == "error"
		last.Texts = append(last.Texts, stepTextOf(p))
	}
	return list
}

func stepTextOf(p answer.TracePart) stepText {
	name := p.Part + ", " + strconv.Itoa(p.Bytes) + " bytes"
	if !p.Kept {
		return stepText{Name: name, First: "not kept; sha256 " + p.Digest}
	}
	lines := strings.SplitAfter(escape.Code(p.Text), "\n")
	if len(lines) <= shownLines+1 {
		return stepText{Name: name, First: strings.Join(lines, "")}
	}
	return stepText{Name: name, First: strings.Join(lines[:shownLines], ""), Rest: strings.Join(lines[shownLines:], "")}
}
