package store

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/evolution"
)

// ExecutionFilter narrows a list of executions; the zero value of each field asks for everything.
type ExecutionFilter struct {
	Lineage  string
	Version  *string // the empty string selects executions without a version
	Task     string
	Status   track.ExecutionStatus
	Grade    string
	MinScore *float64
	MaxScore *float64
	Since    time.Time // started, or recorded, at or after
	After    string    // only what follows the execution with this ULID in the list; empty for the beginning
	Limit    int       // at most so many; 0 for all
}

const (
	selectExecutions = `
	SELECT execution.id, execution.ulid, lineage.name, version.name, execution.source, execution.key, execution.task, execution.task_type, execution.complexity,
	       execution.trial, execution.session, execution.status, execution.message, execution.rubric, execution_score.score, execution_score.grade, execution.n_calls,
	       coalesce(execution_score.n_failed, execution.n_failed), coalesce(execution_score.n_unknown, execution.n_unknown),
	       execution.corrections, execution.truncated, execution.holdout, execution.model,
	       execution.tokens_input, execution.tokens_output, execution.tokens_cache_read, execution.tokens_cache_write, execution.tokens_reasoning,
	       execution.cost_usd, execution.priced, execution.started_at, execution.duration_us, execution.recorded_at, execution.forgotten_at, execution.is_open
	  FROM execution
	  JOIN lineage ON lineage.id = execution.lineage_id
	  JOIN version ON version.id = execution.version_id
	  LEFT JOIN execution_score ON execution_score.execution_id = execution.id AND execution_score.rubric = execution.rubric
	 WHERE TRUE`
	executionsOfVersion = ` AND execution.version_id = (SELECT version.id FROM version JOIN lineage ON lineage.id = version.lineage_id
	       WHERE lineage.name = $1 AND version.name = $2)`
	executionsOfLineage = ` AND execution.lineage_id = (SELECT id FROM lineage WHERE name = $1)`
	ofTask              = ` AND execution.task = $1`
	endedWith           = ` AND execution.status = $1`
	// Within coalesce, so that the list is not led by the scores, of which it would read and sort all.
	withGrade      = ` AND coalesce(execution_score.grade = $1, FALSE)`
	scoredAtLeast  = ` AND coalesce(execution_score.score >= $1, FALSE)`
	scoredAtMost   = ` AND coalesce(execution_score.score <= $1, FALSE)`
	executedSince  = ` AND execution.at >= $1`
	executedBefore = ` AND (execution.at, execution.id) < (SELECT last.at, last.id FROM execution AS last WHERE last.ulid = $1)`
	newestExecuted = ` ORDER BY execution.at DESC, execution.id DESC`

	executionByID       = selectExecutions + ` AND execution.ulid = $1`
	executionsByPrefix  = selectExecutions + ` AND execution.ulid >= $1 AND execution.ulid < $2 LIMIT 2`
	executionByRow      = selectExecutions + ` AND execution.id = $1`
	countExecutionULIDs = `SELECT 1 FROM execution WHERE ulid = $1`
)

// executionRow reads a row of [selectExecutions].
func (c *cells) executionRow() (id int64, e track.RecordedExecution) {
	id, e = c.integer(), track.RecordedExecution{
		ID: c.text(), Lineage: c.text(), Version: c.text(), Source: c.text(), Key: c.text(), Task: c.text(), TaskType: c.text(), Complexity: track.Complexity(c.text()),
		Trial: c.count(), Session: c.text(), Status: track.ExecutionStatus(c.text()), Message: c.text(), Rubric: c.text(), Score: c.realOrNil(), Grade: c.text(),
		NCalls: c.count(), NFailed: c.count(), NUnknown: c.count(), Corrections: c.count(), Truncated: c.isTrue(), Holdout: c.isTrue(), Model: c.text(), Tokens: c.tokens(),
		CostUSD: c.realOrNil(), Priced: c.text(), StartedAt: c.time(), Duration: c.duration(), RecordedAt: c.time(), ForgottenAt: c.time(), Open: c.isTrue(),
	}
	return id, e
}

