package store

import (
	"context"
	"time"

	"track"
	"track/evolution"
)

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
	// Rubric is the rubric of the scores, or another kind of score: a ground-truth label or a component. It is empty for
	// the rubric that each execution was recorded with.
	Rubric     string
	Truth      string // successful executions that have this ground-truth label
	Components bool   // with the components of the scores
	Ended      bool   // without executions that may still be open
	Newest     int    // at most so many, the newest first; 0 for all, the oldest first
}

const (
	trialColumns = `
	SELECT execution.id AS row_id, execution.ulid, coalesce((SELECT name FROM version WHERE version.id = execution.version_id), '') AS version,
	       execution.source, execution.key, coalesce(execution.task, '') AS task, execution.at, execution.started_at IS NOT NULL AS started, execution.status, execution.is_open,
	       execution.holdout, `
	trialScore = `coalesce(execution_score.rubric, '') AS rubric, execution_score.score, coalesce(execution_score.grade, '') AS grade, `
	trialsFrom = `
	  FROM execution LEFT JOIN execution_score ON execution_score.execution_id = execution.id
	       AND execution_score.rubric = CASE $1 WHEN '' THEN execution.rubric ELSE $1 END`
	selectTrials         = trialColumns + trialScore + `NULL AS truth` + trialsFrom
	selectTruthTrials    = trialColumns + trialScore + `truth.value AS truth` + trialsFrom
	selectLabelledTrials = trialColumns + `CASE WHEN label.value IS NULL THEN '' ELSE $1 END AS rubric, label.value AS score, '' AS grade, NULL AS truth
	  FROM execution LEFT JOIN truth AS label ON label.execution_id = execution.id AND label.name = $2`
	selectMeasuredTrials = trialColumns + `CASE WHEN measured.value IS NULL THEN '' ELSE $1 END AS rubric, measured.value AS score, '' AS grade, NULL AS truth
	  FROM execution LEFT JOIN component AS measured ON measured.execution_id = execution.id AND measured.rubric = $2 AND measured.name = $3`
	selectTrialComponents = `
	SELECT component.execution_id, component.name, component.value
	  FROM execution JOIN component ON component.execution_id = execution.id
	       AND component.rubric = CASE $1 WHEN '' THEN execution.rubric ELSE $1 END`
	withTruth = `
	  JOIN truth ON truth.execution_id = execution.id AND truth.name = $1`
	ofNewestTrials = `
	 WHERE execution.id IN (SELECT execution.id FROM execution`
	endOfNewestTrials = `)`

	ofLineage = `
	 WHERE execution.lineage_id = (SELECT id FROM lineage WHERE name = $1)`
	ofVersion = `
	 WHERE execution.version_id = (SELECT version.id FROM version JOIN lineage ON lineage.id = version.lineage_id WHERE lineage.name = $1 AND version.name = $2)`
	ofVersions = `
	 WHERE execution.version_id IN (SELECT version.id FROM version JOIN lineage ON lineage.id = version.lineage_id WHERE lineage.name = $1`
	namedVersions = ` AND version.name IN ({list}))`
	trialEnded    = ` AND execution.is_open = 0`
	trialOK       = ` AND execution.status = 'ok'`
	trialsOldest  = ` ORDER BY execution.at, execution.id`
	trialsNewest  = ` ORDER BY execution.at DESC, execution.id DESC LIMIT $1`
)

// addWhere adds the condition that chooses executions.
func (f TrialFilter) addWhere(c *clauses, lineage string) {
	switch len(f.Versions) {
	case 0:
		c.add(ofLineage, lineage)
	case 1:
		c.add(ofVersion, lineage, f.Versions[0])
	default:
		c.add(ofVersions, lineage)
		c.addList(namedVersions, anys(f.Versions)...)
	}
	if f.Ended {
		c.add(trialEnded)
	}
	if f.Truth != "" {
		c.add(trialOK)
	}
}

// query returns the statement that reads executions.
func (f TrialFilter) query(lineage string) (text string, args []any) {
	c := clauses{}
	label, isLabel := evolution.ScoreSource(f.Rubric).Truth()
	component, rubric, isComponent := evolution.ScoreSource(f.Rubric).Component()
	switch {
	case isLabel:
		c.add(selectLabelledTrials, f.Rubric, label)
	case isComponent:
		c.add(selectMeasuredTrials, f.Rubric, rubric, component)
	case f.Truth == "":
		c.add(selectTrials, f.Rubric)
	default:
		c.add(selectTruthTrials, f.Rubric)
		c.add(withTruth, f.Truth)
	}
	f.addWhere(&c, lineage)
	if f.Newest > 0 {
		c.add(trialsNewest, f.Newest)
	} else {
		c.add(trialsOldest)
	}
	return c.statement()
}

// componentsQuery returns the statement that reads their components: of the default rubric, if the score is another
// kind.
func (f TrialFilter) componentsQuery(lineage string) (text string, args []any) {
	c := clauses{}
	c.add(selectTrialComponents, string(evolution.ScoreSource(f.Rubric).Measured()))
	if f.Truth != "" {
		c.add(withTruth, f.Truth)
	}
	if f.Newest == 0 {
		f.addWhere(&c, lineage)
		return c.statement()
	}
	c.add(ofNewestTrials)
	f.addWhere(&c, lineage)
	c.add(trialsNewest, f.Newest)
	c.add(endOfNewestTrials)
	return c.statement()
}

// Trials returns executions of a lineage as evidence.
func (r *Reader) Trials(ctx context.Context, lineage string, f TrialFilter) (list []Trial, err error) {
	if !f.Components {
		list, _, err = r.trials(ctx, lineage, f)
		return list, explain(err)
	}
	err = r.Snapshot(ctx, func(r *Reader) error {
		var ids []int64
		if list, ids, err = r.trials(ctx, lineage, f); err != nil || len(list) == 0 {
			return err
		}
		text, args := f.componentsQuery(lineage)
		components, err := r.components(ctx, text, args...)
		for i, id := range ids {
			list[i].Components = components[id]
		}
		return err
	})
	return list, explain(err)
}

// trials also returns the ids of the rows.
func (r *Reader) trials(ctx context.Context, lineage string, f TrialFilter) (list []Trial, ids []int64, err error) {
	list, ids = []Trial{}, []int64{}
	text, args := f.query(lineage)
	err = r.streamCells(ctx, text, args, func(c *cells) {
		ids = append(ids, c.integer())
		list = append(list, Trial{
			ID: c.text(), Version: c.text(), Source: c.text(), Key: c.text(), Task: c.text(), At: fromMicros(c.integer()), Started: c.isTrue(),
			Status: track.ExecutionStatus(c.text()), Open: c.isTrue(), Holdout: c.isTrue(), Rubric: c.text(), Score: c.real(), Grade: c.text(), Truth: c.real(),
		})
	})
	if err == nil && len(list) == 0 && f.Truth != "" {
		err = r.noTruth(ctx, lineage, f.Truth)
	}
	return list, ids, err
}

const (
	countExecutions = `SELECT count(*) FROM execution WHERE lineage_id = $1`
	countSeeds      = `SELECT count(*) FROM seed WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1)`
)

// CountExecutions counts the executions of a lineage.
func (r *Reader) CountExecutions(ctx context.Context, lineage Evolving) (n int, err error) {
	return n, explain(r.read().GetContext(ctx, &n, countExecutions, lineage.ID))
}

// CountSeeds counts the seeds of a scenario, including superseded ones.
func (r *Reader) CountSeeds(ctx context.Context, scenario string) (n int, err error) {
	return n, explain(r.read().GetContext(ctx, &n, countSeeds, scenario))
}
