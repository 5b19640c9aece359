package claudehooks

import (
	"slices"

	"track"
	"track/importer"
)

// Turn is one execution as the events of its hooks tell it.
type Turn struct {
	Execution *track.Execution // nil where nothing was done
	Events    []Event          // what it was made of, in order
	Begun     bool             // its prompt, or a call, was seen
	Stopped   bool             // it came to its end, as far as is known
	Final     bool             // nothing more is to come: another prompt followed, or the session ended
}

// Assemble makes executions of the events of one thread, in order of their time. One whose next prompt comes, or
// whose session ends, before it stopped was interrupted, which is a correction.
func Assemble(events []Event) (turns []Turn) {
	for _, run := range runs(inOrder(events)) {
		turns = append(turns, assemble(run))
	}
	for i := range turns {
		if turns[i].Final = turns[i].Final || i < len(turns)-1; turns[i].Final {
			turns[i].End()
		}
	}
	return turns
}

// inOrder sorts events by time. Of two at one time, as in logs that count whole seconds, the start of a call precedes
// its result.
func inOrder(events []Event) []Event {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
	for i, e := range events {
		if e.Call.Key != "" || !e.Call.Answered {
			continue
		}
		for j := i + 1; j < len(events) && events[j].At.Equal(e.At); j++ {
			if before := events[j]; before.Name == PreToolUse && before.Call.Key == "" && before.Call.Tool == e.Call.Tool && before.Call.Input == e.Call.Input {
				copy(events[i+1:j+1], events[i:j])
				events[i] = before
				break
			}
		}
	}
	return events
}

// runs cuts events where an execution begins, and behind the end of one.
func runs(events []Event) (list [][]Event) {
	open := false
	for _, e := range events {
		if !open || e.Name == UserPromptSubmit {
			list = append(list, nil)
		}
		last := &list[len(list)-1]
		*last = append(*last, e)
		open = e.Name != SessionEnd && (e.Name != SubagentStop || e.Agent == "")
	}
	return list
}

func assemble(events []Event) Turn {
	t := Turn{Events: events}
	var open *turn
	budget := importer.NewBudget()
	for i, e := range events {
		switch e.Name {
		case UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, PermissionDenied:
			if open == nil {
				open, t.Begun = begin(budget, i+1, thread{e.Session, e.Agent}, e), true
			}
			if e.Name != UserPromptSubmit {
				open.tool(e)
			}
		case Stop, StopFailure, SubagentStop:
			if e.Name == SubagentStop && e.Agent == "" {
				continue // older payloads do not tell which subagent it was
			}
			if t.Stopped = true; open != nil {
				open.stop(e)
			}
		case SessionEnd:
			t.Final = true
		}
	}
	if open != nil && (t.Stopped || open.Acted()) {
		t.Execution = open.finish()[0].Execution
	}
	return t
}

// End closes an execution that nothing more is to come of.
func (t *Turn) End() {
	t.Final = true
	if t.Execution != nil && !t.Stopped {
		t.Execution.Corrections++
		t.Execution.Message = "interrupted: the next prompt, or the end of the session, came before it stopped"
	}
	t.Stopped = true
}

// Merge returns what a transcript and hooks know together of an execution; complete says that the transcript alone
// knows it all. The transcript has exit statuses, tokens, the model; hooks know what it does not tell yet, since it
// is written with a delay.
func Merge(transcript, hooks track.Execution) (merged track.Execution, complete bool) {
	merged, complete = transcript, transcript.Output != nil
	merged.Calls = slices.Clone(transcript.Calls)
	known := make(map[string]int, len(merged.Calls))
	for i, c := range merged.Calls {
		known[c.Key] = i
	}
	for _, c := range hooks.Calls {
		i, is := known[c.Key]
		switch {
		case c.Key == "":
		case !is:
			merged.Calls = append(merged.Calls, c)
			complete = false
		case c.Answered && !merged.Calls[i].Answered:
			merged.Calls[i] = c
			complete = false
		}
	}
	if merged.Prompt == nil {
		merged.Prompt = hooks.Prompt
	}
	if len(hooks.Files) > len(merged.Files) {
		merged.Files = hooks.Files
	}
	if !complete && hooks.Output != nil {
		merged.Output = hooks.Output
	}
	if merged.Output == nil {
		merged.Output = hooks.Output
	}
	return merged, complete
}
