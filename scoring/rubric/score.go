package rubric

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Score is what one execution is worth under one rubric.
type Score struct {
	Rubric     string      `json:"rubric"`
	Value      float64     `json:"value"`   // 0 to 100, rounded to two decimals; meaningless (JSON null) unless Defined
	Defined    bool        `json:"defined"` // something could be measured; under [v1], everything
	Grade      Grade       `json:"grade"`
	Components []Component `json:"components"`
	NCalls     int         `json:"n_calls"`
	NFailed    int         `json:"n_failed"`
	NUnknown   int         `json:"n_unknown"` // calls of which nobody knows how they ended
	Warnings   []Warning   `json:"warnings,omitempty"`
}

// component is one term of the score, or one part of such a term.
type Component struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value"` // 0 to 1; nil where it could not be measured
	// Weight is the share in the sum of the siblings that were measured, which sum to 1; 0 where there is no value.
	Weight float64 `json:"weight"`
	Reason string  `json:"reason"` // why this value, or why none; never empty
	// Vacuous says that there was nothing to judge, so that nothing could be wrong.
	Vacuous bool `json:"vacuous,omitempty"`
	// Detail is what was counted or found: a [callsDetail], [errorsDetail], [efficiencyDetail], [syntaxDetail],
	// [findingsDetail], [matchDetail] or [formatDetail]; nil where the reason says it all.
	Detail any         `json:"detail,omitempty"`
	Parts  []Component `json:"parts,omitempty"`
}

// MarshalJSON writes null for the value of a score that is not defined.
func (s Score) MarshalJSON() ([]byte, error) {
	type plain Score // without this method
	out := struct {
		plain
		Value *float64 `json:"value"`
	}{plain: plain(s)}
	if s.Defined {
		out.Value = &s.Value
	}
	return json.Marshal(out)
}

// Score scores an execution.
func (r Rubric) Score(e Execution, o Options) Score {
	s := newScorer(r, e, o)
	list := []Component{s.toolSuccess(), s.outputQuality(), s.efficiency(), s.errorRate(), s.structure()}
	total := r.sum(list, r.Parts)
	if list[0].Value == nil && list[1].Value == nil && total != nil {
		s.warn(warnNothingDone) // no error in nothing is no success
		total = nil
		for i := range list {
			list[i].Weight = 0
		}
	}
	out := Score{
		Rubric: r.Name, Components: list, NCalls: len(e.Calls), NFailed: s.count(failed), NUnknown: s.count(undetermined),
		Warnings: s.warnings,
	}
	if total != nil {
		out.Value, out.Defined = round2(100**total), true
		out.Grade = GradeOf(out.Value)
	}
	return out
}

// scorer holds what the components share.
type scorer struct {
	rubric   Rubric
	e        Execution
	o        Options
	verdicts []verdict // one for each call
	text     string    // the part of the output that is looked at
	doc      *document // nil where the output is not known or not parsed
	warnings []Warning
}

func newScorer(r Rubric, e Execution, o Options) *scorer {
	s := &scorer{rubric: r, e: e, o: o}
	for _, c := range e.Calls {
		s.verdicts = append(s.verdicts, r.judge(c))
	}
	if s.count(undetermined) > 0 {
		s.warn(warnUndetermined)
	}
	if _, known := e.coding(); !known {
		s.warn(warnTaskType)
	}
	if e.Output == nil {
		s.warn(warnNoOutput)
		return s
	}
	s.text = clip(*e.Output, maxText)
	if len(s.text) < len(*e.Output) {
		s.warn(warnClipped)
	}
	doc, ok := parseMarkdown(s.text)
	if !ok {
		s.warn(warnUnparsed)
		return s
	}
	s.doc = doc
	return s
}

func (s *scorer) warn(w Warning) { s.warnings = append(s.warnings, w) }

// sum sets the weights of the components in list, which are those of nominal in the same order, and returns Σ
// weight·value. What has no value is left out and the weights of the others are scaled to sum to 1; under the literal
// rubric one missing term leaves no sum. Nil where there is none.
func (r Rubric) sum(list []Component, nominal []Part) *float64 {
	total := 0.0
	for i, c := range list {
		if c.Value != nil {
			total += nominal[i].Weight
		} else if r.literal {
			total = 0
			break
		}
	}
	if total == 0 {
		return nil
	}
	value := 0.0
	for i := range list {
		if list[i].Value == nil {
			continue
		}
		list[i].Weight = nominal[i].Weight / total
		value += float64(list[i].Weight * *list[i].Value)
	}
	value = clamp(value)
	return &value
}

// whole is the component made of parts.
func (s *scorer) whole(name string, list []Component) Component {
	c := Component{Name: name, Parts: list}
	c.Value = s.rubric.sum(list, part(s.rubric.Parts, name).Parts)
	if c.Value == nil {
		c.Reason = "not measured: " + firstMissing(list)
		return c
	}
	reason := ""
	for _, p := range list {
		if reason != "" {
			reason += ", "
		}
		if p.Value == nil {
			reason += p.Name + " left out"
			continue
		}
		reason += p.Name + " " + number(*p.Value)
		if p.Vacuous {
			reason += " (vacuous)"
		}
	}
	c.Reason = reason
	return c
}

func firstMissing(list []Component) string {
	for _, c := range list {
		if c.Value == nil {
			return c.Name + ": " + c.Reason
		}
	}
	return "nothing to sum"
}

// measured is a component with a value.
func measured(name string, value float64, detail any, format string, args ...any) Component {
	value = clamp(value)
	return Component{Name: name, Value: &value, Detail: detail, Reason: fmt.Sprintf(format, args...)}
}

// holds is a part that is there or not.
func holds(name string, ok bool, detail any, format string, args ...any) Component {
	value := 0.0
	if ok {
		value = 1
	}
	return measured(name, value, detail, format, args...)
}

// missing is a component that could not be measured.
func missing(name, reason string) Component { return Component{Name: name, Reason: reason} }

func clamp(x float64) float64 { return max(0, min(1, x)) }

// round2 rounds to two decimals, half to even of the exact binary value, like Python's round(x, 2).
func round2(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 2, 64), 64)
	if err != nil {
		return x // cannot be: this is how FormatFloat writes
	}
	return rounded
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// plural is "1 call", "2 calls".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
