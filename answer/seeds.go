package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
)

// SeedsQuestion asks which seeds are recorded.
type SeedsQuestion struct {
	Of        Selector // empty for all scenarios
	Label     string
	Outcome   track.Outcome
	Status    scoring.Status
	MinScore  *float64
	MaxScore  *float64
	Since     Since
	Withdrawn bool
	Page      Page
}

func (q *SeedsQuestion) Params() param.List {
	return append(param.List{
		{Name: "scenario", Arg: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "list only seeds of this scenario", Value: selectorValue(&q.Of)},
		{Name: "label", Unit: "LABEL", Help: "list only seeds of configurations with this `LABEL`", Value: param.Name(&q.Label)},
		{Name: "outcome", Help: "list only seeds with this outcome", Enum: param.Outcomes(), Value: param.Outcome(&q.Outcome)},
		{Name: "status", Help: "list only seeds with this status", Enum: param.Statuses(), Value: param.Status(&q.Status)},
		{Name: "min-score", Unit: "X", Help: "list only seeds with a total score of at least `X`", Value: param.OptionalFloat(&q.MinScore)},
		{Name: "max-score", Unit: "X", Help: "list only seeds with a total score of at most `X`", Value: param.OptionalFloat(&q.MaxScore)},
		{Name: "since", Unit: "TIME", Help: "list only seeds recorded since `TIME`: 2026-01-02, 2026-01-02T15:04:05Z, or 24h for the last day", Value: &q.Since},
		{Name: "withdrawn", Help: "list seeds that were withdrawn, and why, in place of those that count", Value: param.Switch(&q.Withdrawn)},
	}, q.Page.Params(50)...)
}

// Seeds are recorded seeds, the newest first.
type Seeds struct {
	List[track.RecordedSeed] `json:",embed"`
	Annotated                []AnnotatedConfiguration `json:"annotated,omitempty"` // configurations of these seeds that have tags or notes
}

// AnnotatedConfiguration is a configuration that has tags or notes.
type AnnotatedConfiguration struct {
	Scenario      string `json:"scenario"`
	Configuration string `json:"configuration"` // hash
	Annotations   `json:",embed"`
}

// annotationsOf returns the tags and the notes of the configuration of a seed.
func (a Seeds) annotationsOf(s track.RecordedSeed) (found Annotations) {
	for _, c := range a.Annotated {
		if c.Scenario == s.Scenario && c.Configuration == s.Configuration.Hash {
			return c.Annotations
		}
	}
	return found
}

func (Seeds) Lead() []Sentence { return nil }

func (a Seeds) Tables() []Table {
	t := Table{Name: "seeds", Empty: "no seeds match", Columns: Columns{
		{Name: "scenario"}, {Name: "seed"}, {Name: "label"}, {Name: "configuration"}, {Name: "outcome"}, {Name: "status"}, {Name: "score"},
		{Name: "pass"}, {Name: "warn"}, {Name: "fail"}, {Name: "spec"}, {Name: "recorded"},
	}.drop("recorded", "spec", "warn", "label", "pass", "fail", "configuration")}
	annotated := len(a.Annotated) > 0
	if annotated {
		t.Columns = append(t.Columns, Columns{{Name: "tags"}, {Name: "notes"}}.drop("notes", "tags").wrap("tags")...)
	}
	withdrawn := len(a.Items) > 0 && a.Items[0].Withdrawn != nil
	if withdrawn {
		t.Columns = append(t.Columns, Column{Name: "withdrawn"}, Column{Name: "reason"})
	}
	for _, s := range a.Items {
		version := any(nil)
		if s.SpecVersion > 0 {
			version = s.SpecVersion
		}
		t.Rows = append(t.Rows, []any{
			s.Scenario, s.Number, s.Configuration.Label, hashCell(s.Configuration.Hash), string(s.Outcome), string(s.Status), s.TotalScore,
			s.NPass, s.NWarn, s.NFail, version, timeCell(s.RecordedAt),
		})
		if last := &t.Rows[len(t.Rows)-1]; annotated {
			of := a.annotationsOf(s)
			*last = append(*last, of.TagText(), len(of.Notes))
		}
		if last := &t.Rows[len(t.Rows)-1]; withdrawn && s.Withdrawn != nil {
			*last = append(*last, timeCell(s.Withdrawn.At), s.Withdrawn.Reason)
		} else if withdrawn {
			*last = append(*last, nil, nil)
		}
	}
	if a.Next != "" {
		t.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("the newest %d; a larger limit lists more", len(a.Items))}}
	}
	return []Table{t}
}

