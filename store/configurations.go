package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/internal/near"
)

// Configuration is a configuration as it is stored.
type Configuration struct {
	track.RecordedConfiguration
	ID        int64
	CreatedAt time.Time
}

const configurationColumns = `
	configuration.id, configuration.hash, configuration.label, configuration.params, configuration.commit_id, configuration.dirty, configuration.diff_hash,
	configuration.files_hash, configuration.state_unknown, configuration.created_at`

// configuration reads [configurationColumns].
func (c *cells) configuration() Configuration {
	configuration := Configuration{ID: c.integer(), RecordedConfiguration: track.RecordedConfiguration{Hash: c.text(), Configuration: track.Configuration{
		Label: c.text(), Params: track.Params(c.text()), Revision: track.Revision{Commit: c.text(), Dirty: c.isTrue(), DiffHash: c.text(), FilesHash: c.text(), Unknown: c.text()},
	}}, CreatedAt: c.time()}
	if value := jsontext.Value(configuration.Params); !value.IsValid() || value.Kind() != '{' {
		c.fail(fmt.Errorf("%w: the params of configuration %s are no JSON object: %.40q", track.ErrDamaged, track.ShortHash(configuration.Hash), string(value)))
	}
	if configuration.Params == "{}" {
		configuration.Params = ""
	}
	return configuration
}

// configurationOrNil reads [configurationColumns] that are NULL if there is no configuration.
func (c *cells) configurationOrNil() *Configuration {
	if c.row[c.next] == nil {
		c.next += strings.Count(configurationColumns, ",") + 1
		return nil
	}
	configuration := c.configuration()
	return &configuration
}

const (
	listScenarios          = `SELECT name FROM scenario ORDER BY name`
	hasScenario            = `SELECT 1 FROM scenario WHERE name = $1`
	getNewestConfiguration = `
	SELECT ` + configurationColumns + `
	  FROM seed JOIN configuration ON configuration.id = seed.configuration_id
	 WHERE seed.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND seed.superseded_at IS NULL
	 ORDER BY seed.recorded_at DESC, seed.id DESC LIMIT 1`
	listAllConfigurations = `SELECT ` + configurationColumns + ` FROM configuration ORDER BY configuration.id`
)

// Scenarios returns the names of all scenarios, sorted.
func (r *Reader) Scenarios(ctx context.Context) (names []string, err error) {
	return names, r.selectAll(ctx, &names, listScenarios)
}

// HasScenario reports whether a scenario has a spec or was ever recorded.
func (r *Reader) HasScenario(ctx context.Context, name string) (bool, error) {
	return r.exists(ctx, hasScenario, name)
}

// NewestConfiguration returns the configuration of the seed of a scenario that was recorded last.
func (r *Reader) NewestConfiguration(ctx context.Context, scenario string) (Configuration, error) {
	newest, err := first(ctx, r, getNewestConfiguration, []any{scenario}, (*cells).configuration)
	if err != nil || newest == nil {
		if err == nil {
			err = r.noSeeds(ctx, scenario)
		}
		return Configuration{}, err
	}
	return *newest, nil
}

// noSeeds returns the error for a scenario without seeds, or for an unknown scenario.
func (r *Reader) noSeeds(ctx context.Context, scenario string) error {
	names, err := r.Scenarios(ctx)
	if err != nil {
		return err
	}
	if slices.Contains(names, scenario) {
		hint := track.NewHint("record one", "record seed").With("scenario", scenario).With("seed", "0").With("", "values.json")
		return track.WithHint(fmt.Errorf("scenario %s has no seeds: %w", scenario, track.ErrNotFound), hint)
	}
	known := "there is no scenario yet"
	if len(names) > 0 {
		known = "the scenarios are: " + strings.Join(names, ", ")
	}
	return track.WithHint(fmt.Errorf("scenario %s: %w", scenario, track.ErrNotFound), nearestOf(scenario, names, track.Hint{Text: known}))
}

