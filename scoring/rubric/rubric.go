package rubric

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"track/scoring/stats"
)

// The names of the rubrics.
const (
	v1      = "rubric/1"
	V2      = "rubric/2"
	Default = V2
)

// The names of the components and of their parts.
const (
	toolSuccessRate = "tool_success_rate"
	OutputQuality   = "output_quality"
	Efficiency      = "efficiency"
	// OneMinusErrorRate is the component that [errorsDetail.ErrorRate] gives rise to: high is good, as in every component.
	OneMinusErrorRate = "one_minus_error_rate"
	StructureScore    = "structure_score"

	completeness = "completeness"
	directAnswer = "direct_answer"
	code         = "code"
	explanation  = "explanation"
	nextSteps    = "next_steps"

	accuracy        = "accuracy"
	syntaxValid     = "syntax_valid"
	noObviousErrors = "no_obvious_errors"
	followsFormat   = "follows_format"

	headings   = "headings"
	hasLists   = "lists"
	codeBlocks = "code_blocks"
)

// Part is one term of a weighted sum. The weights of siblings sum to 1.
type Part struct {
	Name        string  `json:"name"`
	Weight      float64 `json:"weight"`
	Description string  `json:"description"`
	Parts       []Part  `json:"parts,omitempty"`
}

// Rubric is a named way to score.
type Rubric struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parts       []Part `json:"components"`
	// literal is the original text to the letter, and a sum in which every term must be there.
	literal bool
}

// Names returns the names of all rubrics, oldest first.
func Names() []string { return []string{v1, V2} }

// ByName returns the rubric of a name. The error for any other name lists those that exist.
func ByName(name string) (Rubric, error) {
	switch name {
	case v1:
		return Rubric{Name: v1, Description: "the original text to the letter", Parts: components(true), literal: true}, nil
	case V2:
		return Rubric{Name: V2, Description: "exit status before words, Markdown as a tree, and only what applies", Parts: components(false)}, nil
	}
	return Rubric{}, fmt.Errorf("no rubric %q: there are %s", name, strings.Join(Names(), " and "))
}

// components is the table of the components, as each rubric reads it.
func components(literal bool) []Part {
	either := func(first, second string) string {
		if literal {
			return first
		}
		return second
	}
	return []Part{
		{Name: toolSuccessRate, Weight: 0.35, Description: either(
			"successful / all tool calls: exit code 0 and no word of error in the output",
			"successful / all tool calls, by exit status; exit 1 of grep, rg, diff and test is no failure; "+
				"no value if fewer than half of the outcomes are known and all of those are equal")},
		{Name: OutputQuality, Weight: 0.25, Description: "(completeness + accuracy) / 2", Parts: []Part{
			{Name: completeness, Weight: 0.5, Description: either("the sum of what is there", "the sum of what is there, over what applies"), Parts: []Part{
				{Name: directAnswer, Weight: 0.3, Description: "an answer, not only a refusal, a question or an announcement"},
				{Name: code, Weight: 0.3, Description: either("code, if the task is a coding task; else 0", "code, if the task is a coding task; else left out")},
				{Name: explanation, Weight: 0.2, Description: "at least 25 words, with a reason or in two blocks"},
				{Name: nextSteps, Weight: 0.2, Description: "next steps or a recommendation"},
			}},
			{Name: accuracy, Weight: 0.5, Description: "the sum of what holds", Parts: []Part{
				{Name: syntaxValid, Weight: 0.4, Description: "code that has a parser parses"},
				{Name: noObviousErrors, Weight: 0.3, Description: "no crash, open fence, cut, placeholder or false claim of success"},
				{Name: followsFormat, Weight: 0.3, Description: "what the task or the version asks of the format"},
			}},
		}},
		{Name: Efficiency, Weight: 0.20, Description: "1 - actual/expected maximum, of time where known, else of the number of tool calls"},
		{Name: OneMinusErrorRate, Weight: 0.15, Description: "1 - min(1, errors/10): failed calls, retries, error patterns in the output, " +
			"corrections by the user"},
		{Name: StructureScore, Weight: 0.05, Description: either("lines that look like Markdown", "the Markdown tree"), Parts: []Part{
			{Name: headings, Weight: 0.4, Description: either("a line matches "+headingPattern, "a heading")},
			{Name: hasLists, Weight: 0.3, Description: either("a line matches "+listPattern, "an ordered or bulleted list")},
			{Name: codeBlocks, Weight: 0.3, Description: either("three backticks", "a fenced or indented code block")},
		}},
	}
}