func (c *cells) execution() track.RecordedExecution {
	_, e := c.executionRow()
	return e
}

// tokens reads five counts; nil if none is known.
func (c *cells) tokens() *track.Tokens {
	tokens := track.Tokens{Input: c.integerOrNil(), Output: c.integerOrNil(), CacheRead: c.integerOrNil(), CacheWrite: c.integerOrNil(), Reasoning: c.integerOrNil()}
	if tokens == (track.Tokens{}) {
		return nil
	}
	return &tokens
}

// HasExecution reports whether an execution with this ULID is recorded.
func (r *Reader) HasExecution(ctx context.Context, ulid string) (bool, error) {
	return r.exists(ctx, countExecutionULIDs, ulid)
}

// query returns the statement that lists the executions of the filter, newest first, and its arguments.
func (f ExecutionFilter) query() (query string, args []any) {
	c := clauses{}
	c.add(selectExecutions)
	switch {
	case f.Lineage != "" && f.Version != nil:
		c.add(executionsOfVersion, f.Lineage, *f.Version)
	case f.Lineage != "":
		c.add(executionsOfLineage, f.Lineage)
	}
	if f.Task != "" {
		c.add(ofTask, f.Task)
	}
	if f.Status != "" {
		c.add(endedWith, string(f.Status))
	}
	if f.Grade != "" {
		c.add(withGrade, f.Grade)
	}
	if f.MinScore != nil {
		c.add(scoredAtLeast, *f.MinScore)
	}
	if f.MaxScore != nil {
		c.add(scoredAtMost, *f.MaxScore)
	}
	if !f.Since.IsZero() {
		c.add(executedSince, micros(f.Since))
	}
	if f.After != "" {
		c.add(executedBefore, f.After)
	}
	c.add(newestExecuted)
	if f.Limit > 0 {
		c.add(atMost, f.Limit)
	}
	return c.statement()
}

// Executions lists executions, the newest first.
func (r *Reader) Executions(ctx context.Context, filter ExecutionFilter) ([]track.RecordedExecution, error) {
	query, args := filter.query()
	return list(ctx, r, query, args, (*cells).execution)
}

// Execution returns the execution with this ULID, or with the only one that begins like this.
func (r *Reader) Execution(ctx context.Context, id string) (e track.RecordedExecution, err error) {
	if id == "" {
		return e, fmt.Errorf("an empty id: %w", track.ErrNotFound)
	}
	query, args := executionByID, []any{strings.ToUpper(id)}
	if len(id) < 26 {
		query, args = executionsByPrefix, append(args, strings.ToUpper(id)+"~")
	}
	err = r.Snapshot(ctx, func(r *Reader) error { // or an execution that is replaced meanwhile would lose its calls
		found, err := r.wholeExecutions(ctx, query, args...)
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return track.WithHint(fmt.Errorf("execution %s: %w", id, track.ErrNotFound), track.NewHint("list the executions", "executions"))
		case len(found) > 1:
			return track.WithHint(fmt.Errorf("execution %s is %w: several ids begin like this", id, track.ErrAmbiguous), track.Hint{Text: "write more of the id"})
		}
		e = found[0].RecordedExecution
		return nil
	})
	return e, err
}

// ExecutionByRow returns an execution with all that belongs to it.
func (r *Reader) ExecutionByRow(ctx context.Context, row int64) (e track.WholeExecution, err error) {
	found, err := r.wholeExecutions(ctx, executionByRow, row)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("execution in row %d: %w", row, track.ErrNotFound)
	}
	if err != nil {
		return e, err
	}
	return found[0], nil
}

