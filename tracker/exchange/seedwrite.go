package exchange

import "track/store"

// write stores what the steps say.
func (p *seedPage) write(d *Door, tx *store.Tx, steps []seedStep) error {
	carrier := tx.SeedCarrier()
	var fresh []*store.SeedRecord
	for i, s := range steps {
		record := p.records[p.heads[i].Row]
		if record == nil {
			continue
		}
		switch s.class {
		case seedReplaces:
			if err := p.supersede(d, carrier, s, record); err != nil {
				return err
			}
			fresh = append(fresh, record)
		case seedNew:
			fresh = append(fresh, record)
			if d.superseded != nil && !record.SupersededAt.IsZero() && !s.match.Withdrawn {
				d.superseded[record.Place()] = append(d.superseded[record.Place()], record.SeedHead)
			}
		}
	}
	unjudged, err := carrier.Add(fresh)
	if err != nil {
		return err
	}
	for scenario, n := range unjudged {
		d.counts.Unjudged[scenario] += n
	}
	for i, s := range steps {
		if record := p.records[p.heads[i].Row]; record != nil && (s.class == seedKnown || s.class == seedEarlier) {
			if err := complete(carrier, s, record); err != nil {
				return err
			}
		}
	}
	return nil
}

// supersede frees the place of a seed here for the one that replaced it elsewhere.
func (p *seedPage) supersede(d *Door, carrier *store.SeedCarrier, s seedStep, record *store.SeedRecord) error {
	at := record.RecordedAt
	for _, before := range record.Predecessors {
		if before.ID == s.here.ID {
			at = before.SupersededAt
		}
	}
	if d.superseded != nil {
		d.superseded[record.Place()] = append(d.superseded[record.Place()], *s.here)
	}
	return carrier.SupersedeAt(s.here.Row, at)
}

// complete adds to a seed here what the same seed elsewhere has.
func complete(carrier *store.SeedCarrier, s seedStep, record *store.SeedRecord) error {
	if s.class == seedEarlier {
		if err := carrier.TakeEarlier(s.here.Row, record); err != nil {
			return err
		}
	}
	if _, err := carrier.AddJudgements(s.here.Row, record, s.parts.Specs); err != nil {
		return err
	}
	return carrier.AddParts(s.here.Row, record)
}