// part returns the part of a name below parts; the zero Part where there is none.
func part(parts []Part, name string) Part {
	for _, p := range parts {
		if p.Name == name {
			return p
		}
		if below := part(p.Parts, name); below.Name != "" {
			return below
		}
	}
	return Part{}
}

// Execution is one task that an agent did. Pointers are nil, and strings empty, where something is not known.
type Execution struct {
	TaskType   string     // [taskCoding], or any other word; empty where not known
	Complexity Complexity // empty where not known
	// Calls are the tool calls in their order. None means that there were none, unless CallsUnknown.
	Calls        []Call
	CallsUnknown bool // the calls were not recorded
	// Output is the assistant's final text, after the last tool result, as Markdown; empty where the agent ended
	// without any.
	Output      *string
	Truncated   *bool // the output was cut off at the token limit
	Duration    *time.Duration
	Corrections *int        // by the user: rejections, interrupts, explicit marks
	Format      *FormatSpec // what the task or the version asked for; nil for nothing
	Files       []File      // code that the agent wrote
}

// taskCoding is the type of tasks whose answer needs code. Any other type does not.
const taskCoding = "coding"

// coding says whether the task is a coding task; known is false where nobody said.
func (e Execution) coding() (coding, known bool) {
	taskType := strings.TrimSpace(e.TaskType)
	return strings.EqualFold(taskType, taskCoding), taskType != ""
}

// Complexity says how much a task is expected to need at most.
type Complexity string

// The complexities.
const (
	simple  Complexity = "simple"
	medium  Complexity = "medium"
	complex Complexity = "complex"
)

// limits are the expected maximum of time and of tool calls; ok is false for a complexity that is not known.
func (c Complexity) limits() (longest time.Duration, calls int, ok bool) {
	switch c {
	case simple:
		return 30 * time.Second, 5, true
	case medium:
		return 120 * time.Second, 15, true
	case complex:
		return 300 * time.Second, 30, true
	}
	return 0, 0, false
}

// Call is one tool call.
type Call struct {
	Tool string
	// Exit is the exit code.
	Exit *int
	// IsError is what the tool itself reported where it has no exit code, such as is_error of a tool result.
	IsError *bool
	Error   string // message of a call that failed; empty for none
	// Answered says that there was a result. It needs no setting where there is an exit code, a report, an error or an
	// output.
	Answered bool
	// StatusMissing says that the source writes an exit code, and did not for this call. Then the output can show a
	// failure, and cannot show a success.
	StatusMissing bool
	Output        *string
	// InputDigest identifies the canonical input; equal digests are equal inputs.
	InputDigest string
	// Command is the command line of a shell call; empty for other tools, or where it was not kept.
	Command string
}

// File is code that the agent wrote; its language follows from the name.
type File struct{ Name, Content string }

// Options are what a score may depend on beyond the execution.
type Options struct {
	// Checkers parse languages that this package cannot, or better than it can, by language ("python", "sql", "sqlite",
	// "rust").
	Checkers map[string]Checker
	// Complexity stands in where an execution names none; empty leaves efficiency unmeasured there.
	Complexity Complexity
}

// Checker says whether code is valid.
type Checker struct {
	Name string // what checks, with its version, as in "python 3.13 ast"
	// Check returns nil for valid code; an error that wraps [ErrUnchecked] for code it cannot judge; a [syntaxError]
	// where it knows the line; or any other error.
	Check func(code string) error
}

// Trial is a scored execution of a task of which it is known whether it succeeded.
type Trial struct {
	Task       string // empty where it is not known
	Version    string // of the agent: trials of one task under different versions are not repetitions
	Success    bool
	Score      float64             // 0..100
	Components map[string]*float64 // 0..1; nil where not measured
}

// Separation says how well a score, or a component of it, separates successes from failures.
type Separation struct {
	Name     string    `json:"name"`
	NSuccess int       `json:"n_success"`    // successes that have the number
	NFailure int       `json:"n_failure"`    // failures that have it
	Success  float64   `json:"mean_success"` // mean of the number over successes; NaN if there are none
	Failure  float64   `json:"mean_failure"` // mean over failures; NaN if there are none
	AUC      stats.AUC `json:"auc"`          // its value is NaN unless both groups have the number
}

// Check says how well scores agree with a ground-truth label, and how noisy they are.
type Check struct {
	NTrials           int          `json:"n_trials"`
	NSuccess          int          `json:"n_success"`
	Separations       []Separation `json:"separations"`         // the score first, then the components in the order of the rubric
	NTasks            int          `json:"n_tasks"`             // tasks with at least two trials of one version, counted for each version
	NPairs            int          `json:"n_pairs"`             // pairs of trials of one task under one version
	WithinSD          float64      `json:"within_sd"`           // pooled standard deviation of the score within a task; NaN if no task has two trials
	BetweenSD         float64      `json:"between_sd"`          // standard deviation of the mean scores of those tasks; NaN below two
	MeanAbsDifference float64      `json:"mean_abs_difference"` // of two trials of one task; NaN if none has two
}

