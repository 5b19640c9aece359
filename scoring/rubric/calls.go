package rubric

import (
	"fmt"
	"strings"
)

// outcome is how a tool call ended.
type outcome string

// The outcomes.
const (
	succeeded    outcome = "ok"
	failed       outcome = "failed"
	benignExit   outcome = "benign"       // a non-zero exit that says no more than "nothing found" or "they differ"
	undetermined outcome = "undetermined" // nothing is known that would tell
)

// callsDetail is what [toolSuccessRate] was computed from.
type callsDetail struct {
	Calls        int          `json:"calls"`
	Successful   int          `json:"successful"` // benign exits included
	Failed       int          `json:"failed"`
	Benign       int          `json:"benign"`
	Undetermined int          `json:"undetermined"`           // counted in neither
	FailedTools  []toolCount  `json:"failed_tools,omitempty"` // in the order of their first failure
	Notable      []judgedCall `json:"notable,omitempty"`      // the first calls that did not simply succeed
}

// toolCount says how often a tool failed.
type toolCount struct {
	Tool  string `json:"tool"`
	Count int    `json:"count"`
}

// judgedCall says how a call ended, and why that is so.
type judgedCall struct {
	Call    int     `json:"call"` // number from 1
	Tool    string  `json:"tool"`
	Outcome outcome `json:"outcome"`
	Why     string  `json:"why"`
}

// statusMissing is why the outcome of a call with [Call.StatusMissing] is not known.
const statusMissing = "the log has no exit status of this call, and its output shows no failure"

type verdict struct {
	outcome outcome
	why     string
}

// judge says how a call ended under the rubric, and why.
func (r Rubric) judge(c Call) verdict {
	switch {
	case r.literal:
		return judgeLiterally(c)
	case c.Exit != nil && *c.Exit != 0:
		if *c.Exit == 1 {
			if command := benignCommand(c); command != "" {
				return verdict{benignExit, "exit 1 of " + command}
			}
		}
		return verdict{failed, fmt.Sprintf("exit %d", *c.Exit)}
	case c.Error != "":
		return verdict{failed, "error: " + excerpt(c.Error)}
	case c.IsError != nil && *c.IsError:
		return verdict{failed, "the tool reported an error"}
	case c.Exit != nil:
		return verdict{succeeded, "exit 0"}
	case c.IsError != nil:
		return verdict{succeeded, "the tool reported no error"}
	case c.Output != nil:
		if pattern := anchoredFailure(clip(*c.Output, maxText)); pattern != "" {
			return verdict{failed, fmt.Sprintf("no exit status, and the output has %q at the start of a line", pattern)}
		}
		if c.StatusMissing {
			return verdict{undetermined, statusMissing}
		}
		return verdict{succeeded, "no exit status, and no failure in the output"}
	case !c.Answered:
		return verdict{undetermined, noResult}
	}
	return verdict{undetermined, "neither exit status nor output is known"}
}

const noResult = "no result"

// judgeLiterally is rubric/1: exit code 0 and no word of error anywhere in the output. Where one of the two is not
// known, the other decides.
func judgeLiterally(c Call) verdict {
	switch {
	case c.Exit != nil && *c.Exit != 0:
		return verdict{failed, fmt.Sprintf("exit %d", *c.Exit)}
	case c.Error != "":
		return verdict{failed, "error: " + excerpt(c.Error)}
	case c.IsError != nil && *c.IsError:
		return verdict{failed, "the tool reported an error"}
	case c.Output != nil:
		if word := findErrorWord(clip(*c.Output, maxText)); word != "" {
			return verdict{failed, fmt.Sprintf("the output contains %q", word)}
		}
		if c.StatusMissing {
			return verdict{undetermined, statusMissing}
		}
		return verdict{succeeded, "no word of error in the output"}
	case c.Exit != nil:
		return verdict{succeeded, "exit 0; the output is not known"}
	case c.IsError != nil:
		return verdict{succeeded, "the tool reported no error; the output is not known"}
	case !c.Answered:
		return verdict{undetermined, noResult}
	}
	return verdict{undetermined, "neither exit status nor output is known"}
}