// Since is the time from which on something is listed: a time, or a span before now.
type Since struct {
	Time time.Time
	Ago  time.Duration // before now, if Time is zero
}

// From returns the time itself; the zero time if everything is listed.
func (s Since) From(now time.Time) time.Time {
	if s.Time.IsZero() && s.Ago != 0 {
		return now.Add(-s.Ago)
	}
	return s.Time
}

// Set reads a date, a time, or a duration before now.
func (s *Since) Set(text string) error {
	if ago, err := time.ParseDuration(text); err == nil {
		*s = Since{Ago: ago}
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			*s = Since{Time: t}
			return nil
		}
	}
	return fmt.Errorf("%q is neither a time such as 2026-01-02T15:04:05Z nor a duration such as 24h", text)
}

// String writes what [Since.Set] reads.
func (s *Since) String() string {
	switch {
	case s == nil || *s == Since{}:
		return ""
	case s.Time.IsZero():
		return s.Ago.String()
	}
	return s.Time.UTC().Format(time.RFC3339Nano)
}

func (s *Since) Type() string { return "string" }

// SeedQuestion asks for everything that is known of a seed.
type SeedQuestion struct {
	Of   Selector
	Seed track.SeedNumber
	Spec int // version of the spec; 0 for the newest that the seed was assessed under
}

func (q *SeedQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "show a seed of this scenario", Value: selectorValue(&q.Of)},
		seedParam(&q.Seed),
		{Name: "spec", Unit: "VERSION", Help: "show the results under this `VERSION` of the spec (default: the newest)", Value: param.Whole(&q.Spec, 1)},
	}
}

func seedParam(to *track.SeedNumber) param.Param {
	return param.Param{Name: "seed", Arg: true, Required: true, Unit: "SEED", Help: "show this seed",
		Value: param.Parsed(to, track.ParseSeedNumber, track.SeedNumber.String)}
}

// Seed is everything that is known of a seed, with its results under one version of the spec.
type Seed struct {
	track.RecordedSeed `json:",embed"`
	Annotations        `json:",embed"`    // of the configuration
	Spec               *SpecRef           `json:"spec,omitempty"` // that the results are under; nil if the seed was not judged
	Run                *track.Run         `json:"run,omitempty"`  // nil if no sweep ran it
	Artifacts          []SeedArtifact     `json:"artifacts,omitempty"`
	Others             []string           `json:"other_configurations,omitempty"`
	Metrics            []MetricResult     `json:"metrics"`
	Unscored           map[string]float64 `json:"unscored,omitempty"` // values that the spec does not know, or all of them
}

// MetricResult is what a seed shows of one metric.
type MetricResult struct {
	scoring.MetricInfo `json:",embed"`
	Value              *Measured      `json:"value"` // nil if it is missing
	Status             scoring.Status `json:"status"`
	Score              *float64       `json:"score"`            // 0..1; nil if the value is missing
	Reason             string         `json:"reason,omitempty"` // why it has no value or no score
}