const (
	getExecutionTexts = `
	SELECT prompt, prompt_bytes, prompt_digest, output, output_bytes, output_digest, truths, digest, structure, masking FROM execution WHERE id = $1`
	listCalls = `
	SELECT key, tool, input, input_bytes, input_digest, exit, error, answered, rejected, output, output_bytes, output_digest, output_whole, started_at, duration_us, request
	  FROM call WHERE execution_id = $1 ORDER BY position`
	listRequests = `
	SELECT message_id, request_id, model, tokens_input, tokens_output, tokens_cache_read, tokens_cache_write, tokens_reasoning
	  FROM request WHERE execution_id = $1 ORDER BY number`
	listScores = `
	SELECT rubric, score, grade, n_failed, n_unknown, components, document, scored_at FROM execution_score WHERE execution_id = $1 ORDER BY rubric`
)

// wholeExecutions returns the executions of a query with all that belongs to them.
func (r *Reader) wholeExecutions(ctx context.Context, query string, args ...any) ([]track.WholeExecution, error) {
	var rows []int64
	found, err := list(ctx, r, query, args, func(c *cells) track.WholeExecution {
		id, e := c.executionRow()
		rows = append(rows, id)
		return track.WholeExecution{RecordedExecution: e}
	})
	for i := range found {
		if err == nil {
			err = r.addExecutionParts(ctx, &found[i], rows[i])
		}
	}
	return found, err
}

func (r *Reader) addExecutionParts(ctx context.Context, e *track.WholeExecution, row int64) (err error) {
	err = r.each(ctx, getExecutionTexts, []any{row}, func(c *cells) {
		e.Prompt, e.Output, e.Truths = c.recordedText(), c.recordedText(), c.numbers()
		e.Digest, e.Structure, e.Masking = c.digest(), c.digest(), c.count()
	})
	if err != nil {
		return err
	}
	e.Calls, err = list(ctx, r, listCalls, []any{row}, func(c *cells) track.RecordedCall {
		call := track.RecordedCall{Key: c.text(), Tool: c.text(), Input: track.RecordedText{Text: c.textOrNil(), Bytes: c.count(), Digest: c.digest()}}
		call.Exit, call.Error, call.Answered, call.Rejected, call.Output = c.countOrNil(), c.text(), c.isTrue(), c.isTrue(), c.recordedText()
		if whole := c.count(); call.Output != nil {
			call.Output.WholeBytes = whole
		}
		call.StartedAt, call.Duration, call.Request = c.time(), c.duration(), c.count()
		return call
	})
	if err != nil {
		return err
	}
	e.Requests, err = list(ctx, r, listRequests, []any{row}, func(c *cells) track.ModelRequest {
		return track.ModelRequest{Message: c.text(), ID: c.text(), Model: c.text(), Tokens: c.tokens()}
	})
	if err != nil {
		return err
	}
	e.Scores, err = list(ctx, r, listScores, []any{row}, func(c *cells) track.RecordedScore {
		s := track.RecordedScore{
			Rubric: c.text(), Score: c.realOrNil(), Grade: c.text(), NFailed: c.count(), NUnknown: c.count(), Components: c.components(), Detail: jsontext.Value(noDocument),
		}
		if document := c.decompressed(); document != "" {
			s.Detail = jsontext.Value(document)
		}
		s.Active, s.ScoredAt = s.Rubric == e.Rubric, c.time()
		return s
	})
	return err
}

// recordedText reads a text, its size and its digest; nil if it is unknown.
func (c *cells) recordedText() *track.RecordedText {
	text, size, digest := c.textOrNil(), c.integerOrNil(), c.digest()
	if size == nil {
		return nil
	}
	return &track.RecordedText{Digest: digest, Bytes: int(*size), Text: text}
}

// components reads the components of a score, by name.
func (c *cells) components() (list []track.ComponentValue) {
	numbers := c.numbers()
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		component := track.ComponentValue{Name: name}
		if x := numbers[name]; !math.IsNaN(x) {
			component.Value = &x
		}
		list = append(list, component)
	}
	return list
}

const (
	listExecutionRows = `
	SELECT execution.id, (SELECT name FROM lineage WHERE lineage.id = execution.lineage_id) FROM execution WHERE execution.id > $1 ORDER BY execution.id LIMIT $2`
	listAlike = `
	SELECT id FROM execution
	 WHERE lineage_id = (SELECT id FROM lineage WHERE name = $1) AND source = $2 AND key >= $3 AND key < $4 AND structure = $5 AND masking <> $6 ORDER BY id`
)

