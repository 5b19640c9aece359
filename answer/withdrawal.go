package answer

import (
	"fmt"
	"slices"
	"strings"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
)

// WithdrawSeedQuestion asks to take back what a seed measured.
type WithdrawSeedQuestion struct {
	Of   Selector
	Seed track.SeedNumber
	Change
}

func (q *WithdrawSeedQuestion) Params() param.List {
	return param.List{scenarioParam(&q.Of, "withdraw a seed of this scenario"), withdrawnSeedParam(&q.Seed, "withdraw this seed"), q.reasonParam()}
}

func withdrawnSeedParam(to *track.SeedNumber, help string) param.Param {
	p := seedParam(to)
	p.Help = help
	return p
}

// RestoreSeedQuestion asks to make a withdrawn seed count again.
type RestoreSeedQuestion struct {
	Of   Selector
	Seed track.SeedNumber
	Change
}

func (q *RestoreSeedQuestion) Params() param.List {
	return param.List{scenarioParam(&q.Of, "restore a seed of this scenario"), withdrawnSeedParam(&q.Seed, "restore this seed"), q.reasonParam()}
}

// WithdrawConfigurationQuestion asks to take back all seeds of a scenario under a configuration.
type WithdrawConfigurationQuestion struct {
	Of Selector
	Change
}

func (q *WithdrawConfigurationQuestion) Params() param.List {
	return param.List{scenarioParam(&q.Of, "withdraw this configuration"), q.reasonParam()}
}

// RestoreConfigurationQuestion asks to make the seeds of a withdrawn configuration count again.
type RestoreConfigurationQuestion struct {
	Of Selector
	Change
}

func (q *RestoreConfigurationQuestion) Params() param.List {
	return param.List{scenarioParam(&q.Of, "restore this configuration"), q.reasonParam()}
}

// WithdrawSweepQuestion asks to take back a sweep.
type WithdrawSweepQuestion struct {
	ID       string
	PlanOnly bool
	Change
}

func (q *WithdrawSweepQuestion) Params() param.List {
	return param.List{
		{Name: "sweep", Arg: true, Required: true, Unit: "SWEEP", Help: "withdraw the sweep with this id, or whose id ends so", Value: param.Text(&q.ID)},
		{Name: "plan-only", Help: "withdraw only the plan: the seeds that it ran still count", Value: param.Switch(&q.PlanOnly)},
		q.reasonParam(),
	}
}

// RestoreSweepQuestion asks to make a withdrawn sweep count again.
type RestoreSweepQuestion struct {
	ID string
	Change
}

func (q *RestoreSweepQuestion) Params() param.List {
	return param.List{
		{Name: "sweep", Arg: true, Required: true, Unit: "SWEEP", Help: "restore the sweep with this id, or whose id ends so", Value: param.Text(&q.ID)},
		q.reasonParam(),
	}
}

// WithdrawalReceipt says what was withdrawn or restored.
type WithdrawalReceipt struct {
	track.Withdrawal `json:",embed"`
	NWithdrawn       int `json:"n_withdrawn"` // seeds that do not count any more
	NRestored        int `json:"n_restored"`  // seeds that count again
}

func (a WithdrawalReceipt) Lead() []Sentence {
	n := format.Counted(a.NWithdrawn, "seed")
	if a.NWithdrawn == 1 {
		n += " does not count any more"
	} else {
		n += " do not count any more"
	}
	if a.Action == track.ActionRestored {
		n = format.Counted(a.NRestored, "seed") + map[bool]string{true: " counts again", false: " count again"}[a.NRestored == 1]
	}
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s %s: %s", withdrawnSubject(a.Withdrawal), a.Action, n)}}
}

// withdrawnSubject names what was withdrawn.
func withdrawnSubject(w track.Withdrawal) string {
	of := Selector{w.Scenario, track.ShortHash(w.Configuration)}.String()
	switch w.Kind {
	case track.WithdrawnSeed:
		return fmt.Sprintf("seed %s of %s", w.Seed, of)
	case track.WithdrawnSweep:
		return "sweep " + track.ShortID(w.Sweep)
	}
	return of
}

func (a WithdrawalReceipt) Tables() []Table {
	return []Table{{
		Name: "withdrawal", ForPrograms: true, Columns: columns("kind", "action", "scenario", "configuration", "seed", "sweep", "n_withdrawn", "n_restored"),
		Rows: [][]any{{string(a.Kind), string(a.Action), a.Scenario, a.Configuration, seedOrNothing(a.Seed), a.Sweep, a.NWithdrawn, a.NRestored}},
	}}
}