// nearestOf returns a hint to the known name that was probably meant, or else another hint.
func nearestOf(name string, known []string, other track.Hint) track.Hint {
	if meant := near.Nearest(name, known); meant != "" && meant != name {
		return didYouMean(meant)
	}
	return other
}

func didYouMean(name string) track.Hint { return track.Hint{Text: "did you mean " + name + "?"} }

// AllConfigurations returns the configurations of all scenarios, in the order in which they were recorded.
func (r *Reader) AllConfigurations(ctx context.Context) ([]Configuration, error) {
	return list(ctx, r, listAllConfigurations, nil, (*cells).configuration)
}

// Configurations returns the newest configurations that a scenario has seeds of, by their first seed, and how many
// there are.
func (r *Reader) Configurations(ctx context.Context, scenario string, limit int) (newest []Configuration, total int, err error) {
	all := Candidates{Scenario: scenario}
	choice, err := r.CompareCandidates(ctx, all)
	if err != nil {
		return nil, 0, err
	}
	listed, err := r.ListCandidates(ctx, all, false, limit)
	for _, c := range listed {
		newest = append(newest, c.Configuration)
	}
	if err == nil && len(newest) == 0 {
		err = r.noSeeds(ctx, scenario)
	}
	return newest, choice.N, err
}

// Candidates are configurations of a scenario among which one is chosen.
type Candidates struct {
	Scenario string
	Label    *string  // nil for any; the empty one for none
	Hash     string   // the beginning of their hash; empty for any
	Commit   string   // the beginning of their commit; empty for any
	Params   []string // as they are stored; nil for any
	Before   int64    // id of a configuration: only those whose first seed came before its first seed; 0 for all
	// AlsoWithdrawn includes configurations whose seeds were all withdrawn.
	AlsoWithdrawn bool
}

const (
	candidateRows = `
	  FROM scenario_configuration JOIN configuration ON configuration.id = scenario_configuration.configuration_id
	 WHERE scenario_configuration.scenario_id = (SELECT id FROM scenario WHERE name = $1)`
	ofPair = ` FROM seed WHERE seed.scenario_id = scenario_configuration.scenario_id
	           AND seed.configuration_id = scenario_configuration.configuration_id AND seed.superseded_at IS NULL`
	haveSeeds     = ` AND EXISTS (SELECT 1` + ofPair + `)`
	ofAnyLabel    = ` AND configuration.label = $1`
	ofNoLabel     = ` AND configuration.label IS NULL`
	ofHashes      = ` AND configuration.hash >= $1 AND configuration.hash < $2`
	ofCommits     = ` AND configuration.commit_id >= $1 AND configuration.commit_id < $2`
	ofStoredParam = ` AND configuration.params IN ({list})`
	firstBefore   = ` AND scenario_configuration.id < (SELECT id FROM scenario_configuration AS own WHERE own.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND own.configuration_id = $2)`

	countCandidates = `SELECT count(*), count(configuration.label), coalesce(min(configuration.params) = max(configuration.params), TRUE)`
	groupedByCode   = ` GROUP BY configuration.commit_id, configuration.dirty, configuration.diff_hash, configuration.files_hash, configuration.state_unknown
	HAVING (configuration.commit_id IS NOT NULL OR configuration.files_hash IS NOT NULL) AND min(coalesce(configuration.label, '')) <> max(coalesce(configuration.label, '')) LIMIT 1`
	listDistinct  = `SELECT DISTINCT configuration.params`
	listNewest    = `SELECT ` + configurationColumns + `, (SELECT count(*)` + ofPair + `)`
	newestOfEach  = ` AND scenario_configuration.id IN (SELECT max(scenario_configuration.id)`
	byParamsLabel = ` GROUP BY configuration.params, configuration.label)`
	newestFirst   = ` ORDER BY scenario_configuration.id DESC`
)