// ExecutionRows returns at most n rows of executions after a row, with the lineages that they belong to.
func (r *Reader) ExecutionRows(ctx context.Context, after int64, n int) (rows []int64, lineages []string, err error) {
	return rows, lineages, r.each(ctx, listExecutionRows, []any{after, n}, func(c *cells) { rows, lineages = append(rows, c.integer()), append(lineages, c.text()) })
}

// ExecutionsAlike returns the rows of executions of a structure that other rules masked, and whose keys begin with a
// prefix of hexadecimal digits.
func (r *Reader) ExecutionsAlike(ctx context.Context, e ExecutionRecord, prefix string) (rows []int64, err error) {
	return rows, r.selectAll(ctx, &rows, listAlike, e.Lineage, e.Source, prefix, prefix+"g", e.Structure[:], e.Masking)
}

// UsedID is what the service of a model calls an answer, a request or a tool call of an execution.
type UsedID struct {
	Kind IDKind
	ID   string
}

// IDKind says what an id names.
type IDKind string

// The kinds of ids.
const (
	MessageID IDKind = "message"
	RequestID IDKind = "request"
	CallID    IDKind = "call"
)

// The join is ordered, for SQLite: few executions have the ids, many are of the lineage.
const (
	usingRequest = `SELECT DISTINCT execution.id FROM request AS used CROSS JOIN execution WHERE used.`
	usingCall    = `SELECT DISTINCT execution.id FROM call AS used CROSS JOIN execution WHERE used.key <> '' AND used.`
	ofUsers      = ` IN ({list}) AND execution.id = used.execution_id`
	ofLineageToo = ` AND execution.lineage_id = (SELECT id FROM lineage WHERE name = $1)`
)

// ExecutionsUsing returns the rows of the executions of a lineage that have one of the ids, in no order.
func (r *Reader) ExecutionsUsing(ctx context.Context, lineage string, ids []UsedID) ([]int64, error) {
	const atOnce = 500
	tables := map[IDKind]string{MessageID: usingRequest + `message_id`, RequestID: usingRequest + `request_id`, CallID: usingCall + `key`}
	byKind, found := map[IDKind][]any{}, map[int64]bool{}
	for _, id := range ids {
		byKind[id.Kind] = append(byKind[id.Kind], id.ID)
	}
	for kind, all := range byKind {
		for part := range slices.Chunk(all, atOnce) {
			var c clauses
			c.add(tables[kind]+ofUsers, part)
			c.add(ofLineageToo, lineage)
			query, args := c.statement()
			if err := r.each(ctx, query, args, func(c *cells) { found[c.integer()] = true }); err != nil {
				return nil, err
			}
		}
	}
	return slices.Collect(maps.Keys(found)), nil
}

// Trial is an execution of a version as evidence.
type Trial struct {
	ID                string
	Version           string
	Source, Key, Task string
	At                time.Time // started, or recorded if the start is unknown
	Started           bool      // the start is known
	Status            track.ExecutionStatus
	Open              bool                   // the execution may still go on
	Holdout           bool                   // it was recorded as never used to decide
	Rubric            string                 // of the score, or the kind of score that was asked for; empty if it has none
	Score             *float64               // 0 to 100
	Grade             string                 // of the score
	Components        []track.ComponentValue // of the score; nil unless asked for
	Truth             *float64               // the ground-truth label that was asked for
}

// TrialFilter narrows the executions of a lineage; the zero value asks for all with their own scores.
type TrialFilter struct {
	Versions []string // of one of these versions; nil for all
	// Rubric is the rubric of the scores, or another kind of score: a ground-truth label or a component. It is empty
	// for the rubric that each execution was recorded with.
	Rubric     string
	Truth      string // successful executions that have this ground-truth label
	Components bool   // with the components of the scores: of the default rubric, if the score is another kind
	Ended      bool   // without executions that may still be open
	Newest     int    // at most so many, the newest first; 0 for all, the oldest first
}

