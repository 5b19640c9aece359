package answer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
	"track/scoring/stats"
)

// LineagesQuestion asks which lineages there are.
type LineagesQuestion struct {
	Standing bool // also say how far each has come, and whether its ledger replays
}

func (q *LineagesQuestion) Params() param.List {
	return param.List{{Name: "standing", Help: "also show the gain of the active version over the root, and replay ledgers that are short", Value: param.Switch(&q.Standing)}}
}

// LineageInfo describes a lineage in a list.
type LineageInfo struct {
	Lineage     string    `json:"lineage"`
	NVersions   int       `json:"n_versions"`
	NExecutions int       `json:"n_executions"`
	KeepText    bool      `json:"keep_text"`
	Last        time.Time `json:"last,omitzero"`     // execution
	Subject     string    `json:"subject,omitempty"` // of a lineage with a ledger
	Head        string    `json:"head,omitempty"`
	NMutations  int       `json:"n_mutations,omitzero"`
	// Standing is there if it was asked for, of lineages with a ledger: of the [MostStanding] with the newest executions.
	Standing *LineageStanding `json:"standing,omitempty"`
}

// LineageStanding is how far a lineage has come, and whether its ledger replays.
type LineageStanding struct {
	Scale *evolution.Scale `json:"scale,omitempty"` // of the scores; none for 0 to 100
	Root  string           `json:"root,omitempty"`  // the first active version
	Gain  *float64         `json:"gain"`            // of the mean score of the active version over that of the root; null if one of them has no score
	CI    *stats.Interval  `json:"ci"`              // of Gain, Welch's; null if there are too few scores
	NHead int              `json:"n_head"`          // scores of the active version that count
	NRoot int              `json:"n_root"`
	// Replayed says that the ledger was replayed. A list replays ledgers of at most [MostReplayed] entries.
	Replayed    bool   `json:"replayed"`
	Decisions   int    `json:"decisions"`
	Verified    int    `json:"verified"`
	Differences int    `json:"differences"`
	Problem     string `json:"problem,omitempty"` // why this is not known
}

// What a list of lineages says of their standing is bounded, so that it is quick.
const (
	MostReplayed = 500 // entries of a ledger that is replayed
	MostStanding = 30  // lineages, those with the newest executions
)

// replayText says what the replay found.
func (s LineageStanding) replayText() string {
	switch {
	case s.Problem != "":
		return s.Problem
	case !s.Replayed:
		return "not replayed here"
	case s.Differences > 0:
		return format.Counted(s.Differences, "difference")
	case s.Decisions == 0:
		return "no decisions"
	}
	return fmt.Sprintf("%d of %d verified", s.Verified, s.Decisions)
}

// cells returns the cells of a lineage in a list.
func (s LineageStanding) cells() []any {
	numbers := Numbers{s.Scale}
	cells := []any{numbers.gainCell(s.Gain), nil, nil, s.replayText()}
	if s.CI != nil {
		cells[1] = intervalCell(*s.CI, numbers.Gain)
	}
	if s.Gain != nil {
		cells[2] = Cell{Text: fmt.Sprintf("%d and %d", s.NHead, s.NRoot), Exact: s.NHead}
	}
	return cells
}

// Lineages are all lineages, by name.
type Lineages struct {
	List[LineageInfo] `json:",embed"`
}

func (a Lineages) Lead() []Sentence {
	if len(a.Items) > 0 {
		return nil
	}
	hint := track.NewHint("begin one", "lineage new", "NAME").With("root", "FILE")
	return []Sentence{{Kind: Note, Text: "there is no lineage yet", Hint: &hint}}
}