// addTo appends the rows of the candidates after a beginning.
func (c Candidates) addTo(b *clauses) {
	b.add(candidateRows, c.Scenario)
	if !c.AlsoWithdrawn {
		b.add(haveSeeds)
	}
	switch {
	case c.Label == nil:
	case *c.Label == "":
		b.add(ofNoLabel)
	default:
		b.add(ofAnyLabel, *c.Label)
	}
	if c.Hash != "" {
		b.add(ofHashes, c.Hash, c.Hash+"g")
	}
	if c.Commit != "" {
		b.add(ofCommits, c.Commit, c.Commit+"g")
	}
	if c.Params != nil {
		b.add(ofStoredParam, anys(c.Params))
	}
	if c.Before != 0 {
		b.add(firstBefore, c.Scenario, c.Before)
	}
}

// Choice says what candidates have in common.
type Choice struct {
	N            int  // candidates
	SameParams   bool // their parameters are equal
	LabelsDiffer bool // two of them have different labels at one revision; false if it is unknown
}

// CompareCandidates counts candidates, and says in what they differ.
func (r *Reader) CompareCandidates(ctx context.Context, c Candidates) (choice Choice, err error) {
	ask := func(beginning, end string, visit func(*cells)) error {
		var b clauses
		b.add(beginning)
		c.addTo(&b)
		b.add(end)
		query, args := b.statement()
		return r.each(ctx, query, args, visit)
	}
	nLabelled := 0
	err = ask(countCandidates, "", func(c *cells) { choice.N, nLabelled, choice.SameParams = c.count(), c.count(), c.isTrue() })
	if err == nil && choice.N > 1 && nLabelled > 0 {
		err = ask(`SELECT 1`, groupedByCode, func(*cells) { choice.LabelsDiffer = true })
	}
	return choice, err
}

// Candidate is a candidate with the number of its seeds.
type Candidate struct {
	Configuration
	NSeeds int
}

// ListCandidates returns the newest candidates by their first seeds, at most limit of them. If distinct, only the
// newest of those that have the same parameters and label is one of them.
func (r *Reader) ListCandidates(ctx context.Context, c Candidates, distinct bool, limit int) ([]Candidate, error) {
	var b clauses
	b.add(listNewest)
	c.addTo(&b)
	if distinct {
		b.add(newestOfEach)
		c.addTo(&b)
		b.add(byParamsLabel)
	}
	b.add(newestFirst)
	if limit >= 0 {
		b.add(atMost, limit)
	}
	query, args := b.statement()
	return list(ctx, r, query, args, func(c *cells) Candidate { return Candidate{c.configuration(), c.count()} })
}

// ParamsWith returns the parameters of candidates, as they are stored, in which the named ones have the given values:
// JSON, or a string.
func (r *Reader) ParamsWith(ctx context.Context, c Candidates, values map[string]string) (found []string, err error) {
	var b clauses
	b.add(listDistinct)
	c.addTo(&b)
	query, args := b.statement()
	return found, r.each(ctx, query, args, func(c *cells) {
		var params map[string]jsontext.Value
		stored := c.text()
		c.fail(decodeStored("params", []byte(stored), &params))
		for name, text := range values {
			if value, has := params[name]; !has || !slices.Contains(readings(text), string(value)) {
				return
			}
		}
		found = append(found, stored)
	})
}

// readings returns the canonical JSON that a text can mean: the value that it is, and a string.
func readings(text string) (list []string) {
	if value := jsontext.Value(text); value.IsValid() && value.Canonicalize() == nil {
		list = append(list, string(value))
	}
	quoted, err := json.Marshal(text)
	if value := jsontext.Value(quoted); err == nil && value.Canonicalize() == nil {
		list = append(list, string(value))
	}
	return list
}

// Baseline is a configuration pinned for a scenario, or the removal of a pin.
type Baseline struct {
	ULID          string
	Scenario      string
	Configuration *Configuration // nil if the pin was removed
	Replaced      string         // hash of the configuration that was pinned before; empty for none
	Previous      string         // ULID of the pin that it replaced; empty for none
	Reason        string
	Actor         string
	SetAt         time.Time
}