const (
	selectTrials = `
	SELECT execution.ulid, (SELECT name FROM version WHERE version.id = execution.version_id), execution.source, execution.key, execution.task, execution.at,
	       execution.started_at IS NOT NULL, execution.status, execution.is_open, execution.holdout, execution.truths,
	       scored.rubric, scored.score, scored.grade, scored.components, described.components
	  FROM execution
	  LEFT JOIN execution_score AS scored ON scored.execution_id = execution.id AND scored.rubric = CASE $1 WHEN '' THEN execution.rubric ELSE $1 END
	  LEFT JOIN execution_score AS described ON described.execution_id = execution.id AND described.rubric = CASE $2 WHEN '' THEN execution.rubric ELSE $2 END
	 WHERE TRUE`
	ofVersions = ` AND execution.version_id IN (SELECT version.id FROM version JOIN lineage ON lineage.id = version.lineage_id WHERE lineage.name = $1
	   AND version.name IN ({list}))`
	trialEnded   = ` AND execution.is_open = 0`
	trialOK      = ` AND execution.status = 'ok'`
	trialLabels  = ` AND execution.truths IS NOT NULL`
	trialsOldest = ` ORDER BY execution.at, execution.id`
)

func (f TrialFilter) query(lineage string) (text string, args []any) {
	source := evolution.ScoreSource(f.Rubric)
	rubric := f.Rubric
	if _, under, isComponent := source.Component(); isComponent {
		rubric = under
	}
	c := clauses{}
	c.add(selectTrials, rubric, string(source.Measured()))
	switch len(f.Versions) {
	case 0:
		c.add(executionsOfLineage, lineage)
	case 1:
		c.add(executionsOfVersion, lineage, f.Versions[0])
	default:
		c.add(ofVersions, lineage, anys(f.Versions))
	}
	if f.Ended {
		c.add(trialEnded)
	}
	if f.Truth != "" {
		c.add(trialOK)
		c.add(trialLabels)
	}
	switch {
	case f.Newest > 0 && f.Truth != "":
		c.add(newestExecuted)
	case f.Newest > 0:
		c.add(newestExecuted)
		c.add(atMost, f.Newest)
	default:
		c.add(trialsOldest)
	}
	return c.statement()
}

// Trials returns executions of a lineage as evidence.
func (r *Reader) Trials(ctx context.Context, lineage string, f TrialFilter) ([]Trial, error) {
	label, isLabel := evolution.ScoreSource(f.Rubric).Truth()
	component, _, isComponent := evolution.ScoreSource(f.Rubric).Component()
	query, args := f.query(lineage)
	trials := []Trial{}
	err := r.each(ctx, query, args, func(c *cells) {
		t := Trial{
			ID: c.text(), Version: c.text(), Source: c.text(), Key: c.text(), Task: c.text(), At: c.time(), Started: c.isTrue(), Status: track.ExecutionStatus(c.text()),
			Open: c.isTrue(), Holdout: c.isTrue(),
		}
		truths := c.numbers()
		t.Rubric, t.Score, t.Grade = c.text(), c.realOrNil(), c.text()
		if own := c.components(); isComponent {
			t.Rubric, t.Score, t.Grade = "", nil, ""
			if i := slices.IndexFunc(own, func(v track.ComponentValue) bool { return v.Name == component }); i >= 0 {
				t.Score = own[i].Value
			}
		} else if isLabel {
			t.Rubric, t.Score, t.Grade = "", valueIn(truths, label), ""
		}
		if (isLabel || isComponent) && t.Score != nil {
			t.Rubric = f.Rubric
		}
		if f.Components {
			t.Components = c.components()
		}
		if t.Truth = valueIn(truths, f.Truth); f.Truth == "" || t.Truth != nil {
			trials = append(trials, t)
		}
	})
	if err != nil {
		return nil, err
	}
	if f.Newest > 0 {
		trials = trials[:min(len(trials), f.Newest)]
	}
	if len(trials) == 0 && f.Truth != "" {
		return nil, r.noTruth(ctx, lineage, f.Truth)
	}
	return trials, nil
}