func (a Lineages) Tables() []Table {
	t := Table{Name: "lineages", HiddenIfEmpty: true, Columns: Columns{
		{Name: "lineage"}, {Name: "n_versions", Head: "versions"}, {Name: "n_executions", Head: "executions"}, {Name: "keep_text", Head: "keeps text"},
		{Name: "last"}, {Name: "head"}, {Name: "n_mutations", Head: "mutations"},
	}.drop("keep_text", "last", "n_mutations")}
	standing := slices.ContainsFunc(a.Items, func(l LineageInfo) bool { return l.Standing != nil })
	if standing {
		t.Columns = append(t.Columns, Column{Name: "gain"}, Column{Name: "gain_interval", Head: format.Confidence(evolution.Confidence) + " Welch interval", For: ForPeople}, Column{Name: "gain_n", Head: "n"}, Column{Name: "replay"})
	}
	for _, l := range a.Items {
		var head, mutations any
		if l.Subject != "" {
			head, mutations = l.Head, l.NMutations
		}
		row := []any{l.Lineage, l.NVersions, l.NExecutions, l.KeepText, timeCell(l.Last), head, mutations}
		switch {
		case l.Standing != nil:
			row = append(row, l.Standing.cells()...)
		case standing:
			row = append(row, nil, nil, nil, nil)
		}
		t.Rows = append(t.Rows, row)
	}
	return []Table{t}
}

// LineageQuestion asks about a lineage with a ledger.
type LineageQuestion struct{ Lineage string }

func (q *LineageQuestion) Params() param.List { return param.List{ofLineage(&q.Lineage)} }

// OptionalLineageQuestion asks about a lineage with a ledger, which may be left out if there is only one.
type OptionalLineageQuestion struct{ Lineage string }

func (q *OptionalLineageQuestion) Params() param.List { return param.List{ofLineage(&q.Lineage)} }

// Lineage is where a lineage with a ledger stands.
type Lineage struct {
	Lineage   string                          `json:"lineage"`
	Subject   string                          `json:"subject"` // agent, or scenario:NAME
	Seed      string                          `json:"seed"`
	Head      string                          `json:"head"` // the active version; empty for none
	End       evolution.Head                  `json:"end"`  // of the ledger: keep it elsewhere, and a replay finds what is truncated
	Mutations map[evolution.MutationState]int `json:"mutations"`
	Versions  []Version                       `json:"versions"`   // that were ever active and are kept, the newest first; of at most 20, all
	NArchived int                             `json:"n_archived"` // archived versions that are not in Versions
	Settings  evolution.Settings              `json:"settings"`
}

func (a Lineage) Lead() []Sentence {
	var states []string
	for _, state := range mutationStates() {
		if n := a.Mutations[evolution.MutationState(state)]; n > 0 {
			states = append(states, fmt.Sprintf("%d %s", n, state))
		}
	}
	if len(states) == 0 {
		states = []string{"none yet"}
	}
	return []Sentence{
		{Kind: Heading, Text: fmt.Sprintf("%s, a lineage of %s; active: %s", a.Lineage, subjectName(a.Subject), orNoVersion(a.Head))},
		{Kind: Note, Text: "mutations: " + strings.Join(states, ", "), Joined: true},
		{Kind: Note, Text: fmt.Sprintf("ledger: %s, seed %s", entries(a.End.Number), a.Seed), Joined: true},
	}
}

func (a Lineage) Tables() []Table {
	numbers := Numbers{a.Settings.Scale}
	versions := versionsTable(numbers, a.Versions...)
	if a.NArchived > 0 {
		hint := track.NewHint("list all", "version list", a.Lineage)
		versions.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("%s not shown", format.Counted(a.NArchived, "archived version")), Hint: &hint}}
	}
	versions.Notes = numbers.notes(versions.Notes, Numbers.Units)
	return []Table{versions, settingsTable(a.Settings)}
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// subjectName returns the subject of a lineage for people.
func subjectName(subject string) string {
	if subject == "agent" {
		return "an agent"
	}
	return "the parameters of " + subject
}

// Head is the active version of a lineage.
type Head struct {
	Lineage  string         `json:"lineage"`
	Head     string         `json:"head"`
	Content  string         `json:"content_sha256"` // empty if the content is not known
	Since    time.Time      `json:"since,omitzero"`
	By       evolution.Kind `json:"by,omitempty"`       // the entry that made it active
	Mutation string         `json:"mutation,omitempty"` // that was accepted
}