func seedOrNothing(number *track.SeedNumber) any {
	if number == nil {
		return nil
	}
	return *number
}

// ForgetExecutionQuestion asks to remove the texts of executions.
type ForgetExecutionQuestion struct {
	IDs []string // or beginnings that no other ids share
}

func (q *ForgetExecutionQuestion) Params() param.List {
	return param.List{{Name: "id", Arg: true, Required: true, Unit: "ID", Help: "remove the texts of the execution with this id", Value: param.Texts(&q.IDs)}}
}

// ForgottenExecutions names the executions whose texts were removed.
type ForgottenExecutions struct {
	Forgotten []string `json:"forgotten"` // ids
}

func (a ForgottenExecutions) Lead() []Sentence {
	return []Sentence{{Kind: Heading, Text: "removed the texts of " + format.Counted(len(a.Forgotten), "execution")}}
}

func (a ForgottenExecutions) Tables() []Table {
	t := Table{Name: "forgotten", ForPrograms: true, Columns: columns("id")}
	for _, id := range a.Forgotten {
		t.Rows = append(t.Rows, []any{id})
	}
	return []Table{t}
}

// RescoreQuestion asks to score the stored values of a scenario under another version of its spec.
type RescoreQuestion struct {
	Scenario  string
	Spec      int // version to score under; 0 for the newest
	ValuesWin bool
	DryRun    bool
}

func (q *RescoreQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO", Help: "score the seeds of this scenario", Value: param.Name(&q.Scenario)},
		{Name: "spec", Unit: "VERSION", Help: "score under this `VERSION` of the spec (default: the newest)", Value: param.Whole(&q.Spec, 1)},
		{Name: "values-win", Help: "keep given values that the series contradict", Value: param.Switch(&q.ValuesWin)},
		{Name: "dry-run", Help: "list the statuses that would change, and record nothing", Value: param.Switch(&q.DryRun)},
	}
}

func (q *RescoreQuestion) Check() error {
	if name, _, found := strings.Cut(q.Scenario, "@"); found {
		return &param.Error{Param: "scenario", Message: fmt.Sprintf("%s is a configuration, and the seeds of all configurations are scored again: give %s alone", q.Scenario, name)}
	}
	return nil
}

// Flip is a metric of a seed whose status differs from the one under the version that the seed was last scored under.
type Flip struct {
	Seed          track.SeedNumber `json:"seed"`
	Label         string           `json:"label,omitempty"`
	Configuration string           `json:"configuration"` // hash
	Metric        string           `json:"metric"`
	FromVersion   int              `json:"from_version"`
	From          scoring.Status   `json:"from"`
	To            scoring.Status   `json:"to"`
}

// Rescored says what scoring under a version of a spec changed.
type Rescored struct {
	Scenario string `json:"scenario"`
	Version  int    `json:"version"`
	DryRun   bool   `json:"dry_run"`
	NSeeds   int    `json:"n_seeds"`         // that ran well
	NScored  int    `json:"n_scored"`        // now; in a dry run, seeds that would be scored
	NBefore  int    `json:"n_scored_before"` // under this version, and so left alone
	NFlips   int    `json:"n_flips"`

	List[Flip] `json:",embed"`
}

func (a Rescored) Lead() []Sentence {
	verb := "scored"
	if a.DryRun {
		verb = "would be scored"
	}
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s: %s %s under version %d, %d had been scored before; %s",
		a.Scenario, format.Counted(a.NScored, "seed"), verb, a.Version, a.NBefore, a.changesText())}}
}

func (a Rescored) changesText() string {
	if a.NFlips == 1 {
		return "1 status changes"
	}
	return fmt.Sprintf("%d statuses change", a.NFlips)
}

func (a Rescored) Tables() []Table {
	t := Table{Name: "flips", HiddenIfEmpty: true, Shown: 50, Columns: Columns{
		{Name: "seed"}, {Name: "label"}, {Name: "configuration"}, {Name: "metric"}, {Name: "from_version", Head: "from version"}, {Name: "from"}, {Name: "to"},
	}.drop("label", "from_version", "configuration")}
	for _, f := range a.Items {
		t.Rows = append(t.Rows, []any{f.Seed, f.Label, hashCell(f.Configuration), f.Metric, f.FromVersion, string(f.From), string(f.To)})
	}
	return []Table{t}
}