const (
	selectBaselines = `
	SELECT baseline.ulid, scenario.name,` + configurationColumns + `, replaced.hash, previous.ulid, baseline.reason, baseline.actor, baseline.set_at
	  FROM baseline
	  JOIN scenario ON scenario.id = baseline.scenario_id
	  LEFT JOIN configuration ON configuration.id = baseline.configuration_id
	  LEFT JOIN baseline AS previous ON previous.id = baseline.previous_id
	  LEFT JOIN configuration AS replaced ON replaced.id = previous.configuration_id`
	listScenarioBaselines = selectBaselines + `
	 WHERE baseline.scenario_id = (SELECT id FROM scenario WHERE name = $1) ORDER BY baseline.set_at DESC, baseline.id DESC`
	getBaseline          = listScenarioBaselines + ` LIMIT 1`
	listCurrentBaselines = selectBaselines + `
	 WHERE baseline.id = (SELECT newest.id FROM baseline AS newest WHERE newest.scenario_id = scenario.id ORDER BY newest.set_at DESC, newest.id DESC LIMIT 1) AND baseline.configuration_id IS NOT NULL
	 ORDER BY scenario.name`
	listAllBaselines = selectBaselines + ` ORDER BY baseline.id`
	addBaseline      = `
	INSERT INTO baseline (ulid, scenario_id, configuration_id, previous_id, reason, actor, set_at)
	VALUES ($1, $2, $3, (SELECT id FROM baseline WHERE ulid = $4), $5, $6, $7) ON CONFLICT (ulid) DO NOTHING`
	insertBaseline = `
	INSERT INTO baseline (ulid, scenario_id, configuration_id, previous_id, reason, actor, set_at)
	SELECT $1, $2, $3, (SELECT id FROM baseline WHERE scenario_id = $2 ORDER BY set_at DESC, id DESC LIMIT 1), $4, $5,
	       CASE WHEN $6 <= newest.set_at THEN newest.set_at + 1 ELSE $6 END
	  FROM (SELECT coalesce(max(set_at), -1) AS set_at FROM baseline WHERE scenario_id = $2) AS newest` // later than what it replaces, which may come from a clock that is ahead
)

func (c *cells) baseline() Baseline {
	return Baseline{ULID: c.text(), Scenario: c.text(), Configuration: c.configurationOrNil(), Replaced: c.text(), Previous: c.text(), Reason: c.text(), Actor: c.text(), SetAt: c.time()}
}

// Baseline returns the configuration pinned for a scenario; nil if there is none.
func (r *Reader) Baseline(ctx context.Context, scenario string) (*Baseline, error) {
	b, err := first(ctx, r, getBaseline, []any{scenario}, (*cells).baseline)
	if err != nil || b == nil || b.Configuration == nil {
		return nil, err
	}
	return b, nil
}

// Baselines returns the active pins, by scenario; if scenario is not empty, all its pins, the newest first.
func (r *Reader) Baselines(ctx context.Context, scenario string) ([]Baseline, error) {
	if scenario != "" {
		return list(ctx, r, listScenarioBaselines, []any{scenario}, (*cells).baseline)
	}
	return list(ctx, r, listCurrentBaselines, nil, (*cells).baseline)
}

// AllBaselines returns all pins of all scenarios, in the order in which they were recorded here.
func (r *Reader) AllBaselines(ctx context.Context) ([]Baseline, error) {
	return list(ctx, r, listAllBaselines, nil, (*cells).baseline)
}

// SetBaseline records a pin, or with no Configuration that it was taken away. What it replaces is the newest row of the
// scenario, whatever Replaced says.
func (t *Tx) SetBaseline(b Baseline) error {
	scenario, err := t.scenarioID(b.Scenario)
	if err != nil {
		return err
	}
	var configuration any
	if b.Configuration != nil {
		configuration = b.Configuration.ID
	}
	actor, err := t.actor(b.Actor)
	if err == nil {
		_, err = t.exec(insertBaseline, b.ULID, scenario, configuration, t.free(b.Reason), actor, micros(b.SetAt))
	}
	return err
}

