package answer

import (
	"fmt"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
)

// EvolveSettings say what evolves a lineage, and when it ends.
type EvolveSettings struct {
	Lineage     string // empty for the only one
	Propose     string // line of shell
	Evaluate    string // line of shell
	Tasks       *string
	Measured    int // tasks that an accepted child is measured on; 0 for all
	Parallel    int
	Timeout     time.Duration // of each run of a command
	Retries     int           // runs of propose after one that made no child
	MaxFailures int           // trials without a score, one after the other
	Budget      evolution.Budget
	Until       evolution.Until
}

func (q *EvolveSettings) Params() param.List {
	q.Parallel, q.Retries, q.MaxFailures = 1, 2, 10
	return param.List{
		{Name: "lineage", Unit: "NAME", Help: "choose the lineage by its `NAME`; not needed if there is only one", Value: param.Text(&q.Lineage)},
		{Name: "propose", Required: true, Unit: "COMMAND", Help: "make a child of a version by this shell `COMMAND`", Value: param.Text(&q.Propose)},
		{Name: "evaluate", Required: true, Unit: "COMMAND", Help: "run one trial of a version by this shell `COMMAND`", Value: param.Text(&q.Evaluate)},
		{Name: "tasks", Unit: "FILE", Help: "pair the trials by these tasks, one a line: a name, or a JSON object with a task",
			FileHelp: "pair the trials by the tasks in `FILE`, one a line: a name, or a JSON object with a task", Value: param.Content(&q.Tasks)},
		{Name: "measure", Unit: "N", Help: "measure an accepted child on the first `N` tasks instead of all", Value: param.Whole(&q.Measured, 1)},
		{Name: "parallel", Unit: "N", Help: "run `N` trials at a time", Value: param.Whole(&q.Parallel, 1)},
		{Name: "timeout", Unit: "TIME", Help: "end a command that takes longer than `TIME`, such as 90s or 5m; such a trial has failed", Value: param.Duration(&q.Timeout)},
		{Name: "retries", Unit: "N", Help: "run the propose command up to `N` times more if it makes no new child", Value: param.Whole(&q.Retries, 0)},
		{Name: "max-failures", Unit: "N", Help: "end after `N` trials in a row without a score", Value: param.Whole(&q.MaxFailures, 1)},
		{Name: "max-trials", Unit: "N", Help: "end when `N` trials are recorded, before or now", Value: param.Whole(&q.Budget.Trials, 1)},
		{Name: "max-mutations", Unit: "N", Help: "propose no more when the lineage has `N` mutations, and decide the last one", Value: param.Whole(&q.Budget.Mutations, 1)},
		{Name: "max-tokens", Unit: "N", Help: "end when the trials, before or now, have taken `N` input and output tokens", Value: param.Whole(&q.Budget.Tokens, 1)},
		{Name: "max-cost", Unit: "USD", Help: "end when trials and proposals, before or now, have cost so many `USD`", Value: param.OptionalFloat(&q.Budget.CostUSD)},
		{Name: "until", Unit: "RULE", Help: "end by this `RULE`: score>=95 of the active version (score<=0.1 if less is better), or accepted=3 mutations",
			Value: param.Parsed(&q.Until, evolution.ParseUntil, evolution.Until.String)},
		{Name: "max-time", Unit: "TIME", Help: "end this run after `TIME`, such as 90s, 5m or 2h", Value: param.Duration(&q.Budget.Time)},
	}
}

// EvolveEnding says why a loop ended.
type EvolveEnding string

// The endings.
const (
	EvolveReached     EvolveEnding = "reached"     // the rule to end is
	EvolveBudget      EvolveEnding = "budget"      // a bound is reached
	EvolveStopped     EvolveEnding = "stopped"     // the lineage is frozen, or stable
	EvolveHeld        EvolveEnding = "held"        // a daily limit holds until a later time
	EvolveFailed      EvolveEnding = "failed"      // the commands fail
	EvolveInterrupted EvolveEnding = "interrupted" // by the user
)