// CheckTruth compares scores with a ground-truth label: how well they and their components separate successes, and
// how much two trials of one task differ, which is noise.
func CheckTruth(r Rubric, trials []Trial, confidence float64) (Check, error) {
	c := Check{NTrials: len(trials)}
	for _, t := range trials {
		if t.Success {
			c.NSuccess++
		}
	}
	names := []string{"score"}
	for _, part := range r.Parts {
		names = append(names, part.Name)
	}
	for _, name := range names {
		s, err := separation(name, trials, confidence)
		if err != nil {
			return c, err
		}
		c.Separations = append(c.Separations, s)
	}
	c.addNoise(trials)
	return c, nil
}

func separation(name string, trials []Trial, confidence float64) (Separation, error) {
	s := Separation{Name: name, Success: math.NaN(), Failure: math.NaN()}
	var success, failure []float64
	for _, t := range trials {
		x := t.Score
		if name != "score" {
			value := t.Components[name]
			if value == nil {
				continue
			}
			x = *value
		}
		if t.Success {
			success = append(success, x)
		} else {
			failure = append(failure, x)
		}
	}
	s.NSuccess, s.NFailure = len(success), len(failure)
	if len(success) > 0 {
		s.Success = plainMean(success)
	}
	if len(failure) > 0 {
		s.Failure = plainMean(failure)
	}
	var err error
	s.AUC, err = stats.NewAUC(success, failure, confidence)
	if errors.Is(err, stats.ErrEmpty) {
		none := stats.Interval{Lo: math.NaN(), Hi: math.NaN(), Confidence: confidence, Method: stats.MethodDeLong}
		s.AUC, err = stats.AUC{NPositive: len(success), NNegative: len(failure), Value: math.NaN(), Interval: none}, nil
	}
	return s, err
}

// addNoise compares the trials of each task with each other.
func (c *Check) addNoise(trials []Trial) {
	c.WithinSD, c.BetweenSD, c.MeanAbsDifference = math.NaN(), math.NaN(), math.NaN()
	type group struct{ version, task string }
	byTask, order := map[group][]float64{}, []group{}
	for _, t := range trials {
		if t.Task == "" {
			continue
		}
		at := group{t.Version, t.Task}
		if _, known := byTask[at]; !known {
			order = append(order, at)
		}
		byTask[at] = append(byTask[at], t.Score)
	}
	squares, freedom, absolute := 0.0, 0, 0.0
	var means []float64
	for _, at := range order {
		scores := byTask[at]
		if len(scores) < 2 {
			continue
		}
		c.NTasks++
		mean := plainMean(scores)
		means = append(means, mean)
		for i, x := range scores {
			squares += float64((x - mean) * (x - mean))
			for _, y := range scores[i+1:] {
				absolute += math.Abs(x - y)
				c.NPairs++
			}
		}
		freedom += len(scores) - 1
	}
	if c.NTasks == 0 {
		return
	}
	c.WithinSD, c.MeanAbsDifference = math.Sqrt(squares/float64(freedom)), absolute/float64(c.NPairs)
	if sd, err := stats.NewSD(means, 0.95); err == nil {
		c.BetweenSD = sd.SD
	}
}

func plainMean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// Grade is a band of scores.
type Grade string

// The grades, from best to worst.
const (
	gradeAPlus Grade = "A+" // 90 to 100
	gradeA     Grade = "A"  // 80 to below 90
	gradeB     Grade = "B"  // 70 to below 80
	gradeC     Grade = "C"  // 60 to below 70
	gradeD     Grade = "D"  // 50 to below 60
	gradeF     Grade = "F"  // below 50
	noGrade    Grade = ""   // of what has no score
)

// GradeOf returns the band of a score from 0 to 100; [noGrade] for NaN.
func GradeOf(score float64) Grade {
	switch {
	case math.IsNaN(score):
		return noGrade
	case score >= 90:
		return gradeAPlus
	case score >= 80:
		return gradeA
	case score >= 70:
		return gradeB
	case score >= 60:
		return gradeC
	case score >= 50:
		return gradeD
	}
	return gradeF
}

// Action is what a grade calls for.
func (g Grade) Action() string {
	switch g {
	case gradeAPlus:
		return "rare mutation needed"
	case gradeA:
		return "minor improvements"
	case gradeB:
		return "room for improvement"
	case gradeC:
		return "mutation recommended"
	case gradeD:
		return "mutation required"
	case gradeF:
		return "consider rollback"
	}
	return "no score, no action"
}

