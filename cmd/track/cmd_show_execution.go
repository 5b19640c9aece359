package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"track/scoring/format"
	"track/scoring/rubric"
	"track/store"
	"track/tracker/agents"
)

func (p *program) showExecutionCommand() *cli.Command {
	var o struct {
		rubric string
		output bool
	}
	return &cli.Command{
		Name:      "execution",
		Usage:     "show an execution with its calls, its components and why they are what they are",
		UsageText: "track show execution ID [FLAGS]",
		Description: `ID is the id that track executions lists, or the beginning of one.

Examples:
   track show execution 01J9Z
   track show execution 01J9Z --rubric rubric/1
   track show execution 01J9Z --output`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "rubric", DefaultText: "the one in force", Usage: "the components under `RUBRIC`: rubric/1 or rubric/2", Destination: &o.rubric},
			&cli.BoolFlag{Name: "output", Usage: "its final text as well", Destination: &o.output},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track show execution takes one ID")
			}
			if err := checkRubric(o.rubric); err != nil {
				return err
			}
			return p.showExecution(c.Context, c.Args().First(), o.rubric, o.output)
		},
	}
}

func (p *program) showExecution(ctx context.Context, id, rubricName string, withOutput bool) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	detail, err := st.Execution(ctx, id)
	if err != nil {
		return err
	}
	v, err := executionView(detail, rubricName, withOutput)
	if err != nil {
		return err
	}
	return p.write(v)
}

type shownExecutionDocument struct {
	executionDocument `json:",inline"`
	Truths            map[string]float64 `json:"truths"`
	Output            *textDocument      `json:"output"` // null where unknown
	Calls             []callDocument     `json:"calls"`
	Scores            []scoreDocument    `json:"scores"`
}

type textDocument struct {
	SHA256 string  `json:"sha256"` // of the masked text
	Bytes  int     `json:"bytes"`
	Text   *string `json:"text"` // null where it was not kept
}

type callDocument struct {
	Number    int           `json:"number"`
	Tool      string        `json:"tool"`
	Exit      *int          `json:"exit"`
	Error     string        `json:"error"`
	Answered  bool          `json:"answered"`
	Rejected  bool          `json:"rejected"`
	Input     textDocument  `json:"input"`
	Output    *textDocument `json:"output"`
	StartedAt string        `json:"started_at,omitempty"`
	Duration  *float64      `json:"duration_s"`
}

type scoreDocument struct {
	Rubric  string         `json:"rubric"`
	InForce bool           `json:"in_force"`
	Score   *float64       `json:"score"`
	Grade   string         `json:"grade"`
	Detail  jsontext.Value `json:"detail"` // components with reasons and what was counted
}

func newText(t store.StoredText) textDocument {
	return textDocument{hex.EncodeToString(t.Digest[:]), t.Bytes, t.Text}
}

func optionalText(t *store.StoredText) *textDocument {
	if t == nil {
		return nil
	}
	d := newText(*t)
	return &d
}

func executionView(e store.ExecutionDetail, rubricName string, withOutput bool) (view, error) {
	d := shownExecutionDocument{
		executionDocument: newExecutionDocument(e.ExecutionSummary), Truths: e.Truths, Output: optionalText(e.Output), Calls: []callDocument{}, Scores: []scoreDocument{},
	}
	if !withOutput && d.Output != nil {
		d.Output.Text = nil
	}
	for i, c := range e.Calls {
		d.Calls = append(d.Calls, callDocument{
			i + 1, c.Tool, c.Exit, c.Error, c.Answered, c.Rejected, newText(c.Input), optionalText(c.Output), timeText(c.StartedAt), seconds(c.Duration),
		})
	}
	for _, s := range e.Scores {
		d.Scores = append(d.Scores, scoreDocument{s.Rubric, s.Rubric == e.Rubric, s.Score, s.Grade, jsontext.Value(s.Document)})
	}
	v := view{document: d, rows: callGrid(e), page: []any{executionHeading(e)}}
	components, err := shownComponents(e, rubricName)
	if err != nil {
		return v, err
	}
	if len(components.cells) > 0 {
		v.page = append(v.page, components)
	}
	if len(e.Calls) > 0 {
		v.page = append(v.page, callGrid(e))
	}
	if withOutput {
		text := "final text: not known"
		if e.Output != nil && e.Output.Text == nil {
			text = "final text: not kept"
		} else if e.Output != nil {
			text = "final text\n" + *e.Output.Text
		}
		v.page = append(v.page, text)
	}
	return v, nil
}