// Evolved says what became of a loop.
type Evolved struct {
	Lineage    string             `json:"lineage"`
	Ending     EvolveEnding       `json:"ending"`
	Reason     string             `json:"reason"`
	Rule       string             `json:"rule,omitempty"` // to end by, such as score>=95
	Until      time.Time          `json:"until,omitzero"` // when a daily limit ends
	HeadBefore string             `json:"head_before"`
	Head       string             `json:"head"`
	Fitness    *float64           `json:"fitness"`         // of the active version
	Scale      *evolution.Scale   `json:"scale,omitempty"` // of the scores; none for 0 to 100
	NTrials    int                `json:"n_trials"`        // that this loop recorded
	NFailed    int                `json:"n_failed"`        // of these
	NProposed  int                `json:"n_proposed"`
	NRefused   int                `json:"n_refused"` // of these
	NAccepted  int                `json:"n_accepted"`
	NRejected  int                `json:"n_rejected"`
	NContinued int                `json:"n_continued"` // decisions that asked for more trials
	NRollbacks int                `json:"n_rollbacks"`
	Undecided  string             `json:"undecided,omitempty"` // mutation that the next loop decides first
	Spent      evolution.Spending `json:"spent"`               // by all loops of the lineage so far
}

func (a Evolved) Lead() []Sentence {
	ending := fmt.Sprintf("%s (%s)", a.Ending, a.Reason)
	if a.Ending == EvolveHeld {
		ending = fmt.Sprintf("stopped by a daily limit (%s)", a.Reason)
	}
	text := fmt.Sprintf("evolve %s: %s; %s, %d failed; %s proposed, %d refused; %d decided: %d accepted, %d rejected", a.Lineage, ending,
		format.Counted(a.NTrials, "trial"), a.NFailed, format.Counted(a.NProposed, "mutation"), a.NRefused, a.NAccepted+a.NRejected, a.NAccepted, a.NRejected)
	if a.NRollbacks > 0 {
		text += "; " + format.Counted(a.NRollbacks, "rollback")
	}
	active := "active: " + format.OrDash(a.Head)
	if a.Fitness != nil {
		active += ", fitness " + Numbers{a.Scale}.Score(*a.Fitness)
	}
	if a.HeadBefore != a.Head {
		active += "; before: " + format.OrDash(a.HeadBefore)
	}
	lead := []Sentence{{Kind: Heading, Text: text}, {Kind: Note, Text: active, Joined: true}}
	if !a.Until.IsZero() {
		lead = append(lead, Sentence{Kind: Note, Text: "can go on at " + timeText(a.Until), Joined: true})
	}
	if a.Undecided != "" {
		lead = append(lead, Sentence{Kind: Note, Text: "not yet decided: " + a.Undecided + "; the next run decides it first", Joined: true})
	}
	return lead
}

func (a Evolved) Tables() []Table {
	return []Table{{Name: "evolved", ForPrograms: true,
		Columns: columns("lineage", "ending", "reason", "head_before", "head", "fitness", "n_trials", "n_failed", "n_proposed", "n_refused", "n_accepted", "n_rejected", "n_rollbacks"),
		Rows:    [][]any{{a.Lineage, string(a.Ending), a.Reason, a.HeadBefore, a.Head, a.Fitness, a.NTrials, a.NFailed, a.NProposed, a.NRefused, a.NAccepted, a.NRejected, a.NRollbacks}}}}
}

func (a Evolved) Conclusion() Conclusion {
	if a.Ending == EvolveFailed {
		return Failed
	}
	return Done
}

// Notices returns what to do next.
func (a Evolved) Notices() []Sentence {
	var hint track.Hint
	switch a.Ending {
	case EvolveBudget:
		hint = track.Hint{Text: "the same command with a larger budget continues"}
	case EvolveHeld:
		hint = track.NewHint("the same command goes on when the limit ends; to lift the limit", "lineage set", a.Lineage, "max_per_day=1000", "max_high_per_day=1000")
	case EvolveFailed:
		hint = track.NewHint("show the newest trials", "executions", a.Lineage)
	default:
		return nil
	}
	return []Sentence{{Kind: Note, Hint: &hint}}
}