// Suspicions are what is recorded and looks like a mistake.
type Suspicions struct {
	NearNames   []NearName      `json:"near_names,omitempty"`
	LikePercent []PercentMetric `json:"like_percent,omitempty"`
}

// With returns the suspicions with others. Those of a metric are counted together.
func (s Suspicions) With(others Suspicions) Suspicions {
	s.NearNames = slices.Concat(s.NearNames, others.NearNames)
	s.LikePercent = slices.Clone(s.LikePercent)
	for _, p := range others.LikePercent {
		i := slices.IndexFunc(s.LikePercent, func(q PercentMetric) bool { return q.Scenario == p.Scenario && q.Metric == p.Metric })
		if i < 0 {
			s.LikePercent = append(s.LikePercent, p)
			continue
		}
		s.LikePercent[i].NSeeds += p.NSeeds
	}
	return s
}

// NearName is a name that was not known, although names like it are, or a version that nobody proposed in a lineage
// with a ledger.
type NearName struct {
	Kind string   `json:"kind"` // scenario, metric, series, lineage or version
	Name string   `json:"name"`
	Of   string   `json:"of,omitempty"` // the scenario of a metric or series, or the lineage of a version
	Near []string `json:"near"`         // the known names, the nearest ones first; none of a version that nobody proposed
	Line int      `json:"line,omitzero"`
}

// Message says that the name is not known, and what was probably meant.
func (n NearName) Message() string {
	text := n.Kind + " " + n.Name
	if n.Of != "" {
		text += " of " + n.Of
	}
	if len(n.Near) == 0 {
		return text + " is not known: nobody proposed it, so no decision uses it"
	}
	return text + " is not known; did you mean " + eitherOf(n.Near) + "?"
}

// eitherOf lists the first of several names.
func eitherOf(names []string) string {
	const most = 3
	return strings.Join(names[:min(len(names), most)], " or ")
}

// PercentMetric is a metric whose values are a hundred times as large as its target, or as small.
type PercentMetric struct {
	Scenario string  `json:"scenario"`
	Metric   string  `json:"metric"`
	Target   string  `json:"target"`
	Value    float64 `json:"value"`    // of the first such seed
	Meant    float64 `json:"meant"`    // what it was probably meant to be
	IsShare  bool    `json:"is_share"` // it is above 1, which no share can be, whatever its target
	NSeeds   int     `json:"n_seeds"`
}

// message says what is wrong with the values.
func (p PercentMetric) message() string {
	text := fmt.Sprintf("%s %s misses the target %s of %s", p.Metric, format.Short(p.Value), p.Target, p.Scenario)
	if p.IsShare {
		text = fmt.Sprintf("%s %s of %s is above 1, which no share can be", p.Metric, format.Short(p.Value), p.Scenario)
	}
	if p.NSeeds > 1 {
		text += fmt.Sprintf(", and so in %s", format.Counted(p.NSeeds, "seed"))
	}
	if p.IsShare {
		return text + fmt.Sprintf("; is it %s in percent?", format.Short(p.Meant))
	}
	return text + fmt.Sprintf("; %s would meet it: is one of them in percent?", format.Short(p.Meant))
}

// Warnings returns a warning for each suspicion, but only for the first of many.
func (s Suspicions) Warnings() (list []Sentence) {
	const most = 20
	for i, n := range s.NearNames {
		if i == most {
			list = append(list, Sentence{Kind: Warning, Text: moreOf(len(s.NearNames)-most, "name") + " like known ones"})
			break
		}
		text := "recorded under a new name: " + n.Message()
		if n.Line > 0 {
			text = fmt.Sprintf("line %d: %s", n.Line, text)
		}
		list = append(list, Sentence{Kind: Warning, Text: text})
	}
	for i, p := range s.LikePercent {
		if i == most {
			list = append(list, Sentence{Kind: Warning, Text: moreOf(len(s.LikePercent)-most, "metric") + " like this"})
			break
		}
		list = append(list, Sentence{Kind: Warning, Text: p.message()})
	}
	return list
}

// moreOf says how many things a list leaves out.
func moreOf(n int, thing string) string {
	return fmt.Sprintf("and %d more %s", n, format.Plural(n, thing))
}
