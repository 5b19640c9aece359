package evolution

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"track/scoring/format"
)

// LoopSettings say when a lineage mutates. They are versioned with the lineage.
type LoopSettings struct {
	Interval       int      `json:"interval"`           // executions from one consideration to the next
	MutationRate   float64  `json:"mutation_rate"`      // probability to mutate when it is considered, by a draw
	Keep           int      `json:"keep"`               // versions that stay active besides the best and the active one
	MaxPerDay      int      `json:"max_per_day"`        // mutations in any 24 hours
	MaxHighPerDay  int      `json:"max_high_per_day"`   // of them, of high risk
	MinBetween     int      `json:"min_between"`        // executions from one mutation to the next
	Cooldown       int      `json:"cooldown"`           // executions after a rollback
	StableScores   int      `json:"stable_scores"`      // fewest scores that can be stable
	StableMean     float64  `json:"stable_mean"`        // stable above
	StableVariance float64  `json:"stable_variance"`    // stable below
	Frozen         bool     `json:"frozen"`             // by hand
	Forbidden      []string `json:"forbidden_patterns"` // of children, see [LoopSettings.CheckChild]
	MaxGrowth      float64  `json:"max_growth"`         // times the length of its parent that a child may have; 0 for any
	GrowthFloor    int      `json:"growth_floor"`       // characters that a child may have, whatever its parent has
	MaxLength      int      `json:"max_length"`         // characters that a child may have; 0 for any
}

// defaultLoopSettings returns the settings of a lineage that has none of its own.
func defaultLoopSettings() LoopSettings {
	return LoopSettings{
		Interval: 3, MutationRate: 0.8, Keep: 5, MaxPerDay: 10, MaxHighPerDay: 2, MinBetween: 3, Cooldown: 5,
		StableScores: 3, StableMean: 85, StableVariance: 5, Forbidden: defaultForbidden(), MaxGrowth: 2, GrowthFloor: 8000,
	}
}

// validate returns an error for the first setting outside its domain.
func (s LoopSettings) validate() error {
	for _, c := range []struct {
		name string
		ok   bool
		want string
	}{
		{"interval", s.Interval >= 1, "at least 1"},
		{"mutation_rate", s.MutationRate >= 0 && s.MutationRate <= 1, "from 0 to 1"},
		{"keep", s.Keep >= 1, "at least 1"},
		{"max_per_day", s.MaxPerDay >= 0, "at least 0"},
		{"max_high_per_day", s.MaxHighPerDay >= 0, "at least 0"},
		{"min_between", s.MinBetween >= 0, "at least 0"},
		{"cooldown", s.Cooldown >= 0, "at least 0"},
		{"stable_scores", s.StableScores >= 1, "at least 1"},
		{"stable_mean", finite(s.StableMean) != nil, "a number"},
		{"max_growth", s.MaxGrowth == 0 || s.MaxGrowth >= 1 && finite(s.MaxGrowth) != nil, "at least 1, or off"},
		{"growth_floor", s.GrowthFloor >= 0, "at least 0"},
		{"max_length", s.MaxLength >= 0, "at least 1, or off"},
		{"stable_variance", finite(s.StableVariance) != nil, "a number"},
	} {
		if !c.ok {
			return fmt.Errorf("loop settings: %s: want %s", c.name, c.want)
		}
	}
	_, err := compile(s.Forbidden)
	return err
}

// PastMutation is a mutation that was made, for the limits of a day.
type PastMutation struct {
	At   time.Time `json:"at"`
	Risk Risk      `json:"risk"`
}

// LoopState is where a lineage stands. Counts are of executions, -1 if the event they count from never happened.
type LoopState struct {
	SinceConsidered int            `json:"since_considered"`
	SinceMutation   int            `json:"since_mutation"`
	SinceRollback   int            `json:"since_rollback"`
	Scores          []float64      `json:"scores"` // of the active version, oldest first
	Mutations       []PastMutation `json:"mutations"`
}

// Hold is a reason not to mutate.
type Hold string

// The holds, in the order in which they are checked. [holdNone] allows the mutation.
const (
	holdNone     Hold = ""
	HoldFrozen   Hold = "frozen"
	HoldCooldown Hold = "cooldown" // after a rollback
	HoldStable   Hold = "stable"   // nothing to gain
	HoldInterval Hold = "interval" // not yet considered again
	HoldBetween  Hold = "min_between"
	HoldDay      Hold = "max_per_day"
	HoldRate     Hold = "rate" // considered, and the draw said no
)