func (a Seed) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s seed %s, configuration %s", a.Scenario, a.Number, describe(a.RecordedSeed.Configuration))}}
	if w := a.Withdrawn; w != nil {
		lead = append(lead, Sentence{Kind: Note, Text: "withdrawn: it does not count. " + withdrawalText(*w)})
	}
	add := func(text string) { lead = append(lead, Sentence{Kind: Note, Text: text, Joined: true}) }
	if text := a.line(); text != "" {
		add(text)
	}
	add(a.timesText())
	if len(a.Environment) > 0 {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(a.Environment)) {
			parts = append(parts, name+" "+a.Environment[name])
		}
		add("environment: " + strings.Join(parts, ", "))
	}
	if len(a.Others) > 0 {
		var others []string
		for _, hash := range a.Others {
			others = append(others, Selector{a.Scenario, track.ShortHash(hash)}.String())
		}
		add("also recorded under other configurations: " + strings.Join(others, ", "))
	}
	lead = append(lead, Sentence{Kind: Note, Text: a.outcomeText()})
	if a.Run != nil {
		lead = append(lead, Sentence{Kind: Note, Text: runText(*a.Run)})
	}
	if len(a.Artifacts) > 0 {
		hint := track.NewHint("write them into a folder", "artifact get", Selector{a.Scenario, track.ShortHash(a.RecordedSeed.Configuration.Hash)}.String())
		hint = hint.With("seed", a.Number.String()).With("all", "").With("output", "DIR")
		lead = append(lead, Sentence{Kind: Note, Text: "files: " + artifactsText(a.Artifacts), Hint: &hint})
	}
	return lead
}

// withdrawalText says who withdrew something, when, with what, and why.
func withdrawalText(w track.Withdrawal) string {
	text := "On " + timeText(w.At)
	if w.Actor != "" {
		text += ", " + w.Actor
	}
	switch {
	case w.Kind == track.WithdrawnConfiguration:
		text += ", with its configuration"
	case w.Sweep != "":
		text += ", with sweep " + track.ShortID(w.Sweep)
	}
	return text + ": " + w.Reason
}

func (a Seed) timesText() string {
	text := "recorded " + timeText(a.RecordedAt)
	if !a.StartedAt.IsZero() {
		text += ", started " + timeText(a.StartedAt)
	}
	if a.Duration != nil {
		text += fmt.Sprintf(", took %v", *a.Duration)
	}
	return text
}

func (a Seed) outcomeText() string {
	switch {
	case a.Outcome != track.OutcomeOK:
		return "failed: " + strings.TrimSpace(string(a.Outcome)+" "+a.Message)
	case a.Spec == nil:
		return "not scored: the scenario has no spec"
	}
	status, total, counts := scoring.Pass, "-", map[scoring.Status]int{}
	var sum, weights float64
	complete := true
	for _, m := range a.Metrics {
		counts[m.Status]++
		status = scoring.WorstStatus(status, m.Status)
		weights += m.Weight
		if complete = complete && m.Score != nil; complete {
			sum += float64(*m.Score * m.Weight)
		}
	}
	if complete {
		total = format.Four(sum / weights)
	}
	return fmt.Sprintf("%s under spec version %d: score %s, %d PASS %d WARN %d FAIL",
		status, a.Spec.Version, total, counts[scoring.Pass], counts[scoring.Warn], counts[scoring.Fail])
}

// runText says how the command of the seed ended, with the end of its standard error.
func runText(r track.Run) string {
	const most = 20 // lines
	words := []string{fmt.Sprintf("run by sweep %s", track.ShortID(r.Sweep))}
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if r.Attempts > 1 {
		add("attempt %d, the last one", r.Attempts)
	}
	switch {
	case r.Signal != "":
		add("ended by %s", r.Signal)
	case r.ExitCode != nil:
		add("exit code %d", *r.ExitCode)
	}
	if r.CPU != nil {
		add("CPU time %v", *r.CPU)
	}
	if r.MaxRSS != nil {
		add("at most %.1f MB of memory", float64(*r.MaxRSS)/1e6)
	}
	text := strings.Join(words, ", ")
	if r.Stderr == "" {
		return text
	}
	lines := strings.Split(strings.TrimRight(r.Stderr, "\n"), "\n")
	left := ""
	if n := len(lines) - most; n > 0 {
		lines, left = lines[n:], fmt.Sprintf(", the last %d of %d lines; the format json has all", most, len(lines))
	}
	return text + "\nstandard error" + left + ":\n  " + strings.Join(lines, "\n  ")
}

