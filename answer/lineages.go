package answer

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
)

// LineagesQuestion asks which lineages there are.
type LineagesQuestion struct{}

// Params declares the parameters of the question.
func (q *LineagesQuestion) Params() param.List { return nil }

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
}

// Lineages are all lineages, by name.
type Lineages struct {
	List[LineageInfo] `json:",embed"`
}

// Lead implements [Answer].
func (a Lineages) Lead() []Sentence {
	if len(a.Items) > 0 {
		return nil
	}
	hint := track.NewHint("begin one", "lineage new", "NAME").With("root", "FILE")
	return []Sentence{{Kind: Note, Text: "there is no lineage yet", Hint: &hint}}
}

// Tables implements [Answer].
func (a Lineages) Tables() []Table {
	t := Table{Name: "lineages", HiddenIfEmpty: true, Columns: []Column{
		{Name: "lineage"}, {Name: "n_versions", Head: "versions"}, {Name: "n_executions", Head: "executions"}, {Name: "keep_text", Head: "keeps text"},
		{Name: "last"}, {Name: "head"}, {Name: "n_mutations", Head: "mutations"},
	}}
	for _, l := range a.Items {
		var head, mutations any
		if l.Subject != "" {
			head, mutations = l.Head, l.NMutations
		}
		t.Rows = append(t.Rows, []any{l.Lineage, l.NVersions, l.NExecutions, l.KeepText, Time(l.Last), head, mutations})
	}
	return []Table{t}
}

// LineageQuestion asks about a lineage with a ledger.
type LineageQuestion struct{ Lineage string }

// Params declares the parameters of the question.
func (q *LineageQuestion) Params() param.List { return param.List{namedLineage(&q.Lineage)} }

// OptionalLineageQuestion asks about a lineage with a ledger, which may be left out if there is only one.
type OptionalLineageQuestion struct{ Lineage string }

// Params declares the parameters of the question.
func (q *OptionalLineageQuestion) Params() param.List { return param.List{ofLineage(&q.Lineage)} }

// Lineage is where a lineage with a ledger stands.
type Lineage struct {
	Lineage   string                          `json:"lineage"`
	Subject   string                          `json:"subject"` // agent, or scenario:NAME
	Seed      string                          `json:"seed"`
	Head      string                          `json:"head"` // the active version; empty for none
	End       evolution.Head                  `json:"end"`  // of the ledger: keep it elsewhere, and a replay finds what is truncated
	Mutations map[evolution.MutationState]int `json:"mutations"`
	Versions  []Version                       `json:"versions"` // that were ever active, the newest first
	Settings  evolution.Settings              `json:"settings"`
}

// Lead implements [Answer].
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

// Tables implements [Answer].
func (a Lineage) Tables() []Table {
	const most = 20
	var shown []Version
	for _, v := range a.Versions {
		if v.Place != VersionArchived || len(a.Versions) <= most {
			shown = append(shown, v)
		}
	}
	versions := versionsTable(shown...)
	if hidden := len(a.Versions) - len(shown); hidden > 0 {
		hint := track.NewHint("list all", "version list", a.Lineage)
		versions.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("%s not shown", format.Counted(hidden, "archived version")), Hint: &hint}}
	}
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

// Lead implements [Answer].
func (a Head) Lead() []Sentence { return []Sentence{{Kind: Heading, Text: a.Head}} }

// Tables implements [Answer].
func (a Head) Tables() []Table {
	return []Table{{Name: "head", ForPrograms: true, Columns: Columns("lineage", "head"), Rows: [][]any{{a.Lineage, a.Head}}}}
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
	At          time.Time // zero for now
}

// Params declares the parameters of the question.
func (q *NewLineageQuestion) Params() param.List {
	q.Subject = "agent"
	return param.List{
		namedLineage(&q.Lineage),
		{Name: "seed", Unit: "NUMBER", Help: "derive all draws from this whole `NUMBER` from 0 to 18446744073709551615", Value: param.Seed(&q.Seed)},
		policyParam("policy", "decide by this policy", &q.Policy),
		{Name: "root", Unit: "FILE", Help: "begin with this version: a `FILE`, - for standard input, or for a simulation the JSON object itself", Value: param.Content(&q.Root)},
		{Name: "head", Unit: "VERSION", Help: "make this recorded `VERSION` active, instead of giving a root", Value: param.Text(&q.Head)},
		{Name: "subject", Unit: "SUBJECT", Help: "say what evolves: `SUBJECT` is agent, or scenario:NAME", Value: param.Text(&q.Subject)},
		{Name: "operators", Unit: "FILE", Help: `read the operators from a ` + "`FILE`" + ` with [{"name": "rephrase", "risk": "LOW"}]`, Value: param.Parsed(&q.Operators, ParseOperators, operatorsText)},
		{Name: "keep-secrets", Help: "record a root in which something looks like a secret", Value: param.Switch(&q.KeepSecrets)},
		atParam(&q.At),
	}
}

// Check implements ask.Checker.
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

// Lead implements [Answer].
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

// Tables implements [Answer].
func (a LineageCreated) Tables() []Table {
	return []Table{{Name: "lineage", ForPrograms: true, Columns: Columns("lineage", "seed", "subject", "policy", "head"),
		Rows: [][]any{{a.Lineage, a.Seed, a.Subject, a.Settings.Policy, a.Head}}}}
}

