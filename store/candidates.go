package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

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
	haveSeeds     = ` AND {has_seeds}`
	ofAnyLabel    = ` AND configuration.label = $1`
	ofNoLabel     = ` AND configuration.label IS NULL`
	ofHashes      = ` AND configuration.hash >= $1 AND configuration.hash < $2`
	ofCommits     = ` AND configuration.commit_id >= $1 AND configuration.commit_id < $2`
	ofStoredParam = ` AND configuration.params IN ({list})`
	firstBefore   = ` AND scenario_configuration.id < (SELECT id FROM scenario_configuration AS own WHERE own.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND own.configuration_id = $2)`

	countCandidates = `SELECT count(*) AS n, count(*) FILTER (WHERE label IS NOT NULL) AS n_labelled, coalesce(min(configuration.params) = max(configuration.params), TRUE) AS alike`
	groupedByCode   = ` GROUP BY configuration.commit_id, configuration.dirty, configuration.diff_hash, configuration.files_hash, configuration.state_unknown
	HAVING (configuration.commit_id IS NOT NULL OR configuration.files_hash IS NOT NULL) AND min(coalesce(configuration.label, '')) <> max(coalesce(configuration.label, '')) LIMIT 1`
	listDistinct  = `SELECT DISTINCT configuration.params`
	listNewest    = `SELECT ` + configurationColumns + `, {n_seeds} AS n_seeds`
	newestOfEach  = ` AND scenario_configuration.id IN (SELECT max(scenario_configuration.id)`
	byParamsLabel = ` GROUP BY configuration.params, configuration.label)`
)

// narrowed returns the rows of the candidates after a beginning.
func (c Candidates) narrowed(b *clauses) {
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
		b.addList(ofStoredParam, anys(c.Params)...)
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
	var b clauses
	b.add(countCandidates)
	c.narrowed(&b)
	query, args := b.statement()
	var row struct {
		N         int  `db:"n"`
		NLabelled int  `db:"n_labelled"`
		Alike     bool `db:"alike"`
	}
	if err := r.read().GetContext(ctx, &row, query, args...); err != nil {
		return choice, explain(err)
	}
	choice = Choice{N: row.N, SameParams: row.Alike}
	if row.N < 2 || row.NLabelled == 0 {
		return choice, nil
	}
	b = clauses{}
	b.add(`SELECT 1`)
	c.narrowed(&b)
	b.add(groupedByCode)
	query, args = b.statement()
	err = r.stream(ctx, query, args, func([]driver.Value) { choice.LabelsDiffer = true })
	return choice, explain(err)
}

// Candidate is a candidate with the number of its seeds.
type Candidate struct {
	Configuration
	NSeeds int
}

// ListCandidates returns the newest candidates by their first seeds, at most limit of them. If distinct, only the
// newest of those that have the same parameters and label is one of them.
func (r *Reader) ListCandidates(ctx context.Context, c Candidates, distinct bool, limit int) ([]Candidate, error) {
	query, args := c.list(distinct, limit)
	var rows []struct {
		configurationRow
		NSeeds int `db:"n_seeds"`
	}
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	list := make([]Candidate, len(rows))
	for i, row := range rows {
		if err := row.check(); err != nil {
			return nil, err
		}
		list[i] = Candidate{row.configuration(), row.NSeeds}
	}
	return list, nil
}

func (c Candidates) list(distinct bool, limit int) (query string, args []any) {
	var b clauses
	b.add(listNewest)
	c.narrowed(&b)
	if distinct {
		b.add(newestOfEach)
		c.narrowed(&b)
		b.add(byParamsLabel)
	}
	b.add(newestFirst)
	if limit >= 0 {
		b.add(atMost, limit)
	}
	return b.statement()
}

// ParamsWith returns the parameters of candidates, as they are stored, in which the named ones have the given values:
// JSON, or a string.
func (r *Reader) ParamsWith(ctx context.Context, c Candidates, values map[string]string) (found []string, err error) {
	var b clauses
	b.add(listDistinct)
	c.narrowed(&b)
	query, args := b.statement()
	var all []string
	if err := r.read().SelectContext(ctx, &all, query, args...); err != nil {
		return nil, explain(err)
	}
	for _, stored := range all {
		var params map[string]jsontext.Value
		if err := json.Unmarshal([]byte(stored), &params); err != nil {
			return nil, fmt.Errorf("%w: params %.40q: %w", track.ErrDamaged, stored, err)
		}
		if hasValues(params, values) {
			found = append(found, stored)
		}
	}
	return found, nil
}

func hasValues(params map[string]jsontext.Value, values map[string]string) bool {
	for name, text := range values {
		stored, has := params[name]
		if !has || !slices.Contains(readings(text), string(stored)) {
			return false
		}
	}
	return true
}

// readings returns the canonical JSON that a text can mean: the value that it is, and a string.
func readings(text string) (list []string) {
	if value := jsontext.Value(text); value.IsValid() && value.Canonicalize() == nil {
		list = append(list, string(value))
	}
	quoted, err := json.Marshal(text)
	if err == nil {
		value := jsontext.Value(quoted)
		if value.Canonicalize() == nil {
			list = append(list, string(value))
		}
	}
	return list
}