func (a Head) Lead() []Sentence { return []Sentence{{Kind: Heading, Text: a.Head}} }

func (a Head) Tables() []Table {
	return []Table{{Name: "head", ForPrograms: true, Columns: columns("lineage", "head"), Rows: [][]any{{a.Lineage, a.Head}}}}
}

// SetLineageQuestion asks to change settings of a lineage.
type SetLineageQuestion struct {
	Lineage  string
	Settings []Setting
	KeepText *bool // nil for as before
	Score    ScoreSettings
	Reason   string
	At       time.Time // zero for now
}

func (q *SetLineageQuestion) Params() param.List {
	list := param.List{
		namedLineage(&q.Lineage),
		{Name: "setting", Arg: true, Unit: "KEY=VALUE", Help: "change this setting", Value: settingsValue{q}},
	}
	return append(append(list, q.Score.params()...), reasonParam(&q.Reason), atParam(&q.At))
}

func (q *SetLineageQuestion) Check() error {
	if !q.Changes() && q.KeepText == nil {
		return &param.Error{Param: "setting", Message: "nothing to change: give KEY=VALUE, or a parameter such as score-from"}
	}
	return nil
}

// Changes reports whether settings of decisions are to be changed.
func (q *SetLineageQuestion) Changes() bool { return len(q.Settings) > 0 || q.Score.isGiven() }

// settingsValue is a list of KEY=VALUE.
type settingsValue struct{ q *SetLineageQuestion }

func (v settingsValue) Set(text string) error {
	s, err := ParseSetting(text)
	if err != nil {
		return err
	}
	for _, before := range v.Texts() {
		if strings.HasPrefix(before, s.Key+"=") {
			return errors.New(s.Key + " is duplicated")
		}
	}
	if s.Key == "keep_text" {
		on, valid := map[string]bool{"on": true, "off": false}[s.Value]
		if !valid {
			return fmt.Errorf("%s: use keep_text=on or keep_text=off", text)
		}
		v.q.KeepText = &on
		return nil
	}
	trial := evolution.DefaultSettings()
	if err := s.Change(&trial); err != nil {
		return err
	}
	if err := trial.Validate(); err != nil {
		return err
	}
	v.q.Settings = append(v.q.Settings, s)
	return nil
}

func (v settingsValue) Texts() (list []string) {
	if v.q == nil {
		return nil
	}
	for _, s := range v.q.Settings {
		list = append(list, s.Key+"="+s.Value)
	}
	if v.q.KeepText != nil {
		list = append(list, "keep_text="+onOff(*v.q.KeepText))
	}
	return list
}

func (v settingsValue) String() string { return strings.Join(v.Texts(), " ") }

func (v settingsValue) Type() string { return "array" }

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// LineageSettings are the settings of a lineage after they were changed.
type LineageSettings struct {
	Lineage  string              `json:"lineage"`
	Settings *evolution.Settings `json:"settings,omitempty"` // if one of them was set
	Changed  bool                `json:"changed"`            // a setting has another value than before
	KeepText *bool               `json:"keep_text,omitempty"`
	// UsedBefore are holdout tasks that decided before: their gain says less.
	UsedBefore []string `json:"used_before,omitempty"`
}

func (a LineageSettings) Lead() (lead []Sentence) {
	add := func(text string) { lead = append(lead, Sentence{Kind: Heading, Text: text, Joined: len(lead) > 0}) }
	if a.Settings != nil {
		add(fmt.Sprintf("%s: settings, version %d", a.Lineage, a.Settings.Number))
		if !a.Changed {
			add("nothing was changed")
		}
	}
	if len(a.UsedBefore) > 0 {
		lead = append(lead, Sentence{Kind: Warning, Joined: true, Text: fmt.Sprintf("warning: earlier decisions used %s: what they gained shows there too",
			someNames(a.UsedBefore))})
	}
	if a.KeepText != nil {
		add(fmt.Sprintf("%s: keep_text is %s", a.Lineage, onOff(*a.KeepText)))
	}
	return lead
}