// AddBaseline stores a pin of another database, and reports whether it is new.
func (t *Tx) AddBaseline(b Baseline) (added bool, err error) {
	scenario, err := t.scenarioID(b.Scenario)
	if err != nil {
		return false, err
	}
	var configuration any
	if b.Configuration != nil {
		if configuration, err = t.configurationID(b.Configuration.Configuration); err != nil {
			return false, err
		}
	}
	actor, err := t.actor(b.Actor)
	if err != nil {
		return false, err
	}
	n, err := t.change(addBaseline, b.ULID, scenario, configuration, b.Previous, t.free(b.Reason), actor, micros(b.SetAt))
	return n > 0, err
}

// Annotation is an annotation as it is stored.
type Annotation struct {
	track.Annotation
	ConfigurationID int64
	Hash            string // of the configuration
}

const (
	selectAnnotations = `
	SELECT annotation.ulid, annotation.kind, annotation.removed, scenario.name, annotation.subject, annotation.note, annotation.actor, annotation.at,` + configurationColumns + `
	  FROM annotation
	  JOIN scenario ON scenario.id = annotation.scenario_id
	  JOIN configuration ON configuration.id = annotation.configuration_id`
	inOrderOfTimes          = ` ORDER BY annotation.at, annotation.ulid`
	ofAnnotated             = ` WHERE annotation.scenario_id = (SELECT id FROM scenario WHERE name = $1)`
	listAnnotations         = selectAnnotations + inOrderOfTimes
	listScenarioAnnotations = selectAnnotations + ofAnnotated + inOrderOfTimes
	listOwnAnnotations      = selectAnnotations + ofAnnotated + ` AND annotation.configuration_id = $2` + inOrderOfTimes
	insertAnnotation        = `
	INSERT INTO annotation (ulid, kind, removed, scenario_id, configuration_id, subject, note, actor, at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (ulid) DO NOTHING`
)

func (c *cells) annotation() Annotation {
	a := Annotation{Annotation: track.Annotation{
		ID: c.text(), Kind: track.AnnotationKind(c.text()), Removed: c.isTrue(), Scenario: c.text(), Subject: c.text(), Text: c.text(), Actor: c.text(), At: c.time(),
	}}
	configuration := c.configuration()
	a.Configuration, a.ConfigurationID, a.Hash = configuration.Configuration, configuration.ID, configuration.Hash
	return a
}

// Annotations returns the annotations of all scenarios, or of one if it is not empty, in the order of their times.
func (r *Reader) Annotations(ctx context.Context, scenario string) ([]Annotation, error) {
	if scenario == "" {
		return list(ctx, r, listAnnotations, nil, (*cells).annotation)
	}
	return list(ctx, r, listScenarioAnnotations, []any{scenario}, (*cells).annotation)
}

// AnnotationsOf returns the annotations of a configuration of a scenario, in the order of their times.
func (r *Reader) AnnotationsOf(ctx context.Context, scenario string, configurationID int64) ([]Annotation, error) {
	return list(ctx, r, listOwnAnnotations, []any{scenario, configurationID}, (*cells).annotation)
}

// AddAnnotation stores an annotation under its ID, and reports whether it was new.
func (t *Tx) AddAnnotation(a track.Annotation) (added bool, err error) {
	if err := t.admit(&a); err != nil {
		return false, err
	}
	scenario, err := t.scenarioID(a.Scenario)
	if err != nil {
		return false, err
	}
	configuration, err := t.configurationID(a.Configuration)
	if err != nil {
		return false, err
	}
	actor, err := t.actor(a.Actor)
	if err != nil {
		return false, err
	}
	n, err := t.change(insertAnnotation, a.ID, string(a.Kind), a.Removed, scenario, configuration, a.Subject, nullText(a.Text), actor, micros(a.At))
	if n > 0 {
		t.added(findAnnotationByULID, a.ID)
	}
	return n > 0, err
}