func (s *scorer) count(outcome outcome) int {
	n := 0
	for _, v := range s.verdicts {
		if v.outcome == outcome {
			n++
		}
	}
	return n
}

// toolSuccess is successful / all tool calls, where all are those of which the outcome is known. Under rubric/2 a
// one-sided minority of known outcomes is no evidence, and gives no value.
func (s *scorer) toolSuccess() Component {
	if s.e.CallsUnknown {
		return missing(toolSuccessRate, "the tool calls were not recorded")
	}
	d := s.callsDetail()
	counted := d.Successful + d.Failed
	if reason := s.noRate(d); reason != "" {
		c := missing(toolSuccessRate, reason)
		c.Detail = d
		return c
	}
	reason := fmt.Sprintf("%d of %s succeeded", d.Successful, plural(counted, "call"))
	if d.Benign > 0 {
		reason += fmt.Sprintf(", %s among them", plural(d.Benign, "benign exit"))
	}
	if d.Undetermined > 0 {
		reason += fmt.Sprintf("; %d left out, their outcome is not known", d.Undetermined)
	}
	return measured(toolSuccessRate, float64(d.Successful)/float64(counted), d, "%s", reason)
}

// noRate returns why the outcomes that are known give no rate; empty if they give one.
func (s *scorer) noRate(d callsDetail) string {
	counted := d.Successful + d.Failed
	reason := ""
	switch {
	case counted == 0 && d.Undetermined > 0:
		reason = "of none of the calls is it known whether it succeeded"
	case counted == 0:
		reason = "no tool call, and 0/0 is no rate"
	case !s.rubric.literal && d.oneSidedMinority():
		reason = fmt.Sprintf("only %d of %s have a known outcome, and all of them %s", counted, plural(d.Calls, "call"), d.onlyOutcome())
	default:
		return ""
	}
	if s.rubric.literal {
		return reason + ": rubric/1 gives it no value, so its sum has none either"
	}
	return reason + ": left out, and the weights of the others renormalised"
}

// oneSidedMinority reports whether fewer than half of the outcomes are known, and all of them are equal. A log that
// writes down only failures, or only what succeeded, looks like this.
func (d callsDetail) oneSidedMinority() bool {
	return 2*(d.Successful+d.Failed) < d.Calls && (d.Successful == 0 || d.Failed == 0)
}

func (d callsDetail) onlyOutcome() string {
	if d.Failed > 0 {
		return "failed"
	}
	return "succeeded"
}

func (s *scorer) callsDetail() callsDetail {
	d := callsDetail{Calls: len(s.e.Calls), Failed: s.count(failed), Benign: s.count(benignExit), Undetermined: s.count(undetermined)}
	d.Successful = s.count(succeeded) + d.Benign
	position := map[string]int{}
	for i, v := range s.verdicts {
		tool := s.e.Calls[i].Tool
		if v.outcome != succeeded && len(d.Notable) < maxListed {
			d.Notable = append(d.Notable, judgedCall{Call: i + 1, Tool: tool, Outcome: v.outcome, Why: v.why})
		}
		if v.outcome != failed {
			continue
		}
		if _, ok := position[tool]; !ok {
			position[tool] = len(d.FailedTools)
			d.FailedTools = append(d.FailedTools, toolCount{Tool: tool})
		}
		d.FailedTools[position[tool]].Count++
	}
	return d
}

// benignCommand returns the grep, rg, diff or test whose exit 1 is that of the call; empty where another command may
// have set it.
func benignCommand(c Call) string {
	if c.Command == "" {
		switch tool := strings.ToLower(c.Tool); tool {
		case "grep", "rg", "diff": // not test: a tool of that name runs tests
			return tool
		}
		return ""
	}
	benign := ""
	for _, argv := range exitCommands(c.Command) {
		name := commandName(argv)
		switch name {
		case "grep", "egrep", "fgrep", "rg", "diff", "test", "[", "[[":
			benign = name
		case "cd": // on the way: its own failure shows in what it prints
			if strings.Contains(c.Error, "cd: ") || c.Output != nil && strings.Contains(clip(*c.Output, maxText), "cd: ") {
				return ""
			}
		default:
			return ""
		}
	}
	return benign
}