// Permission says whether a lineage may mutate now.
type Permission struct {
	Mutate   bool   `json:"mutate"`
	Hold     Hold   `json:"hold,omitempty"`
	Reason   string `json:"reason"`
	NoHigh   bool   `json:"no_high"`   // operators of high risk have reached their limit: leave them out ([WithoutRisk])
	DrawUsed bool   `json:"draw_used"` // the lineage was considered: SinceConsidered starts again
	// Until is when a limit of the day lets the next mutation through; zero for other holds.
	Until time.Time `json:"until,omitzero"`
}

// Operators returns the permitted operators of a list: without those of high risk if these have reached their limit.
func (p Permission) Operators(list []Operator) []Operator {
	if p.NoHigh {
		return WithoutRisk(list, High)
	}
	return list
}

// MayMutate returns whether to mutate now, and why. The label of the draw is [LabelMutate]; mutate iff u <
// mutation_rate.
func (s LoopSettings) MayMutate(state LoopState, now time.Time, draw Draw) (Permission, error) {
	if err := s.validate(); err != nil {
		return Permission{}, err
	}
	if err := verifyLabel(draw, LabelMutate); err != nil {
		return Permission{}, err
	}
	if hold, reason := s.hold(state); hold != holdNone {
		return Permission{Hold: hold, Reason: reason}, nil
	}
	recent, high := lastDay(state.Mutations, now)
	if len(recent) >= s.MaxPerDay {
		p := Permission{Hold: HoldDay, Reason: fmt.Sprintf("%d of %d mutations in 24 hours", len(recent), s.MaxPerDay)}
		if s.MaxPerDay > 0 {
			p.Until = recent[len(recent)-s.MaxPerDay].Add(day)
		}
		return p, nil
	}
	p := Permission{Mutate: draw.U < s.MutationRate, NoHigh: high >= s.MaxHighPerDay, DrawUsed: true}
	p.Reason = fmt.Sprintf("drew %.4f, mutates below %v", draw.U, s.MutationRate)
	if !p.Mutate {
		p.Hold = HoldRate
	}
	return p, nil
}

// hold returns the first reason not to mutate that needs neither clock nor draw.
func (s LoopSettings) hold(state LoopState) (Hold, string) {
	soon := func(since, want int) bool { return since >= 0 && since < want }
	count := func(since, want int, after string) string {
		return fmt.Sprintf("%d of %d executions since %s", since, want, after)
	}
	switch {
	case s.Frozen:
		return HoldFrozen, "frozen by hand"
	case soon(state.SinceRollback, s.Cooldown):
		return HoldCooldown, count(state.SinceRollback, s.Cooldown, "the rollback")
	case s.isStable(state.Scores):
		return HoldStable, fmt.Sprintf("mean above %v, variance below %v", s.StableMean, s.StableVariance)
	case soon(state.SinceConsidered, s.Interval):
		return HoldInterval, count(state.SinceConsidered, s.Interval, "mutation was considered")
	case soon(state.SinceMutation, s.MinBetween):
		return HoldBetween, count(state.SinceMutation, s.MinBetween, "the mutation")
	}
	return holdNone, ""
}

// stableWindow is the number of recent scores: as many as a fitness weights.
const stableWindow = len(fitnessWeights)

// isStable reports whether the last scores, at most five and at least StableScores, have a mean above StableMean and a
// population variance below StableVariance. Mutating then gains nothing.
func (s LoopSettings) isStable(scores []float64) bool {
	window := max(stableWindow, s.StableScores)
	recent := scores[max(0, len(scores)-window):]
	if len(recent) < s.StableScores {
		return false
	}
	sum := summarize(recent)
	variance := 0.0
	if sum.n > 1 {
		variance = sum.sd * sum.sd * float64(sum.n-1) / float64(sum.n)
	}
	return round9(sum.mean) > s.StableMean && round9(variance) < s.StableVariance
}

const day = 24 * time.Hour