func (a Seed) Tables() []Table {
	tables := []Table{a.metricsTable()}
	if len(a.Unscored) > 0 {
		rest := Table{Name: "unscored", Title: "not scored", Columns: columns("name", "value")}
		for _, name := range slices.Sorted(maps.Keys(a.Unscored)) {
			rest.Rows = append(rest.Rows, []any{name, Cell{fmt.Sprint(a.Unscored[name]), a.Unscored[name]}})
		}
		tables = append(tables, rest)
	}
	return tables
}

func (a Seed) metricsTable() Table {
	t := Table{Name: "metrics", Main: true, HiddenIfEmpty: true, Notes: a.notes(), Columns: Columns{
		{Name: "group", For: ForData}, {Name: "metric"}, {Name: "type", For: ForData}, {Name: "weight"}, {Name: "target"}, {Name: "value"}, {Name: "status"},
		{Name: "score"}, {Name: "reason", For: ForData},
	}.drop("weight", "target").wrap("target", "value")}
	weight := WeightText(a.Metrics, func(m MetricResult) float64 { return m.Weight })
	for _, m := range a.Metrics {
		value, score := any(Cell{m.Reason, ""}), any(nil)
		if m.Value != nil {
			value, score = numberCell(float64(*m.Value), func(x float64) string { return format.Value(x, m.Format) }), m.Score
		}
		t.Rows = append(t.Rows, []any{m.Group, m.Name, string(m.Type), numberCell(m.Weight, weight), m.Target, value, string(m.Status), score, m.Reason})
	}
	for _, name := range slices.Sorted(maps.Keys(a.Unscored)) {
		t.DataRows = append(t.DataRows, []any{nil, name, nil, nil, nil, a.Unscored[name], nil, nil, "not scored"})
	}
	return t
}

// notes point to all seeds of the configuration. Aggregating them here would take as long as judging them.
func (a Seed) notes() []Sentence {
	if len(a.Metrics) == 0 {
		return nil
	}
	hint := track.NewHint("judge all seeds of its configuration", "stability", a.Scenario+"@"+track.ShortHash(a.RecordedSeed.Configuration.Hash))
	return []Sentence{{Kind: Note, Text: "one seed shows no spread", Hint: &hint}}
}

// scenarioParam declares the argument SCENARIO[@CONFIGURATION].
func scenarioParam(to *Selector, help string) param.Param {
	return param.Param{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: help, Value: selectorValue(to)}
}

// specParam declares the version of a spec; 0 for the newest.
func specParam(to *int, help string) param.Param {
	return param.Param{Name: "spec", Unit: "VERSION", Help: help + " (default: the newest)", Value: param.Whole(to, 1)}
}

// seedsParam declares the seeds that are used; none for all.
func seedsParam(to *[]track.SeedRange) param.Param {
	return param.Param{Name: "seeds", Unit: "SEEDS", Help: "use only these `SEEDS`, such as 0..99,200", Value: param.Seeds(to)}
}

// Side is one side of a comparison: the seeds of a scenario under one configuration.
type Side struct {
	Scenario      string                      `json:"scenario"`
	Configuration track.RecordedConfiguration `json:"configuration"`
	Annotations   `json:",embed"`
	Newest        *NewestOf `json:"newest_of,omitempty"` // missing unless the newest of several revisions was chosen
}

// NewestOf says that a configuration was chosen as the newest of several revisions of the code.
type NewestOf struct {
	NOthers       int       `json:"n_others"`       // other revisions, with the same parameters
	FirstRecorded time.Time `json:"first_recorded"` // when the chosen one was
}

