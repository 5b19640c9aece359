package rubric

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
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

// accuracy is syntax valid 0.4 + no obvious errors 0.3 + follows the instructions or format 0.3.
func (s *scorer) accuracy() Component {
	return s.whole(accuracy, []Component{s.syntaxValid(), s.obviousErrors(), s.followsFormat()})
}

// efficiencyDetail is what [Efficiency] was computed from.
type efficiencyDetail struct {
	Used       string     `json:"used"` // "time" (in seconds) or "tools" (a count)
	Actual     float64    `json:"actual"`
	Expected   float64    `json:"expected_maximum"`
	Complexity Complexity `json:"complexity"`
	Assumed    bool       `json:"assumed,omitempty"` // the execution names no complexity
}

// efficiency is 1 - actual/expected maximum, clamped to 0..1, of time where it is known, else of the number of tool
// calls.
func (s *scorer) efficiency() Component {
	complexity, assumed := s.e.Complexity, false
	if complexity == "" && s.o.Complexity != "" {
		complexity, assumed = s.o.Complexity, true
	}
	longest, most, ok := complexity.limits()
	if !ok {
		if complexity == "" {
			return missing(Efficiency, "the complexity of the task is not known, so nothing is expected")
		}
		return missing(Efficiency, fmt.Sprintf("complexity %q is none of simple, medium and complex", excerpt(string(complexity))))
	}
	d := efficiencyDetail{Complexity: complexity, Assumed: assumed}
	suffix := fmt.Sprintf("expected at most for a %s task", complexity)
	if assumed {
		suffix += " (assumed)"
	}
	switch duration := s.e.Duration; {
	case duration != nil && *duration >= 0:
		d.Used, d.Actual, d.Expected = "time", duration.Seconds(), longest.Seconds()
		return measured(Efficiency, 1-d.Actual/d.Expected, d, "time: %s of the %s %s", duration.Round(time.Millisecond), longest, suffix)
	case s.e.CallsUnknown:
		return missing(Efficiency, "neither the time nor the number of tool calls is known")
	}
	d.Used, d.Actual, d.Expected = "tools", float64(len(s.e.Calls)), float64(most)
	return measured(Efficiency, 1-d.Actual/d.Expected, d,
		"tools, as the time is not known: %s of the %d %s", plural(len(s.e.Calls), "call"), most, suffix)
}

// errorsDetail is what [OneMinusErrorRate] was computed from.
type errorsDetail struct {
	ErrorRate      float64   `json:"error_rate"` // min(1, errors/10)
	Errors         int       `json:"errors"`
	FailedCalls    int       `json:"failed_calls"`
	Retries        int       `json:"retries"`
	OutputPatterns int       `json:"output_patterns"` // lines of the final text that report an error
	Corrections    int       `json:"corrections"`
	Lines          []finding `json:"lines,omitempty"`       // the first such lines
	NotCounted     []string  `json:"not_counted,omitempty"` // what is not known, and so was not counted
}

// errorRate is 1 - min(1, errors/10). Errors are failed calls, retries, error patterns in the final text and
// corrections by the user. Without the calls it is not measured; of the others, what is not known is not counted, and
// named.
func (s *scorer) errorRate() Component {
	if s.e.CallsUnknown {
		return missing(OneMinusErrorRate, "the tool calls were not recorded")
	}
	d := errorsDetail{FailedCalls: s.count(failed), Retries: s.retries()}
	if n := s.count(undetermined); n > 0 {
		d.NotCounted = append(d.NotCounted, plural(n, "call")+" of unknown outcome")
	}
	if s.e.Output != nil {
		d.OutputPatterns, d.Lines = s.errorLines()
	} else {
		d.NotCounted = append(d.NotCounted, "errors in the final text")
	}
	if s.e.Corrections != nil {
		d.Corrections = max(0, *s.e.Corrections)
	} else {
		d.NotCounted = append(d.NotCounted, "corrections by the user")
	}
	d.Errors = d.FailedCalls + d.Retries + d.OutputPatterns + d.Corrections
	d.ErrorRate = min(1, float64(d.Errors)/10)
	reason := fmt.Sprintf("%s (%s, %s, %s in the final text, %s): error rate %s", plural(d.Errors, "error"),
		plural(d.FailedCalls, "failed call"), retried(d.Retries), plural(d.OutputPatterns, "pattern"),
		plural(d.Corrections, "correction"), number(d.ErrorRate))
	if len(d.NotCounted) > 0 {
		reason += "; not known: " + strings.Join(d.NotCounted, ", ")
	}
	return measured(OneMinusErrorRate, 1-d.ErrorRate, d, "%s", reason)
}

func retried(n int) string {
	if n == 1 {
		return "1 retry"
	}
	return fmt.Sprintf("%d retries", n)
}

// retries counts the calls of the same tool with identical canonical input right after that call failed.
func (s *scorer) retries() int {
	n := 0
	for i := 1; i < len(s.e.Calls); i++ {
		before, c := s.e.Calls[i-1], s.e.Calls[i]
		if s.verdicts[i-1].outcome == failed && c.Tool == before.Tool && c.InputDigest != "" && c.InputDigest == before.InputDigest {
			n++
		}
	}
	return n
}

