package store

import (
	"context"

	"track"
)

// Annotation is an annotation as it is stored.
type Annotation struct {
	track.Annotation
	ConfigurationID int64
	Hash            string // of the configuration
}

const (
	selectAnnotations = `
	SELECT annotation.ulid, annotation.kind, annotation.removed, scenario.name AS scenario, annotation.subject,
	       coalesce(annotation.note, '') AS note, coalesce(actor.name, '') AS actor, annotation.at,` + configurationColumns + `
	  FROM annotation
	  JOIN scenario ON scenario.id = annotation.scenario_id
	  JOIN configuration ON configuration.id = annotation.configuration_id
	  LEFT JOIN actor ON actor.id = annotation.actor_id`
	inOrderOfTimes          = ` ORDER BY annotation.at, annotation.ulid`
	listAnnotations         = selectAnnotations + inOrderOfTimes
	listScenarioAnnotations = selectAnnotations + ` WHERE annotation.scenario_id = (SELECT id FROM scenario WHERE name = $1)` + inOrderOfTimes
	listOwnAnnotations      = selectAnnotations + `
	 WHERE annotation.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND annotation.configuration_id = $2` + inOrderOfTimes
	hasAnnotation    = `SELECT EXISTS (SELECT 1 FROM annotation WHERE ulid = $1)`
	insertAnnotation = `
	INSERT INTO annotation (ulid, kind, removed, scenario_id, configuration_id, subject, note, actor_id, at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (ulid) DO NOTHING`
)

type annotationRow struct {
	ULID     string `db:"ulid"`
	Kind     string `db:"kind"`
	Removed  bool   `db:"removed"`
	Scenario string `db:"scenario"`
	Subject  string `db:"subject"`
	Note     string `db:"note"`
	Actor    string `db:"actor"`
	At       int64  `db:"at"`
	configurationRow
}

func (r annotationRow) annotation() Annotation {
	return Annotation{
		Annotation: track.Annotation{
			ID: r.ULID, Kind: track.AnnotationKind(r.Kind), Removed: r.Removed, Scenario: r.Scenario, Configuration: r.configuration().Configuration,
			Subject: r.Subject, Text: r.Note, Actor: r.Actor, At: fromMicros(r.At),
		},
		ConfigurationID: r.ID, Hash: r.Hash,
	}
}

// Annotations returns the annotations of all scenarios, or of one if it is not empty, in the order of their times.
func (r *Reader) Annotations(ctx context.Context, scenario string) ([]Annotation, error) {
	if scenario == "" {
		return r.annotations(ctx, listAnnotations)
	}
	return r.annotations(ctx, listScenarioAnnotations, scenario)
}

// AnnotationsOf returns the annotations of a configuration of a scenario, in the order of their times.
func (r *Reader) AnnotationsOf(ctx context.Context, scenario string, configurationID int64) ([]Annotation, error) {
	return r.annotations(ctx, listOwnAnnotations, scenario, configurationID)
}

func (r *Reader) annotations(ctx context.Context, query string, args ...any) ([]Annotation, error) {
	var rows []annotationRow
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	list := make([]Annotation, len(rows))
	for i, row := range rows {
		if err := row.check(); err != nil {
			return nil, err
		}
		list[i] = row.annotation()
	}
	return list, nil
}

// HasAnnotation reports whether an annotation is here.
func (r *Reader) HasAnnotation(ctx context.Context, id string) (has bool, err error) {
	return has, explain(r.read().GetContext(ctx, &has, hasAnnotation, id))
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
	actor, err := t.actorID(a.Actor)
	if err != nil {
		return false, err
	}
	result, err := t.exec(insertAnnotation, a.ID, string(a.Kind), a.Removed, scenario, configuration, a.Subject, nullText(a.Text), actor, micros(a.At))
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	if n > 0 {
		t.added(findAnnotationByULID, a.ID)
	}
	return n > 0, err
}