// lastDay returns the times of the mutations of the 24 hours before now, oldest first, and how many of them were of
// high risk. Any 24 hours, not a calendar day: a limit of 10 that starts again at midnight allows 20 in an hour.
func lastDay(list []PastMutation, now time.Time) (times []time.Time, high int) {
	for _, m := range list {
		if now.Sub(m.At) >= day {
			continue
		}
		times = append(times, m.At)
		if m.Risk == High {
			high++
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times, high
}

// DayLimit is a limit of the mutations in 24 hours that is reached.
type DayLimit struct {
	High  bool // only mutations of high risk count
	N     int  // made
	Limit int
	Until time.Time // when it lets the next one through; zero for never
}

// DayLimits returns the limits that forbid one more mutation of a risk now.
func (s LoopSettings) DayLimits(list []PastMutation, risk Risk, now time.Time) (reached []DayLimit) {
	highs := slices.DeleteFunc(slices.Clone(list), func(m PastMutation) bool { return m.Risk != High })
	for _, limit := range []struct {
		DayLimit
		of []PastMutation
	}{{DayLimit{Limit: s.MaxPerDay}, list}, {DayLimit{Limit: s.MaxHighPerDay, High: true}, highs}} {
		times, _ := lastDay(limit.of, now)
		if limit.N = len(times); limit.N < limit.Limit || limit.High && risk != High {
			continue
		}
		if limit.Limit > 0 {
			limit.Until = times[limit.N-limit.Limit].Add(day)
		}
		reached = append(reached, limit.DayLimit)
	}
	return reached
}

// Budget bounds what a loop may spend. A bound of 0, or nil, is none.
type Budget struct {
	Trials    int
	Mutations int
	Tokens    int
	CostUSD   *float64
	Time      time.Duration
}

// Spending is what a loop has spent.
type Spending struct {
	Trials    int     `json:"trials"`
	Mutations int     `json:"mutations"`
	Tokens    int64   `json:"tokens"` // input and output
	CostUSD   float64 `json:"cost_usd"`
}

// Proposed reports whether the bound of mutations is reached. The last one is still to be decided.
func (b Budget) Proposed(s Spending) bool { return b.Mutations > 0 && s.Mutations >= b.Mutations }

// Reached returns the first bound that is reached, in words; empty if another trial may run. elapsed is the time since
// the loop began.
func (b Budget) Reached(s Spending, elapsed time.Duration) string {
	switch {
	case b.Trials > 0 && s.Trials >= b.Trials:
		return fmt.Sprintf("%d of %d trials", s.Trials, b.Trials)
	case b.Tokens > 0 && s.Tokens >= int64(b.Tokens):
		return fmt.Sprintf("%d of %d tokens", s.Tokens, b.Tokens)
	case b.CostUSD != nil && s.CostUSD >= *b.CostUSD:
		return fmt.Sprintf("%.4g of %.4g US dollars", s.CostUSD, *b.CostUSD)
	case b.Time > 0 && elapsed >= b.Time:
		return fmt.Sprintf("%v of %v", elapsed.Round(time.Second), b.Time)
	}
	return ""
}

// Short returns why what is left cannot pay for n more trials, in words; empty if it can. Each of them is expected to
// take as many tokens and dollars as the trials before, with their proposals.
func (b Budget) Short(s Spending, n int) string {
	each := func(spent float64) float64 { return float64(spent / float64(max(1, s.Trials)) * float64(n)) }
	switch {
	case b.Trials > 0 && s.Trials+n > b.Trials:
		return fmt.Sprintf("%d of %d trials", s.Trials, b.Trials)
	case b.Tokens > 0 && float64(s.Tokens)+each(float64(s.Tokens)) > float64(b.Tokens):
		return fmt.Sprintf("%d of %d tokens", s.Tokens, b.Tokens)
	case b.CostUSD != nil && s.CostUSD+each(s.CostUSD) > *b.CostUSD:
		return fmt.Sprintf("%.4g of %.4g US dollars", s.CostUSD, *b.CostUSD)
	}
	return ""
}

// Trigger is the reason why a lineage went back to an earlier version.
type Trigger string

// The triggers, in the order in which they are checked; [TriggerHand] is a person's choice.
const (
	TriggerDrops     Trigger = "consecutive_drops"
	TriggerBelowBest Trigger = "below_best"
	TriggerErrorRate Trigger = "error_rate"
	TriggerHand      Trigger = "by_hand"
)

// RollbackRules are the limits of the triggers.
type RollbackRules struct {
	Drops         int     `json:"drops"`          // score drops in a row: back to the best
	BestShare     float64 `json:"best_share"`     // score below this share of the best: back to the best
	ErrorRate     float64 `json:"error_rate"`     // error rate above: back to the previous version,
	PreviousShare float64 `json:"previous_share"` // or to the best, if the previous version scored below this share of the active one
}

// defaultRollbackRules returns the rules of a lineage that has none of its own.
func defaultRollbackRules() RollbackRules {
	return RollbackRules{Drops: 2, BestShare: 0.7, ErrorRate: 0.5, PreviousShare: 0.8}
}

// validate returns an error for the first limit outside its domain.
func (r RollbackRules) validate() error {
	for _, c := range []struct {
		name string
		ok   bool
		want string
	}{
		{"drops", r.Drops >= 0, "at least 0, which turns the trigger off"},
		{"best_share", r.BestShare >= 0 && r.BestShare <= 1, "from 0, which turns the trigger off, to 1"},
		{"error_rate", r.ErrorRate >= 0 && r.ErrorRate <= 1, "from 0 to 1, which turns the trigger off"},
		{"previous_share", r.PreviousShare >= 0 && r.PreviousShare <= 1, "from 0 to 1"},
	} {
		if !c.ok {
			return fmt.Errorf("rollback rules: %s: want %s", c.name, c.want)
		}
	}
	return nil
}

// RollbackState is the input of the triggers.
type RollbackState struct {
	InForce   Standing   `json:"in_force"`
	Previous  *Standing  `json:"previous"` // the version that was active before; nil for none
	Versions  []Standing `json:"versions"`
	Steps     []Step     `json:"steps"`      // from one active version to the next since the last rollback, oldest first
	ErrorRate *float64   `json:"error_rate"` // nil if it was not measured
}

// Step compares a version with the one that was active before it.
type Step struct {
	From    string      `json:"from"`
	To      string      `json:"to"`
	Against *Comparison `json:"against"` // nil if they were tried on different tasks
}

// Rollback is a return to an earlier version. It starts the count of drops again and the cooldown.
type Rollback struct {
	Trigger Trigger `json:"trigger"`
	From    string  `json:"from"`
	To      string  `json:"to"`
	// FromScore and ToScore are means over the tasks that both were tried on; without common ones, the fitness of each.
	FromScore *float64 `json:"from_score"`
	ToScore   *float64 `json:"to_score"`
	Tasks     int      `json:"tasks"` // that both were tried on
	Reason    string   `json:"reason"`
}

// Check returns the rollback of the first trigger that applies and has another version to go back to; nil for none.
func (r RollbackRules) Check(s RollbackState) *Rollback {
	best, ok := Best(s.Versions)
	if !ok {
		best = s.InForce
	}
	if n := countDrops(s.Steps); r.Drops > 0 && n >= r.Drops {
		if b := back(TriggerDrops, s.InForce, best, fmt.Sprintf("%d score drops in a row", n)); b != nil {
			return b
		}
	}
	if of := best.Against; of != nil && isBelowShare(of.Other, of.Score, r.BestShare) {
		if b := back(TriggerBelowBest, s.InForce, best, belowBest(*of, r.BestShare)); b != nil {
			return b
		}
	}
	if s.ErrorRate == nil || !(*s.ErrorRate > r.ErrorRate) {
		return nil
	}
	return back(TriggerErrorRate, s.InForce, r.afterErrors(s, best), fmt.Sprintf("error rate %.2f is above %v", *s.ErrorRate, r.ErrorRate))
}

// isBelowShare reports whether a score is below a share of another one. Only scores above 0 have shares.
func isBelowShare(score, of, share float64) bool {
	return of > 0 && score < float64(share*of) && share > 0
}

// belowBest says how far the active version is below the best one, which holds on any scale.
func belowBest(best Comparison, share float64) string {
	text := fmt.Sprintf("score is %.4g of the best, below %v", best.Other/best.Score, share)
	if best.Tasks > 0 {
		text += ", on " + format.Counted(best.Tasks, "common task")
	}
	return text
}

// afterErrors returns the previous version; or the best, if there is no previous one or it scored much less than the
// active one.
func (r RollbackRules) afterErrors(s RollbackState, best Standing) Standing {
	if s.Previous == nil {
		return best
	}
	if of := s.Previous.Against; of != nil && isBelowShare(of.Score, of.Other, r.PreviousShare) {
		return best
	}
	return *s.Previous
}

// RollbackByHand goes back to a named version, with a reason.
func RollbackByHand(from, to Standing, reason string) (*Rollback, error) {
	switch {
	case reason == "":
		return nil, fmt.Errorf("rollback of %s: a reason is required", from.Version)
	case from.Version == to.Version:
		return nil, fmt.Errorf("rollback: %s is already active", to.Version)
	}
	return back(TriggerHand, from, to, reason), nil
}

// back returns nil if the version is already active.
func back(t Trigger, from, to Standing, reason string) *Rollback {
	if from.Version == to.Version {
		return nil
	}
	r := &Rollback{Trigger: t, From: from.Version, To: to.Version, FromScore: from.Score, ToScore: to.Score, Reason: reason}
	if c := to.Against; c != nil {
		r.FromScore, r.ToScore, r.Tasks = &c.Other, &c.Score, c.Tasks
	}
	return r
}

// countDrops counts how many steps in a row, up to the last one, went to a worse version.
func countDrops(steps []Step) int {
	n := 0
	for i := len(steps) - 1; i >= 0 && steps[i].Against != nil && steps[i].Against.Gain() < 0; i-- {
		n++
	}
	return n
}

// The measures of a rule to end a loop.
const (
	untilScore    = "score"    // fitness of the active version
	untilAccepted = "accepted" // mutations of the lineage
)

// Until is a rule by which a loop ends, such as score>=95 or accepted=3. The zero Until is none.
type Until struct {
	measure, sign string
	value         float64
}

// ParseUntil reads a rule: score or accepted, a sign, and a number.
func ParseUntil(text string) (u Until, err error) {
	i := strings.IndexAny(text, "<>=")
	if i < 0 {
		i = len(text)
	}
	number := strings.TrimLeft(text[i:], "<>=")
	u.measure, u.sign = strings.TrimSpace(text[:i]), text[i:len(text)-len(number)]
	signs := map[string][]string{untilScore: {">=", ">", "<=", "<"}, untilAccepted: {"=", ">="}}[u.measure]
	u.value, err = strconv.ParseFloat(strings.TrimSpace(number), 64)
	isCount := u.value >= 1 && u.value == math.Trunc(u.value)
	if err != nil || finite(u.value) == nil || !slices.Contains(signs, u.sign) || u.measure == untilAccepted && !isCount {
		return Until{}, fmt.Errorf("%q is not a rule: score>=95 ends when the active version has this fitness (score<=0.1 if less is better), and accepted=3 when 3 mutations are accepted", text)
	}
	return u, nil
}

// String returns the rule as it is written; empty for none.
func (u Until) String() string {
	if u.measure == "" {
		return ""
	}
	return u.measure + u.sign + strconv.FormatFloat(u.value, 'g', -1, 64)
}

// CheckScale returns an error if the rule asks for worse scores of a scale.
func (u Until) CheckScale(s *Scale) error {
	isLess, wantsLess := strings.HasPrefix(u.sign, "<"), s != nil && s.Minimize
	if u.measure != untilScore || isLess == wantsLess {
		return nil
	}
	better, sign := "more", ">="
	if wantsLess {
		better, sign = "less", "<="
	}
	return fmt.Errorf("%s: %s is better in this lineage, so use score%s", u, better, sign)
}

// Reached returns what reached the rule, in words; empty if nothing did. score is nil if it is not known well enough.
func (u Until) Reached(score *float64, accepted int) string {
	switch {
	case u.measure == untilAccepted && float64(accepted) >= u.value:
		return fmt.Sprintf("%s: %d accepted", u, accepted)
	case u.measure == untilScore && score != nil && u.compare(*score):
		return fmt.Sprintf("%s: the active version has %.6g", u, *score)
	}
	return ""
}

func (u Until) compare(score float64) bool {
	switch u.sign {
	case ">=":
		return score >= u.value
	case ">":
		return score > u.value
	case "<=":
		return score <= u.value
	}
	return score < u.value
}

// ReplayedMutation is where a mutation stands after its ledger.
type ReplayedMutation struct {
	Proposal
	At       time.Time // of the proposal
	State    MutationState
	Attempts int
	Delta    *float64 // of the last decision
}

// MutationState is where a mutation stands.
type MutationState string

// The states of mutations.
const (
	MutationProposed  MutationState = "proposed"
	MutationContinued MutationState = "continue" // decided, and more evidence is needed
	MutationAccepted  MutationState = "accepted"
	MutationRejected  MutationState = "rejected"
	MutationRefused   MutationState = "refused" // never tried
	MutationWithdrawn MutationState = "withdrawn"
)

// Open reports whether a decision is still to be made.
func (s MutationState) Open() bool { return s == MutationProposed || s == MutationContinued }

// StateAfter returns the state of a mutation after a decision. A decision that asks for more evidence does not reopen a
// mutation that was accepted or rejected before.
func StateAfter(d Decision, before MutationState) MutationState {
	switch {
	case d.Accepted:
		return MutationAccepted
	case d.State != Continue:
		return MutationRejected
	case before == MutationAccepted || before == MutationRejected:
		return before
	}
	return MutationContinued
}

// DeltaAfter returns the recorded difference of a mutation after a decision: the one of the decision, unless it asks
// for more evidence on a mutation that was accepted or rejected before.
func DeltaAfter(d Decision, before MutationState, delta *float64) *float64 {
	if d.State == Continue && (before == MutationAccepted || before == MutationRejected) {
		return delta
	}
	return d.Delta
}

// HeadAfter returns the head after a decision on a mutation of parent to child: the child of an accepted mutation takes
// the place of its parent, and of no other version. A child accepted against a version that is no longer active was not
// compared with the head.
func HeadAfter(d Decision, head, parent, child string) string {
	if d.Accepted && head == parent {
		return child
	}
	return head
}

// defaultForbidden returns the patterns that no child may match, if a lineage has no list of its own. Case does not
// matter.
func defaultForbidden() []string {
	return []string{`rm\s+-rf`, `DROP\s+TABLE`, `ignore\s+all\s+rules`, `NEVER\s+follow`}
}

// Refusal is a reason not to try a child. Code is stable, Reason is for people.
type Refusal struct {
	Code   string `json:"code"` // empty, too_short, too_long or forbidden
	Reason string `json:"reason"`
}

// CheckChild returns the reasons not to try a child: it is empty, shorter than half its parent, longer than the
// settings allow, or it matches a forbidden pattern. Lengths are in characters, and are not compared with an empty
// parent. A child of at most GrowthFloor characters has not grown too much: prompts often begin with a single line. An
// invalid pattern is an error.
func (s LoopSettings) CheckChild(parent, child string) ([]Refusal, error) {
	matches, err := CheckForbidden(child, s.Forbidden)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(child) == "" {
		return []Refusal{{"empty", "the child is empty"}}, nil
	}
	var list []Refusal
	old, new := utf8.RuneCountInString(parent), utf8.RuneCountInString(child)
	switch {
	case 2*new < old:
		list = append(list, Refusal{"too_short", fmt.Sprintf("%s, less than half of %d", characters(new), old)})
	case s.MaxLength > 0 && new > s.MaxLength:
		list = append(list, Refusal{"too_long", fmt.Sprintf("%s, more than max_length=%d", characters(new), s.MaxLength)})
	case s.MaxGrowth > 0 && old > 0 && new > s.GrowthFloor && float64(new) > s.MaxGrowth*float64(old):
		list = append(list, Refusal{"too_long", fmt.Sprintf("%s, more than max_growth=%v times %d", characters(new), s.MaxGrowth, old)})
	}
	return append(list, matches...), nil
}

// CheckForbidden returns the forbidden patterns that a content matches, with the first line of each.
func CheckForbidden(content string, forbidden []string) (list []Refusal, err error) {
	patterns, err := compile(forbidden)
	if err != nil {
		return nil, err
	}
	for i, pattern := range patterns {
		if at := pattern.FindStringIndex(content); at != nil {
			line := 1 + strings.Count(content[:at[0]], "\n")
			list = append(list, Refusal{"forbidden", fmt.Sprintf("line %d matches %s", line, forbidden[i])})
		}
	}
	return list, nil
}

func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
}

func compile(forbidden []string) ([]*regexp.Regexp, error) {
	list := make([]*regexp.Regexp, len(forbidden))
	for i, pattern := range forbidden {
		p, err := regexp.Compile("(?i:" + pattern + ")")
		if err != nil {
			return nil, fmt.Errorf("forbidden_patterns[%d]: %w", i, err)
		}
		list[i] = p
	}
	return list, nil
}