// errorLines counts the lines of the final text that report an error: under rubric/1 those with a word of error
// anywhere, else those that begin like a crash.
func (s *scorer) errorLines() (n int, list []finding) {
	line := 0
	for text := range strings.Lines(s.text) {
		line++
		pattern := crash(text)
		if s.rubric.literal {
			pattern = errorWord.FindString(text)
		}
		if pattern == "" {
			continue
		}
		n++
		if len(list) < maxListed {
			list = append(list, finding{Kind: "error pattern", Line: line, Text: pattern})
		}
	}
	return n, list
}

// What the heuristics ask for.
const (
	answerWords      = 3  // of prose make a direct answer
	explanationWords = 25 // of prose make an explanation
	blockWords       = 8  // make a block that explains, of which it takes two where no reason is given
)

func (s *scorer) outputQuality() Component {
	switch {
	case s.e.Output == nil:
		return missing(OutputQuality, "the final text is not known")
	case s.doc == nil:
		return missing(OutputQuality, warnUnparsed.Message())
	}
	return s.whole(OutputQuality, []Component{s.completeness(), s.accuracy()})
}

// completeness is direct answer 0.3 + code 0.3 + explanation 0.2 + next steps 0.2. Where the task asks for no code,
// rubric/1 gives none of its 0.3, and any other rubric scores over the parts that apply.
func (s *scorer) completeness() Component {
	return s.whole(completeness, []Component{s.directAnswer(), s.codePart(), s.explanation(), s.nextSteps()})
}

// directAnswer wants at least three words of prose, or code in a coding task, that are not only refusals, questions and
// announcements.
func (s *scorer) directAnswer() Component {
	coding, _ := s.e.coding()
	if code, ok := s.doc.first(codeBlock); ok && coding && strings.TrimSpace(code.Text) != "" {
		return holds(directAnswer, true, matchDetail{Line: code.Line}, "code at line %d", code.Line)
	}
	words, idle := s.doc.words, ""
	for _, b := range s.doc.blocks {
		if b.Kind != proseBlock {
			continue
		}
		for _, sentence := range sentences(b.Text) {
			why := idleness(sentence)
			if why == "" && words >= answerWords {
				matched := excerpt(strings.TrimSpace(sentence))
				return holds(directAnswer, true, matchDetail{Matched: matched, Line: b.Line, Words: words}, "line %d answers: %q", b.Line, matched)
			}
			if idle == "" && why != "nothing" {
				idle = why
			}
		}
	}
	d := matchDetail{Words: words}
	if words < answerWords {
		return holds(directAnswer, false, d, "%s of prose, %d make an answer", plural(words, "word"), answerWords)
	}
	return holds(directAnswer, false, d, "every sentence is a refusal, a question or an announcement; the first: %s", idle)
}

// idleness says why a sentence is no answer; empty where it may be one.
func idleness(sentence string) string {
	text := plain(sentence)
	switch {
	case text == " ":
		return "nothing"
	case asks(sentence):
		return "a question"
	}
	if filler := begins(text, fillers); filler != "" {
		text = text[1+len(filler):] // "Sure, let me …"
		if text == " " {
			return fmt.Sprintf("%q", filler)
		}
	}
	if phrase := begins(text, refusals); phrase != "" {
		return fmt.Sprintf("a refusal, %q", phrase)
	}
	if phrase := begins(text, announcements); phrase != "" {
		return fmt.Sprintf("an announcement, %q", phrase)
	}
	return ""
}

// codePart wants code in the final text or in a file that the agent wrote, if the task is a coding task. Rubric/1
// knows the text only.
func (s *scorer) codePart() Component {
	coding, known := s.e.coding()
	switch {
	case !coding && s.rubric.literal && known:
		return holds(code, false, nil, "not a coding task: rubric/1 gives nothing for code")
	case !coding && s.rubric.literal:
		return holds(code, false, nil, "the type of the task is not known: rubric/1 counts it as not coding, and gives nothing for code")
	case !coding && known:
		return missing(code, "not a coding task: scored over the other parts")
	case !coding:
		return missing(code, "the type of the task is not known: scored over the other parts")
	case s.rubric.literal:
		return linePart(code, lineOf(s.text, "```"), "line has three backticks")
	}
	for _, b := range s.doc.blocks {
		if b.Kind == codeBlock && strings.TrimSpace(b.Text) != "" {
			return holds(code, true, matchDetail{Line: b.Line}, "code block at line %d", b.Line)
		}
	}
	for _, f := range s.e.Files {
		if strings.TrimSpace(f.Content) != "" {
			return holds(code, true, matchDetail{Matched: f.Name}, "the agent wrote %s", f.Name)
		}
	}
	return holds(code, false, nil, "a coding task without a code block or a written file")
}