func valueIn(numbers map[string]float64, name string) *float64 {
	if x, known := numbers[name]; known {
		return &x
	}
	return nil
}

// noTruth returns an error that names the ground-truth labels of the executions of a lineage.
func (r *Reader) noTruth(ctx context.Context, lineage, truth string) error {
	if _, err := r.Versions(ctx, lineage); err != nil {
		return err
	}
	names := map[string]bool{}
	err := r.each(ctx, listLabels+ofLabelledLineage, []any{lineage}, func(c *cells) {
		c.next += 2
		for name := range c.numbers() {
			names[name] = true
		}
	})
	if err != nil {
		return err
	}
	known := "nothing is known to be true of its executions: import a benchmark that says so"
	if len(names) > 0 {
		known = fmt.Sprintf("known of its executions: %v", slices.Sorted(maps.Keys(names)))
	}
	return track.WithHint(fmt.Errorf("truth %s of lineage %s: %w", truth, lineage, track.ErrNotFound), track.Hint{Text: known})
}

// Label is a ground-truth label of an execution.
type Label struct {
	Execution string // ULID
	Version   string
	Name      string
	Value     float64
}

const (
	listLabels = `
	SELECT execution.ulid, (SELECT name FROM version WHERE version.id = execution.version_id), execution.truths FROM execution WHERE execution.truths IS NOT NULL`
	ofLabelledLineage = ` AND execution.lineage_id = (SELECT id FROM lineage WHERE name = $1)`
	ofLabelledVersion = ` AND execution.version_id = (SELECT version.id FROM version JOIN lineage ON lineage.id = version.lineage_id
	       WHERE lineage.name = $1 AND version.name = $2)`
	ofNewestOfLineage = ` AND execution.id IN (SELECT id FROM execution WHERE lineage_id = (SELECT id FROM lineage WHERE name = $1) ORDER BY at DESC, id DESC LIMIT $2)`
)

func (r *Reader) labels(ctx context.Context, where string, args ...any) (labels []Label, err error) {
	return labels, r.each(ctx, listLabels+where+trialsOldest, args, func(c *cells) {
		label := Label{Execution: c.text(), Version: c.text()}
		truths := c.numbers()
		for _, name := range slices.Sorted(maps.Keys(truths)) {
			label.Name, label.Value = name, truths[name]
			labels = append(labels, label)
		}
	})
}

// Labels returns the ground-truth labels of the newest executions of a lineage; of all for 0.
func (r *Reader) Labels(ctx context.Context, lineage Evolving, newest int) ([]Label, error) {
	if newest == 0 {
		return r.labels(ctx, ofLabelledLineage, lineage.Name)
	}
	return r.labels(ctx, ofNewestOfLineage, lineage.Name, newest)
}

// VersionLabels returns the ground-truth labels of the executions of a version.
func (r *Reader) VersionLabels(ctx context.Context, lineage Evolving, version string) ([]Label, error) {
	return r.labels(ctx, ofLabelledVersion, lineage.Name, version)
}

// Measure is what an execution of a version took.
type Measure struct {
	Version  string
	CostUSD  *float64
	Tokens   *int64   // in and out
	Duration *float64 // in seconds
}

const listMeasures = `
	SELECT (SELECT name FROM version WHERE version.id = execution.version_id), execution.cost_usd,
	       CASE WHEN execution.tokens_input IS NOT NULL OR execution.tokens_output IS NOT NULL THEN coalesce(execution.tokens_input, 0) + coalesce(execution.tokens_output, 0) END,
	       execution.duration_us / 1e6
	  FROM execution WHERE execution.lineage_id = $1 AND execution.is_open = 0 ORDER BY execution.at, execution.id`