func (a LineageSettings) Tables() []Table {
	t := Table{Name: "settings", Columns: columns("setting", "value").wrap("value")}
	if a.Settings != nil {
		t = settingsTable(*a.Settings)
	}
	if a.KeepText != nil {
		t.Rows = append(t.Rows, []any{"keep_text", *a.KeepText})
	}
	t.ForPrograms = true
	return []Table{t}
}

// FreezeQuestion asks to stop mutating a lineage, or to go on.
type FreezeQuestion struct {
	Lineage string
	Reason  string
	At      time.Time // zero for now
}

func (q *FreezeQuestion) Params() param.List {
	return param.List{namedLineage(&q.Lineage), reasonParam(&q.Reason), atParam(&q.At)}
}

// Frozen says whether a lineage is frozen.
type Frozen struct {
	Lineage string `json:"lineage"`
	Frozen  bool   `json:"frozen"`
	Changed bool   `json:"changed"`
}

func (a Frozen) Lead() []Sentence {
	text := a.Lineage + " is frozen"
	if !a.Frozen {
		text = a.Lineage + " is not frozen"
	}
	if !a.Changed {
		text += ", as before"
	}
	return []Sentence{{Kind: Heading, Text: text}}
}

func (a Frozen) Tables() []Table {
	return []Table{{Name: "frozen", ForPrograms: true, Columns: columns("lineage", "frozen"), Rows: [][]any{{a.Lineage, a.Frozen}}}}
}

// NewLineageQuestion asks to begin the ledger of a lineage.
type NewLineageQuestion struct {
	Lineage     string
	Seed        *uint64 // of all draws; nil for a random one
	Policy      evolution.Policy
	Root        *string // content of the first active version
	Head        string  // name of a recorded version, instead of Root
	Subject     string
	Operators   []evolution.Operator
	KeepSecrets bool
	Minimize    bool             // less is better, which makes the scale unbounded unless Scale has ends
	Scale       *evolution.Scale // of the scores; nil for 0 to 100
	Score       ScoreSettings
	New         bool
	At          time.Time // zero for now
}

func (q *NewLineageQuestion) Params() param.List {
	q.Subject = "agent"
	return append(param.List{
		namedLineage(&q.Lineage),
		{Name: "seed", Unit: "NUMBER", Help: "derive all draws from this whole `NUMBER` from 0 to 18446744073709551615", Value: param.Seed(&q.Seed)},
		policyParam("policy", "decide by this policy", &q.Policy),
		{Name: "root", Unit: "FILE", Help: "begin with this content; of a simulation, the JSON object of its parameters",
			FileHelp: "begin with this version: a `FILE`, - for standard input, or for a simulation the JSON object itself", Value: param.Content(&q.Root)},
		{Name: "head", Unit: "VERSION", Help: "make this recorded `VERSION` active, instead of giving a root", Value: param.Text(&q.Head)},
		{Name: "subject", Unit: "SUBJECT", Help: "say what evolves: `SUBJECT` is agent, or scenario:NAME", Value: param.Text(&q.Subject)},
		{Name: "operators", Unit: "FILE", Help: `begin with these operators: [{"name": "rephrase", "risk": "LOW"}]`,
			FileHelp: `read the operators from a ` + "`FILE`" + ` with [{"name": "rephrase", "risk": "LOW"}]`, Value: param.Parsed(&q.Operators, ParseOperators, operatorsText)},
		{Name: "keep-secrets", Help: "record a root in which something looks like a secret", Value: param.Switch(&q.KeepSecrets)},
		{Name: "minimize", Help: "let scores be any numbers, of which less is better", Value: param.Switch(&q.Minimize)},
		{Name: "scale", Unit: "RANGE", Help: "let scores be in this `RANGE`, as 0-1 or -1..1, which is 100 points of a policy's parameters; or unbounded; or any numbers, of which one unit is so many points",
			Value: param.Parsed(&q.Scale, parseScale, rangeText)},
		{Name: "new", Help: "take a name that is not known although names like it are", Value: param.Switch(&q.New)},
		atParam(&q.At),
	}, q.Score.params()...)
}