// explanation wants at least 25 words of prose and either a causal marker or two blocks of at least 8 words.
func (s *scorer) explanation() Component {
	words, long, second := s.doc.words, 0, 0
	d := matchDetail{Words: words}
	if words < explanationWords {
		return holds(explanation, false, d, "%s of prose, %d make an explanation", plural(words, "word"), explanationWords)
	}
	for _, b := range s.doc.blocks {
		if b.Kind != proseBlock {
			continue
		}
		if cause := contains(b.plain, causes); cause != "" {
			d.Matched, d.Line = cause, b.Line
			return holds(explanation, true, d, "%d words of prose, with %q at line %d", words, cause, b.Line)
		}
		if b.words >= blockWords {
			if long++; long == 2 {
				second = b.Line
			}
		}
	}
	if long >= 2 {
		d.Line = second
		return holds(explanation, true, d, "%d words of prose, in %d blocks of at least %d", words, long, blockWords)
	}
	return holds(explanation, false, d, "%d words of prose, but no reason is given and fewer than two blocks have %d words", words, blockWords)
}

// nextSteps wants a heading about next steps or recommendations with content under it, an unchecked item of a task
// list, or a recommendation in the last block of prose.
func (s *scorer) nextSteps() Component {
	for i, b := range s.doc.blocks {
		if b.Kind == headingBlock {
			if phrase := contains(b.plain, nextHeadings); phrase != "" && s.hasContent(i) {
				title := strings.TrimSpace(excerpt(b.Text))
				return holds(nextSteps, true, matchDetail{Matched: phrase, Line: b.Line}, "heading %q at line %d", title, b.Line)
			}
		}
		if b.Task {
			return holds(nextSteps, true, matchDetail{Matched: "[ ]", Line: b.Line}, "unchecked task at line %d", b.Line)
		}
	}
	last := -1
	for _, b := range s.doc.blocks {
		if b.Kind == proseBlock {
			last = b.Top
		}
	}
	for _, b := range s.doc.blocks {
		if b.Top != last || b.Kind != proseBlock {
			continue
		}
		if phrase := contains(b.plain, recommendations); phrase != "" {
			return holds(nextSteps, true, matchDetail{Matched: phrase, Line: b.Line}, "recommendation at line %d: %q", b.Line, phrase)
		}
	}
	return holds(nextSteps, false, nil, "no heading about next steps, no open task, and no recommendation in the last block")
}

// hasContent says that the section of the heading at i has something in it.
func (s *scorer) hasContent(i int) bool {
	for _, b := range s.doc.blocks[i+1:] {
		if b.Kind == headingBlock {
			if b.Level <= s.doc.blocks[i].Level {
				return false
			}
			continue
		}
		if strings.TrimSpace(b.Text) != "" {
			return true
		}
	}
	return false
}

// matchDetail is where something was found.
type matchDetail struct {
	Matched string `json:"matched,omitempty"` // the text that counts
	Line    int    `json:"line,omitempty"`    // of the final text, from 1
	Words   int    `json:"words,omitempty"`   // of prose in the final text
}

// structure is headings 0.4 + lists 0.3 + code blocks 0.3: under rubric/1 lines that look like them, else what the
// Markdown tree has.
func (s *scorer) structure() Component {
	if why := s.noText(); why != "" {
		return missing(StructureScore, why)
	}
	if s.rubric.literal {
		return s.whole(StructureScore, []Component{
			linePart(headings, matchingLine(s.text, headingLine), "line matches "+headingPattern),
			linePart(hasLists, matchingLine(s.text, listLine), "line matches "+listPattern),
			linePart(codeBlocks, lineOf(s.text, "```"), "line has three backticks"),
		})
	}
	heading, hasHeading := s.doc.first(headingBlock)
	code, hasCode := s.doc.first(codeBlock)
	lists := holds(hasLists, false, nil, "no list")
	if s.doc.lists > 0 {
		lists = holds(hasLists, true, matchDetail{Line: s.doc.listLine}, "%s, the first at line %d", plural(s.doc.lists, "list"), s.doc.listLine)
	}
	return s.whole(StructureScore, []Component{
		blockPart(headings, "heading", heading, hasHeading), lists, blockPart(codeBlocks, "code block", code, hasCode),
	})
}

// noText says why nothing can be said about the final text; empty where something can.
func (s *scorer) noText() string {
	switch {
	case s.e.Output == nil:
		return "the final text is not known"
	case s.doc == nil && !s.rubric.literal:
		return warnUnparsed.Message()
	}
	return ""
}

func linePart(name string, line int, what string) Component {
	if line == 0 {
		return holds(name, false, nil, "no %s", what)
	}
	return holds(name, true, matchDetail{Line: line}, "%s: line %d", what, line)
}

func blockPart(name, what string, b block, found bool) Component {
	if !found {
		return holds(name, false, nil, "no %s", what)
	}
	text, _, _ := strings.Cut(strings.TrimSpace(b.Text), "\n")
	return holds(name, true, matchDetail{Line: b.Line, Matched: excerpt(text)}, "%s at line %d", what, b.Line)
}

// lineOf is the number, from 1, of the first line that contains a text; 0 for none.
func lineOf(s, text string) int {
	at := strings.Index(s, text)
	if at < 0 {
		return 0
	}
	return 1 + strings.Count(s[:at], "\n")
}
