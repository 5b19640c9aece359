package rubric

import (
	"fmt"
	"strings"
)

// Outcome is how a tool call ended.
type Outcome string

// The outcomes.
const (
	Succeeded    Outcome = "ok"
	Failed       Outcome = "failed"
	Benign       Outcome = "benign"       // a non-zero exit that says no more than "nothing found" or "they differ"
	Undetermined Outcome = "undetermined" // nothing is known that would tell
)

// CallsDetail is what [ToolSuccessRate] was computed from.
type CallsDetail struct {
	Calls        int          `json:"calls"`
	Successful   int          `json:"successful"` // benign exits included
	Failed       int          `json:"failed"`
	Benign       int          `json:"benign"`
	Undetermined int          `json:"undetermined"`           // counted in neither
	FailedTools  []ToolCount  `json:"failed_tools,omitempty"` // in the order of their first failure
	Notable      []JudgedCall `json:"notable,omitempty"`      // the first calls that did not simply succeed
}

// ToolCount says how often a tool failed.
type ToolCount struct {
	Tool  string `json:"tool"`
	Count int    `json:"count"`
}

// JudgedCall says how a call ended, and why that is so.
type JudgedCall struct {
	Call    int     `json:"call"` // number from 1
	Tool    string  `json:"tool"`
	Outcome Outcome `json:"outcome"`
	Why     string  `json:"why"`
}

type verdict struct {
	outcome Outcome
	why     string
}

// Judge says how a call ended under the rubric, and why.
func (r Rubric) Judge(c Call) (outcome Outcome, why string) {
	v := r.judge(c)
	return v.outcome, v.why
}

func (r Rubric) judge(c Call) verdict {
	switch {
	case r.literal:
		return judgeLiterally(c)
	case c.Exit != nil && *c.Exit != 0:
		if *c.Exit == 1 {
			if command := benignCommand(c); command != "" {
				return verdict{Benign, "exit 1 of " + command}
			}
		}
		return verdict{Failed, fmt.Sprintf("exit %d", *c.Exit)}
	case c.Error != "":
		return verdict{Failed, "error: " + excerpt(c.Error)}
	case c.IsError != nil && *c.IsError:
		return verdict{Failed, "the tool reported an error"}
	case c.Exit != nil:
		return verdict{Succeeded, "exit 0"}
	case c.IsError != nil:
		return verdict{Succeeded, "the tool reported no error"}
	case c.Output != nil:
		if pattern := anchoredFailure(clip(*c.Output, MaxText)); pattern != "" {
			return verdict{Failed, fmt.Sprintf("no exit status, and the output has %q at the start of a line", pattern)}
		}
		return verdict{Succeeded, "no exit status, and no failure in the output"}
	case !c.Answered:
		return verdict{Failed, "no result"}
	}
	return verdict{Undetermined, "neither exit status nor output is known"}
}

// judgeLiterally is rubric/1: exit code 0 and no word of error anywhere in the output. Where one of the two is not known, the other
// decides.
func judgeLiterally(c Call) verdict {
	switch {
	case c.Exit != nil && *c.Exit != 0:
		return verdict{Failed, fmt.Sprintf("exit %d", *c.Exit)}
	case c.Error != "":
		return verdict{Failed, "error: " + excerpt(c.Error)}
	case c.IsError != nil && *c.IsError:
		return verdict{Failed, "the tool reported an error"}
	case c.Output != nil:
		if word := findErrorWord(clip(*c.Output, MaxText)); word != "" {
			return verdict{Failed, fmt.Sprintf("the output contains %q", word)}
		}
		return verdict{Succeeded, "no word of error in the output"}
	case c.Exit != nil:
		return verdict{Succeeded, "exit 0; the output is not known"}
	case c.IsError != nil:
		return verdict{Succeeded, "the tool reported no error; the output is not known"}
	case !c.Answered:
		return verdict{Failed, "no result"}
	}
	return verdict{Undetermined, "neither exit status nor output is known"}
}

func (s *scorer) count(outcome Outcome) int {
	n := 0
	for _, v := range s.verdicts {
		if v.outcome == outcome {
			n++
		}
	}
	return n
}

// toolSuccess is successful / all tool calls, where all are those of which the outcome is known.
func (s *scorer) toolSuccess() Component {
	if s.e.CallsUnknown {
		return missing(ToolSuccessRate, "the tool calls were not recorded")
	}
	d := s.callsDetail()
	counted := d.Successful + d.Failed
	if counted == 0 {
		reason := "no tool call, and 0/0 is no rate"
		if d.Undetermined > 0 {
			reason = "of none of the calls is it known whether it succeeded"
		}
		if s.rubric.literal {
			reason += ": rubric/1 gives it no value, so its sum has none either"
		} else {
			reason += ": left out, and the weights of the others renormalised"
		}
		c := missing(ToolSuccessRate, reason)
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
	return measured(ToolSuccessRate, float64(d.Successful)/float64(counted), d, "%s", reason)
}

func (s *scorer) callsDetail() CallsDetail {
	d := CallsDetail{Calls: len(s.e.Calls), Failed: s.count(Failed), Benign: s.count(Benign), Undetermined: s.count(Undetermined)}
	d.Successful = s.count(Succeeded) + d.Benign
	position := map[string]int{}
	for i, v := range s.verdicts {
		tool := s.e.Calls[i].Tool
		if v.outcome != Succeeded && len(d.Notable) < maxListed {
			d.Notable = append(d.Notable, JudgedCall{Call: i + 1, Tool: tool, Outcome: v.outcome, Why: v.why})
		}
		if v.outcome != Failed {
			continue
		}
		if _, ok := position[tool]; !ok {
			position[tool] = len(d.FailedTools)
			d.FailedTools = append(d.FailedTools, ToolCount{Tool: tool})
		}
		d.FailedTools[position[tool]].Count++
	}
	return d
}

// benignCommand returns the grep, rg, diff or test whose exit 1 is that of the call; empty where another command may have set it.
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
			if strings.Contains(c.Error, "cd: ") || c.Output != nil && strings.Contains(clip(*c.Output, MaxText), "cd: ") {
				return ""
			}
		default:
			return ""
		}
	}
	return benign
}