// Limits of what is looked at, so that no text takes more than seconds or exhausts the stack.
const (
	maxText = 1 << 20 // bytes of the final text, and of the output of a call; the beginning of what is longer
	// maxNesting is how deep blocks may nest in one line of Markdown, and brackets in code that a recursive parser gets
	// to see. People stay below ten.
	maxNesting = 64
	// maxCode is the longest code that is parsed, in bytes; maxCodeTotal that of one execution in sum.
	maxCode      = 64 << 10
	maxCodeTotal = 512 << 10
	maxBlank     = 20_000 // empty lines of the final text
	// maxListed is how many failed calls, findings or checked blocks a detail lists; it counts all.
	maxListed = 50
)

// clip returns at most n bytes of s, cut between characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// excerpt is the beginning of s for a person.
func excerpt(s string) string {
	const most = 80
	if short := clip(s, most); len(short) < len(s) {
		return short + "…"
	}
	return s
}

// deeperThan says that more than n brackets are open at once in code. Brackets in strings and comments count too: it
// is a guard, not a parser.
func deeperThan(code string, n int) bool {
	depth := 0
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			depth++
			if depth > n {
				return true
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

// Warning is a reason to trust a score less. It is data: the code is stable, [Warning.Message] is for people.
type Warning string

// The warnings.
const (
	warnNoOutput     Warning = "output_unknown"
	warnClipped      Warning = "output_clipped"
	warnUnparsed     Warning = "output_not_parsed"
	warnTaskType     Warning = "task_type_unknown"
	warnUndetermined Warning = "calls_undetermined"
	warnNothingDone  Warning = "nothing_done_known"
)

// Message says the warning in a sentence.
func (w Warning) Message() string {
	switch w {
	case warnNoOutput:
		return "the final text is not known: nothing is said about it"
	case warnClipped:
		return "the final text is longer than 1 MiB: only its beginning was looked at"
	case warnUnparsed:
		return "the final text nests deeper, or has more empty lines, than any document: it was not parsed as Markdown"
	case warnTaskType:
		return "the type of the task is not known: nothing says whether code was asked for"
	case warnUndetermined:
		return "of some calls it is not known whether they succeeded: they are left out"
	case warnNothingDone:
		return "neither a tool call nor a final text is known: what is left does not make a score"
	}
	return string(w)
}

// block is a block of Markdown, with its words.
type block struct {
	markdownBlock
	plain string // of prose and headings, its words as [plain] gives them
	words int    // of prose
}

// document is a text as Markdown.
type document struct {
	blocks   []block
	words    int // of prose, outside of headings and code
	lists    int
	listLine int // of the first list
}

// parseMarkdown reads the block structure of a text; ok is false if a line opens more than [maxNesting] blocks, or if
// there are more than maxBlank empty lines: then it is no document that somebody wrote to be read.
func parseMarkdown(source string) (doc *document, ok bool) {
	blank := 0
	for line := range strings.Lines(source) {
		if strings.TrimSpace(line) == "" {
			blank++
		}
		if blank > maxBlank || opens(line) > maxNesting {
			return nil, false
		}
	}
	return readMarkdown(source), true
}

func (d *document) add(read markdownBlock) {
	b := block{markdownBlock: read}
	if b.Kind == proseBlock || b.Kind == headingBlock {
		b.plain = plain(b.Text)
	}
	if b.Kind == proseBlock {
		b.words = countWords(b.Text)
		d.words += b.words
	}
	d.blocks = append(d.blocks, b)
}

// opens counts the block quotes and list items that the beginning of a line may open.
func opens(line string) int {
	n, broken := 0, false
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '>':
			n++
			i++
		case (c == '-' || c == '*') && !broken:
			if broken = true; strings.Trim(line[i:], string(c)+" \t\r\n") == "" {
				return n // a thematic break, not items in items
			}
		case strings.IndexByte("-*+", c) >= 0 && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t'):
			n++
			i += 2
		case c >= '0' && c <= '9':
			for i < len(line) && line[i] >= '0' && line[i] <= '9' {
				i++
			}
			if i+1 >= len(line) || line[i] != '.' && line[i] != ')' || line[i+1] != ' ' && line[i+1] != '\t' {
				return n
			}
			n++
			i += 2
		default:
			return n
		}
	}
	return n
}

// first returns the first block of a kind.
func (d *document) first(kind blockKind) (block, bool) {
	for _, b := range d.blocks {
		if b.Kind == kind {
			return b, true
		}
	}
	return block{}, false
}