// note says which revision was chosen; none if there was no choice.
func (n *NewestOf) note(side Side) []Sentence {
	if n == nil {
		return nil
	}
	text := fmt.Sprintf("%s is the newest of %d revisions of %s: %s, first recorded %s", side.Name(), n.NOthers+1, side.Scenario,
		side.Configuration.Revision, timeText(n.FirstRecorded))
	if side.Configuration.Revision == (track.Revision{}) {
		text = fmt.Sprintf("%s is the newest of %d configurations of %s with these parameters, first recorded %s; its revision is not recorded", side.Name(), n.NOthers+1, side.Scenario, timeText(n.FirstRecorded))
	}
	hint := track.NewHint("list them", "history", side.Scenario)
	return []Sentence{{Kind: Note, Text: text, Hint: &hint, Joined: true}}
}

// String names the side for people.
func (s Side) String() string { return s.Scenario + "@" + describe(s.Configuration) }

// Selector returns what selects the configuration for good: its label may name another one later.
func (s Side) Selector() string {
	return Selector{s.Scenario, track.ShortHash(s.Configuration.Hash)}.String()
}

// Name returns what people call the configuration: its label, or its short hash if it has none.
func (s Side) Name() string {
	if s.Configuration.Label != "" {
		return s.Configuration.Label
	}
	return track.ShortHash(s.Configuration.Hash)
}

// Parameter is one parameter of a configuration.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"` // JSON
}

// Parameters returns the parameters of the configuration by name; none if they are not recorded.
func (s Side) Parameters() (list []Parameter) {
	var values map[string]json.RawMessage
	if s.Configuration.Params == "" || json.Unmarshal([]byte(s.Configuration.Params), &values) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Parameter{name, string(values[name])})
	}
	return list
}

// ScenarioSpec names a version of the spec of a scenario.
type ScenarioSpec struct {
	Scenario string `json:"scenario"`
	SpecRef
}

// Selector names the seeds of a scenario under a configuration: SCENARIO or SCENARIO@CONFIGURATION, the latter a label
// or a prefix of a hash.
type Selector struct {
	Scenario      string
	Configuration string // empty for the most recent one
}

// ParseSelector reads SCENARIO[@CONFIGURATION].
func ParseSelector(s string) (Selector, error) {
	scenario, configuration, given := strings.Cut(norm.NFC.String(s), "@")
	if scenario == "" || given && configuration == "" {
		return Selector{}, fmt.Errorf("%w: %q is not SCENARIO or SCENARIO@CONFIGURATION", track.ErrInvalid, s)
	}
	return Selector{scenario, configuration}, nil
}

// String writes the selector as [ParseSelector] reads it.
func (s Selector) String() string {
	if s.Configuration == "" {
		return s.Scenario
	}
	return s.Scenario + "@" + s.Configuration
}

// selectorValue returns a value that is a selector.
func selectorValue(to *Selector) param.Value { return param.Parsed(to, ParseSelector, Selector.String) }

// LineageSelector names the executions of a lineage, or of one of its versions: LINEAGE or LINEAGE@VERSION.
type LineageSelector struct {
	Lineage string
	Version *string // nil for none; the empty one is the version of executions that name none
}

// ParseLineageSelector reads LINEAGE[@VERSION].
func ParseLineageSelector(s string) (LineageSelector, error) {
	lineage, version, given := strings.Cut(s, "@")
	if lineage == "" {
		return LineageSelector{}, fmt.Errorf("%q is not LINEAGE or LINEAGE@VERSION", s)
	}
	if !given {
		return LineageSelector{Lineage: lineage}, nil
	}
	return LineageSelector{lineage, &version}, nil
}

// String writes the selector as [ParseLineageSelector] reads it.
func (s LineageSelector) String() string {
	if s.Version == nil {
		return s.Lineage
	}
	return s.Lineage + "@" + *s.Version
}

// lineageSelectorValue returns a value that is a selector of a lineage.
func lineageSelectorValue(to *LineageSelector) param.Value {
	return param.Parsed(to, ParseLineageSelector, LineageSelector.String)
}

// lineageVersion writes a lineage with its version, as a [LineageSelector] is written.
func lineageVersion(lineage, version string) string {
	if version == "" {
		return lineage
	}
	return lineage + "@" + version
}
