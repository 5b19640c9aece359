package reports

import (
	"fmt"
	"slices"
	"time"

	"track/evolution"
	"track/reports/document"
)

// limited is a proposal with the settings under which it was made.
type limited struct {
	evolution.Entry
	high     bool
	settings evolution.Settings
}

// limitedProposals returns those that count against the limits of the day, in the order of time: refused and imported
// ones do not.
func (l *lineageReport) limitedProposals() (list []limited) {
	var settings evolution.Settings
	for _, e := range l.Entries {
		switch e.Kind {
		case evolution.KindCreation:
			var c evolution.Creation
			if e.Decode(&c) == nil {
				settings = c.Settings
			}
		case evolution.KindSettings:
			var c evolution.SettingsChange
			if e.Decode(&c) == nil {
				settings = c.Settings
			}
		case evolution.KindProposal:
			if m, known := l.mutations[e.Mutation]; known && m.Source == "" && settings.Number > 0 {
				list = append(list, limited{e, m.Risk == evolution.High, settings})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b limited) int { return a.At.Compare(b.At) })
	return list
}

// hit is a limit of 24 hours that proposals came up to.
type hit struct {
	name            string
	settings, limit int
	n               int // the most in 24 hours
	at              time.Time
	reached, beyond int // proposals with which it was reached, and that are beyond it
}

// limitsAlert holds each proposal against the limits at its time.
func (l *lineageReport) limitsAlert() alert {
	proposals := l.limitedProposals()
	var hits []hit
	for _, limit := range []struct {
		name   string
		of     func(evolution.LoopSettings) int
		counts func(limited) bool
	}{
		{"max_per_day", func(s evolution.LoopSettings) int { return s.MaxPerDay }, func(limited) bool { return true }},
		{"max_high_per_day", func(s evolution.LoopSettings) int { return s.MaxHighPerDay }, func(p limited) bool { return p.high }},
	} {
		var counted []limited
		place := map[[2]int]int{}
		first := 0
		for _, p := range proposals {
			if !limit.counts(p) {
				continue
			}
			counted = append(counted, p)
			for ; p.At.Sub(counted[first].At) >= 24*time.Hour; first++ {
			}
			n, most := len(counted)-first, limit.of(p.settings.Loop)
			if n < most {
				continue
			}
			key := [2]int{p.settings.Number, most}
			i, known := place[key]
			if !known {
				i, hits = len(hits), append(hits, hit{name: limit.name, settings: p.settings.Number, limit: most})
				place[key] = i
			}
			hits[i].add(n, p.At)
		}
	}
	a := alert{what: "Limits per 24 hours that were reached", ranked: true, kind: document.NoteInfo}
	for _, h := range hits {
		if h.beyond > 0 {
			a.what, a.kind = "Limits per 24 hours that were exceeded or reached", document.NoteWarning
		}
		a.cases = append(a.cases, h.text())
	}
	return a
}

func (h *hit) add(n int, at time.Time) {
	if n > h.n {
		h.n, h.at = n, at
	}
	if n > h.limit {
		h.beyond++
	} else {
		h.reached++
	}
}

func (h hit) text() document.Text {
	text := document.Text{word(h.name), plain(" of settings %d: ", h.settings)}
	to := "in the 24 hours to " + h.at.UTC().Format(time.RFC3339)
	if h.beyond > 0 {
		return append(text, plain("exceeded, %d of %d %s; %s above the limit", h.n, h.limit, to, counted(h.beyond, "proposal was", "proposals were")))
	}
	again := ""
	if h.reached > 1 {
		again = fmt.Sprintf(", the first of %d times", h.reached)
	}
	return append(text, plain("reached, %d of %d %s%s", h.n, h.limit, to, again))
}
