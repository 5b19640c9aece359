package store

import (
	"context"
	"database/sql"
)

// PinRecord is a pin as it is stored.
type PinRecord struct {
	Baseline
	Previous string // ULID of the pin that it replaced; empty for none
}

// PinRecords returns all pins in the order in which they were recorded here.
func (r *Reader) PinRecords(ctx context.Context) ([]PinRecord, error) {
	var rows []struct {
		Previous sql.NullString `db:"previous_ulid"`
		baselineRow
	}
	if err := r.read().SelectContext(ctx, &rows, listPinRows); err != nil {
		return nil, explain(err)
	}
	records := make([]PinRecord, len(rows))
	for i, row := range rows {
		pin, err := row.baseline()
		if err != nil {
			return nil, err
		}
		records[i] = PinRecord{pin, row.Previous.String}
	}
	return records, nil
}

// CarryPin stores a pin of another database.
func (t *Tx) CarryPin(p PinRecord) error {
	scenario, err := t.scenarioID(p.Scenario)
	if err != nil {
		return err
	}
	var configuration any
	if p.Configuration != nil {
		if configuration, err = t.configurationID(p.Configuration.Configuration); err != nil {
			return err
		}
	}
	actor, err := t.actorID(p.Actor)
	if err != nil {
		return err
	}
	if _, err := t.exec(carryPin, p.ULID, scenario, configuration, t.free(p.Reason), actor, micros(p.SetAt)); err != nil || p.Previous == "" {
		return err
	}
	_, err = t.exec(carryPreviousPin, p.Previous, p.ULID)
	return err
}

// LookRecords returns all looks in the order in which they were recorded here.
func (r *Reader) LookRecords(ctx context.Context) ([]Look, error) {
	var rows []lookRow
	if err := r.read().SelectContext(ctx, &rows, listLookRows); err != nil {
		return nil, explain(err)
	}
	return looksOf(rows)
}

// HasLook reports whether a look is here: by its ID, or another one at the same evidence.
func (r *Reader) HasLook(ctx context.Context, l Look) (has bool, err error) {
	if err := r.read().GetContext(ctx, &has, hasLook, l.ULID); err != nil || has {
		return has, explain(err)
	}
	plan, err := planText(l.Plan)
	if err != nil {
		return false, err
	}
	var row struct {
		ULID     string `db:"ulid"`
		LookedAt int64  `db:"looked_at"`
	}
	err = r.read().GetContext(ctx, &row, findLook, l.Question[:], l.Evidence[:], plan)
	if isNoRows(err) {
		return false, nil
	}
	return err == nil, explain(err)
}

// CarryLook stores a look of another database. Of two looks at the same evidence, the earlier one counts.
func (t *Tx) CarryLook(l Look) error {
	plan, err := planText(l.Plan)
	if err != nil {
		return err
	}
	taken := false
	if err := t.get(&taken, hasLook, l.ULID); err != nil || taken {
		return err
	}
	var here struct {
		ULID     string `db:"ulid"`
		LookedAt int64  `db:"looked_at"`
	}
	err = t.get(&here, findLook, l.Question[:], l.Evidence[:], plan)
	at := micros(l.LookedAt)
	switch {
	case isNoRows(err):
		return t.AddLook(l)
	case err != nil || here.LookedAt < at || here.LookedAt == at && here.ULID < l.ULID:
		return err
	}
	_, err = t.exec(earlierLook, l.ULID, string(l.Kind), l.N, l.Anytime, string(l.Verdict), at, here.ULID)
	return err
}
