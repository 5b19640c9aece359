package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"

	"track"
	"track/evolution"
	"track/internal/admission"
)

// nameColumns is a query of names, with the field of each column.
type nameColumns struct {
	fields []string
	query  string
}

// carriedNames returns the queries of all names that one database hands to another.
func carriedNames() []nameColumns {
	return []nameColumns{
		{[]string{"scenario"}, `SELECT name FROM scenario`},
		{[]string{"metric"}, `SELECT name FROM metric`},
		{[]string{"group"}, `SELECT DISTINCT metric_group FROM spec_metric`},
		{[]string{"series"}, `SELECT name FROM series_name`},
		{[]string{"actor"}, `SELECT name FROM actor`},
		{[]string{"tool"}, `SELECT name FROM tool`},
		{[]string{"configuration.label", "configuration.commit", "configuration.diff_hash"}, `SELECT label, commit_id, diff_hash FROM configuration`},
		{[]string{"tag"}, `SELECT DISTINCT subject FROM annotation`},
		{[]string{"verdict"}, `SELECT DISTINCT verdict FROM look`},
		{[]string{"run.signal"}, `SELECT DISTINCT signal FROM run`},
		{[]string{"lineage", "subject"}, `SELECT name, subject FROM lineage`},
		{[]string{"version", "operator", "status", "source"}, `SELECT name, operator, status, source FROM version`},
		{[]string{"mutation", "operator", "source"}, `SELECT key, operator, source FROM mutation`},
		{
			[]string{"source", "key", "task", "task_type", "session", "model", "rubric"},
			`SELECT source, key, task, task_type, session, model, rubric FROM execution`,
		},
		{[]string{"calls.key"}, `SELECT key FROM call`},
		{[]string{"requests.model"}, `SELECT DISTINCT model FROM request`},
		{[]string{"truths"}, `SELECT DISTINCT name FROM truth`},
		{[]string{"rubric", "grade"}, `SELECT DISTINCT rubric, grade FROM execution_score`},
		{[]string{"components"}, `SELECT DISTINCT name FROM component`},
	}
}

const (
	listCarriedParams       = `SELECT params FROM configuration`
	listCarriedEnvironments = `SELECT document FROM environment`
	listCarriedLedgers      = `SELECT number, mutation, body FROM ledger`
	listCarriedContents     = `
	SELECT version.name, version.content FROM version JOIN lineage ON lineage.id = version.lineage_id WHERE version.content IS NOT NULL AND ` + hasLedger
)

// CheckNames returns an error if a database must not take over a name, an entry of a ledger or the content of a version
// of this one. What that database holds already passes. So a merge is refused before anything of it is stored.
func (r *Reader) CheckNames(ctx context.Context, to *Reader) error {
	c := nameCheck{ctx: ctx, from: r, to: to, rules: to.texts}
	for _, columns := range carriedNames() {
		c.rows(columns.query, func(row []driver.Value) *track.FieldError {
			for i, field := range columns.fields {
				if problem := c.rules.Name(field, asText(row[i])); problem != nil {
					return problem
				}
			}
			return nil
		})
	}
	c.rows(listCarriedParams, func(row []driver.Value) *track.FieldError {
		_, problem := c.rules.Admit(&track.Configuration{Params: track.Params(asText(row[0]))})
		return problem
	})
	c.rows(listCarriedEnvironments, func(row []driver.Value) (problem *track.FieldError) {
		var e track.Environment
		if err := decodeStored("environment", []byte(asText(row[0])), &e); err != nil {
			return &track.FieldError{Field: "environment", Message: err.Error()}
		}
		for name := range e {
			if problem == nil {
				problem = c.rules.Name("environment", name)
			}
		}
		return problem
	})
	c.rows(listCarriedLedgers, func(row []driver.Value) *track.FieldError {
		return checkEntry(c.rules, evolution.Entry{Number: int(asInt(row[0])), Mutation: asText(row[1]), Body: []byte(asText(row[2]))})
	})
	c.rows(listCarriedContents, func(row []driver.Value) *track.FieldError {
		return c.rules.Unchanged("content of version "+asText(row[0]), asText(row[1]))
	})
	return c.err
}

// nameCheck checks the names that one database hands to another. The first error ends it.
type nameCheck struct {
	ctx      context.Context
	from, to *Reader
	rules    *admission.Rules
	err      error
}

// refusedRow is a row of which something is refused.
type refusedRow struct {
	key     string
	problem *track.FieldError
}

// rows checks what a query finds. Rows that are refused pass if the other database holds them.
func (c *nameCheck) rows(query string, check func(row []driver.Value) *track.FieldError) {
	var refused []refusedRow
	c.each(c.from, query, func(row []driver.Value) {
		if problem := check(row); problem != nil {
			refused = append(refused, refusedRow{rowKey(row), problem})
		}
	})
	if len(refused) == 0 {
		return
	}
	c.each(c.to, query, func(row []driver.Value) {
		key := rowKey(row)
		refused = slices.DeleteFunc(refused, func(r refusedRow) bool { return r.key == key })
	})
	if c.err == nil && len(refused) > 0 {
		c.err = refused[0].problem
	}
}

func (c *nameCheck) each(r *Reader, query string, visit func(row []driver.Value)) {
	if c.err == nil {
		c.err = explain(r.stream(c.ctx, query, nil, visit))
	}
}

func rowKey(row []driver.Value) string { return fmt.Sprintf("%q", row) }