// Measures returns what the ended executions of a lineage took, the oldest first.
func (r *Reader) Measures(ctx context.Context, lineage Evolving) ([]Measure, error) {
	return list(ctx, r, listMeasures, []any{lineage.ID}, func(c *cells) Measure { return Measure{c.text(), c.realOrNil(), c.integerOrNil(), c.realOrNil()} })
}

// LineageTotals are sums over the executions of a lineage, or the seeds of a scenario.
type LineageTotals struct {
	Executions   int
	Failed       int
	CostUSD      float64
	NCost        int // of which the cost is known
	TokensInput  int64
	TokensOutput int64
	NTokens      int
	Seconds      float64
	NSeconds     int
}

const (
	totalExecutions = `
	SELECT count(*), count(*) FILTER (WHERE status <> 'ok'), coalesce(sum(cost_usd), 0.0), count(cost_usd),
	       coalesce(sum(tokens_input), 0), coalesce(sum(tokens_output), 0), count(coalesce(tokens_input, tokens_output)),
	       coalesce(sum(duration_us), 0) / 1e6, count(duration_us)
	  FROM execution WHERE lineage_id = $1`
	totalSeeds = `
	SELECT count(*), count(*) FILTER (WHERE outcome <> 'ok'), 0.0, 0, 0, 0, 0, coalesce(sum(duration_us), 0) / 1e6, count(duration_us)
	  FROM seed WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1) AND superseded_at IS NULL`
	sumTrials = `
	SELECT count(*), coalesce(sum(coalesce(tokens_input, 0) + coalesce(tokens_output, 0)), 0), coalesce(sum(cost_usd), 0.0)
	  FROM execution WHERE lineage_id = $1 AND source = $2`
	sumProposals    = `SELECT count(*), coalesce(sum(cost_usd), 0.0) FROM mutation WHERE lineage_id = $1 AND source IS NULL`
	hasKey          = `SELECT 1 FROM execution WHERE lineage_id = $1 AND source = $2 AND key = $3`
	countExecutions = `SELECT count(*) FROM execution WHERE lineage_id = $1`
)

func (c *cells) lineageTotals() LineageTotals {
	return LineageTotals{c.count(), c.count(), c.real(), c.count(), c.integer(), c.integer(), c.count(), c.real(), c.count()}
}

// ExecutionTotals sums up the executions of a lineage.
func (r *Reader) ExecutionTotals(ctx context.Context, lineage Evolving) (LineageTotals, error) {
	totals, err := first(ctx, r, totalExecutions, []any{lineage.ID}, (*cells).lineageTotals)
	return orZero(totals), err
}

// ScenarioTotals sums up the seeds of a scenario.
func (r *Reader) ScenarioTotals(ctx context.Context, scenario string) (LineageTotals, error) {
	totals, err := first(ctx, r, totalSeeds, []any{scenario}, (*cells).lineageTotals)
	return orZero(totals), err
}

// Spending returns what the executions of a lineage from one source have cost, and the mutations that were proposed
// here.
func (r *Reader) Spending(ctx context.Context, lineage Evolving, source string) (s evolution.Spending, err error) {
	err = r.each(ctx, sumTrials, []any{lineage.ID, source}, func(c *cells) { s.Trials, s.Tokens, s.CostUSD = c.count(), c.integer(), c.real() })
	if err != nil {
		return s, err
	}
	return s, r.each(ctx, sumProposals, []any{lineage.ID}, func(c *cells) { s.Mutations, s.CostUSD = c.count(), s.CostUSD+c.real() })
}

// HasKey reports whether an execution of a source is recorded under a key.
func (r *Reader) HasKey(ctx context.Context, lineage Evolving, source, key string) (bool, error) {
	return r.exists(ctx, hasKey, lineage.ID, source, key)
}

// CountExecutions counts the executions of a lineage.
func (r *Reader) CountExecutions(ctx context.Context, lineage Evolving) (n int, err error) {
	return n, r.get(ctx, &n, countExecutions, lineage.ID)
}