func (q *NewLineageQuestion) Check() error {
	if q.Root != nil && q.Head != "" {
		return &param.Error{Param: "root", Message: "root and head both name the first active version: give one of them"}
	}
	return nil
}

// LineageCreated says that a lineage has a ledger.
type LineageCreated struct {
	Lineage  string             `json:"lineage"`
	Created  bool               `json:"created"` // false if it existed with the same options
	Seed     string             `json:"seed"`
	Subject  string             `json:"subject"`
	Head     string             `json:"head"`
	Settings evolution.Settings `json:"settings"`
	End      evolution.Head     `json:"end"`
	NoSpec   bool               `json:"no_spec,omitzero"` // the scenario has no spec, so its seeds have no score
}

func (a LineageCreated) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s: a lineage of %s, seed %s, policy %s; active: %s",
		a.Lineage, subjectName(a.Subject), a.Seed, a.Settings.Policy, orNoVersion(a.Head))}}
	if !a.Created {
		lead = append(lead, Sentence{Kind: Note, Text: "it already exists; nothing was changed", Joined: true})
	}
	if a.NoSpec {
		hint := track.NewHint("add one", "spec add", "FILE")
		lead = append(lead, Sentence{Kind: Warning, Text: "warning: the scenario has no spec yet, so its seeds have no score and nothing can be decided", Hint: &hint})
	}
	return lead
}

func (a LineageCreated) Tables() []Table {
	return []Table{{Name: "lineage", ForPrograms: true, Columns: columns("lineage", "seed", "subject", "policy", "head"),
		Rows: [][]any{{a.Lineage, a.Seed, a.Subject, a.Settings.Policy, a.Head}}}}
}

// OperatorByHand is the operator of a mutation whose operator nobody named.
const OperatorByHand = "by_hand"

// operatorName returns an operator behind the word "by".
func operatorName(name string) string {
	if name == OperatorByHand {
		return "hand"
	}
	return name
}

// orNoVersion returns the name of a version for people.
func orNoVersion(name string) string {
	if name == "" {
		return "no version"
	}
	return name
}

// ofMutation declares the parameters that name a mutation.
func ofMutation(mutation, lineage *string) param.List {
	return param.List{
		{Name: "mutation", Arg: true, Required: true, Unit: "MUTATION", Help: "choose the mutation by its id", Value: param.Text(mutation)},
		{Name: "lineage", Unit: "NAME", Help: "choose the lineage, if several have a mutation of that id: its `NAME`", Value: param.Text(lineage)},
	}
}

// ofLineage declares the parameter that names a lineage, which may be left out if there is only one.
func ofLineage(lineage *string) param.Param {
	return param.Param{Name: "lineage", Arg: true, Unit: "LINEAGE", Help: "choose the lineage; not needed if there is only one", Value: param.Text(lineage)}
}

// namedLineage declares the parameter that must name a lineage.
func namedLineage(lineage *string) param.Param {
	return param.Param{Name: "lineage", Arg: true, Required: true, Unit: "LINEAGE", Help: "choose the lineage by its name", Value: param.Text(lineage)}
}

// atParam declares the time at which something happens, for a loop that keeps its own clock.
func atParam(at *time.Time) param.Param {
	return param.Param{Name: "at", Unit: "TIME", Help: "say when it happens: a `TIME` such as 2026-01-02T15:04:05Z, instead of now", Local: true, Value: param.Time(at)}
}

func reasonParam(reason *string) param.Param {
	return param.Param{Name: "reason", Unit: "TEXT", Help: "record this `TEXT` in the ledger", Value: param.Text(reason)}
}

// policyParam declares a policy: NAME, NAME,param=number or a JSON object.
func policyParam(name, help string, policy *evolution.Policy) param.Param {
	return param.Param{
		Name: name, Unit: "POLICY", Help: help + ": `POLICY` is NAME or NAME,param=number,…",
		Value: param.Parsed(policy, ParsePolicy, policyText),
	}
}