// SetLineageQuestion asks to change settings of a lineage.
type SetLineageQuestion struct {
	Lineage  string
	Settings []Setting
	KeepText *bool // nil for as before
	Reason   string
	At       time.Time // zero for now
}

// Params declares the parameters of the question.
func (q *SetLineageQuestion) Params() param.List {
	return param.List{
		namedLineage(&q.Lineage),
		{Name: "setting", Arg: true, Required: true, Unit: "KEY=VALUE", Help: "change this setting", Value: settingsValue{q}},
		reasonParam(&q.Reason), atParam(&q.At),
	}
}

// settingsValue is a list of KEY=VALUE.
type settingsValue struct{ q *SetLineageQuestion }

// Set implements [param.Value].
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
		on, known := map[string]bool{"on": true, "off": false}[s.Value]
		if !known {
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

// Texts returns the settings that were given.
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

// String implements [param.Value].
func (v settingsValue) String() string { return strings.Join(v.Texts(), " ") }

// Type implements [param.Value].
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
}

// Lead implements [Answer].
func (a LineageSettings) Lead() (lead []Sentence) {
	add := func(text string) { lead = append(lead, Sentence{Kind: Heading, Text: text, Joined: len(lead) > 0}) }
	if a.Settings != nil {
		add(fmt.Sprintf("%s: settings, version %d", a.Lineage, a.Settings.Number))
		if !a.Changed {
			add("nothing was changed")
		}
	}
	if a.KeepText != nil {
		add(fmt.Sprintf("%s: keep_text is %s", a.Lineage, onOff(*a.KeepText)))
	}
	return lead
}

// Tables implements [Answer].
func (a LineageSettings) Tables() []Table {
	t := Table{Name: "settings", Columns: Columns("setting", "value")}
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

// Params declares the parameters of the question.
func (q *FreezeQuestion) Params() param.List {
	return param.List{namedLineage(&q.Lineage), reasonParam(&q.Reason), atParam(&q.At)}
}

// Frozen says whether a lineage is frozen.
type Frozen struct {
	Lineage string `json:"lineage"`
	Frozen  bool   `json:"frozen"`
	Changed bool   `json:"changed"`
}

// Lead implements [Answer].
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

// Tables implements [Answer].
func (a Frozen) Tables() []Table {
	return []Table{{Name: "frozen", ForPrograms: true, Columns: Columns("lineage", "frozen"), Rows: [][]any{{a.Lineage, a.Frozen}}}}
}

// RollbackQuestion asks to make an earlier version active: one of To, Best, Previous and IfTriggered says which.
type RollbackQuestion struct {
	Lineage     string // empty for the only one
	To          string // a version, also as LINEAGE@VERSION
	Best        bool
	Previous    bool
	IfTriggered bool
	Reason      string
	At          time.Time // zero for now
}

// Params declares the parameters of the question.
func (q *RollbackQuestion) Params() param.List {
	return param.List{
		ofLineage(&q.Lineage),
		{Name: "to", Unit: "VERSION", Help: "go back to this `VERSION`", Value: param.Text(&q.To)},
		{Name: "best", Help: "go back to the version with the highest fitness of those that were ever active", Value: param.Switch(&q.Best)},
		{Name: "previous", Help: "go back to the version before the active one", Value: param.Switch(&q.Previous)},
		{Name: "if-triggered", Help: "go back as the first trigger that applies says, if any does", Value: param.Switch(&q.IfTriggered)},
		reasonParam(&q.Reason), atParam(&q.At),
	}
}

// Check implements ask.Checker.
func (q *RollbackQuestion) Check() error {
	ways := 0
	for _, given := range []bool{q.To != "", q.Best, q.Previous, q.IfTriggered} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return &param.Error{Param: "to", Message: "give one of to, best, previous and if-triggered"}
	}
	return nil
}

// Rollback says what going back came to.
type Rollback struct {
	Lineage    string                   `json:"lineage"`
	RolledBack bool                     `json:"rolled_back"`     // false if no trigger applies
	Number     int                      `json:"number,omitzero"` // of its entry in the ledger
	Head       string                   `json:"head"`
	Event      *evolution.RollbackEvent `json:"event"`
	Hash       string                   `json:"hash,omitempty"`
	Warnings   []DecisionWarning        `json:"warnings"`
}

// Lead implements [Answer].
func (a Rollback) Lead() []Sentence {
	if a.Event == nil {
		return []Sentence{{Kind: Heading, Text: "no trigger applies; active: " + orNoVersion(a.Head)}}
	}
	lead := []Sentence{
		{Kind: Heading, Text: fmt.Sprintf("active: %s, before %s", a.Event.To, orNoVersion(a.Event.From))},
		{Kind: Note, Text: a.Event.Reason, Joined: true},
	}
	for _, w := range a.Warnings {
		lead = append(lead, Sentence{Kind: Warning, Text: "warning: " + w.Message, Hint: w.Hint, Joined: true})
	}
	return lead
}

// Tables implements [Answer].
func (a Rollback) Tables() []Table {
	trigger := ""
	if a.Event != nil {
		trigger = string(a.Event.Trigger)
	}
	return []Table{{Name: "rollback", ForPrograms: true, Columns: Columns("lineage", "rolled_back", "trigger", "head"),
		Rows: [][]any{{a.Lineage, a.RolledBack, trigger, a.Head}}}}
}