// shownComponents are those under a rubric: the one named, else the one in force, else the newest, where the score is the caller's own.
func shownComponents(e store.ExecutionDetail, name string) (grid, error) {
	if name == "" {
		name = e.Rubric
	}
	if name == agents.RubricOwn || name == "" {
		name = rubric.Default
	}
	for _, s := range e.Scores {
		if s.Rubric != name {
			continue
		}
		g := grid{title: "components under " + name, columns: []string{"component", "value"}}
		if !e.ForgottenAt.IsZero() { // the reasons are gone
			for _, c := range s.Components {
				g.cells = append(g.cells, []any{c.Name, c.Value})
			}
			return g, nil
		}
		var score rubric.Score
		if err := json.Unmarshal(s.Document, &score); err != nil {
			return grid{}, fmt.Errorf("score of %s under %s: %w", e.ID, name, err)
		}
		of := componentGrid(score)
		of.title = g.title
		return of, nil
	}
	return grid{}, nil
}

func executionHeading(e store.ExecutionDetail) string {
	var b strings.Builder
	fmt.Fprintf(&b, "execution %s of %s", e.ID, e.Lineage)
	if e.Version != "" {
		fmt.Fprintf(&b, "@%s", e.Version)
	}
	for _, part := range []struct{ name, text string }{
		{"task", e.Task}, {"type", e.TaskType}, {"complexity", string(e.Complexity)}, {"model", e.Model}, {"session", e.Session}, {"source", e.Source},
	} {
		if part.text != "" {
			fmt.Fprintf(&b, ", %s %s", part.name, part.text)
		}
	}
	if e.Trial > 0 {
		fmt.Fprintf(&b, ", trial %d", e.Trial)
	}
	fmt.Fprintf(&b, "\nrecorded %s", people(e.RecordedAt))
	if !e.StartedAt.IsZero() {
		fmt.Fprintf(&b, ", started %s", people(e.StartedAt))
	}
	if e.Duration != nil {
		fmt.Fprintf(&b, ", took %v", *e.Duration)
	}
	if e.Open {
		b.WriteString("\nits source ended within it: importing again may complete it")
	}
	if !e.ForgottenAt.IsZero() {
		fmt.Fprintf(&b, "\nits texts were removed %s", people(e.ForgottenAt))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Truths)) {
		fmt.Fprintf(&b, "\ntruth: %s %v", name, e.Truths[name])
	}
	b.WriteString("\n\n" + executionScoreText(e))
	return b.String()
}

func executionScoreText(e store.ExecutionDetail) string {
	if e.Score == nil {
		text := "status " + string(e.Status) + ": no score"
		if e.Message != "" {
			text += "\n" + shorten(e.Message)
		}
		return text
	}
	text := fmt.Sprintf("score %s, grade %s (%s) by %s", format.Fixed(*e.Score, 2), e.Grade, rubric.Grade(e.Grade).Action(), e.Rubric)
	for _, s := range e.Scores {
		if s.Rubric != e.Rubric && s.Score != nil {
			text += fmt.Sprintf("; %s under %s", format.Fixed(*s.Score, 2), s.Rubric)
		}
	}
	return text + fmt.Sprintf("\n%s, %d failed, %s", format.Counted(e.NCalls, "tool call"), e.NFailed, format.Counted(e.Corrections, "correction"))
}

func callGrid(e store.ExecutionDetail) grid {
	g := grid{title: "tool calls", columns: []string{"call", "tool", "exit", "result", "input", "output", "duration"}}
	for i, c := range e.Calls {
		var exit, output, duration any
		if c.Exit != nil {
			exit = *c.Exit
		}
		if c.Output != nil {
			output = fmt.Sprintf("%d bytes", c.Output.Bytes)
		}
		if c.Duration != nil {
			duration = shown{c.Duration.String(), c.Duration.Seconds()}
		}
		g.cells = append(g.cells, []any{i + 1, c.Tool, exit, callResult(c), fmt.Sprintf("%d bytes", c.Input.Bytes), output, duration})
	}
	return g
}

func callResult(c store.StoredCall) string {
	switch {
	case c.Rejected:
		return "rejected by the user"
	case c.Error != "":
		return shorten("error: " + c.Error)
	case !c.Answered:
		return "no result"
	case c.Exit != nil && *c.Exit != 0:
		return fmt.Sprintf("exit %d", *c.Exit)
	case c.Exit == nil:
		return "answered"
	}
	return "ok"
}
