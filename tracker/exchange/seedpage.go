package exchange

import (
	"context"
	"slices"

	"track/store"
)

// SeedPage is a page of seeds of another database. Those that may be needed here are there in full.
type SeedPage struct {
	heads   []store.SeedHead
	parts   map[int64]*store.SeedParts
	records map[int64]*store.SeedRecord // by row there
	steps   []seedStep                  // as they were found when the page was read
}

func (*SeedPage) owned() bool { return true } // they bring their judgements

// readSeeds returns the next page of seeds, and loads those that the database here lacks or that differ there.
func (d *Door) readSeeds(ctx context.Context, from *store.SeedPages, after int64, n int, scenarios []string) (*SeedPage, error) {
	heads, err := from.Heads(ctx, after, n, scenarios)
	if err != nil || len(heads) == 0 {
		return nil, err
	}
	page := &SeedPage{heads: heads, records: map[int64]*store.SeedRecord{}}
	rows := make([]int64, len(heads))
	for i, h := range heads {
		rows[i] = h.Row
	}
	if page.parts, err = from.Parts(ctx, rows); err != nil {
		return nil, err
	}
	here := d.store.SeedPages()
	steps, err := page.compare(ctx, here)
	if err != nil {
		return nil, &hereError{err}
	}
	page.steps = steps
	var wanted []store.SeedHead
	for i, s := range steps {
		if s.isWanted(d, heads[i], page.parts[heads[i].Row]) {
			wanted = append(wanted, heads[i])
		}
	}
	records, err := from.Records(ctx, wanted)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		page.records[r.Row] = r
	}
	for i, s := range steps {
		if s.class != seedDiffers {
			continue
		}
		if page.records[heads[i].Row].Predecessors, err = from.Predecessors(ctx, heads[i]); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// isKnown reports whether nothing of the page is to be stored.
func (p *SeedPage) isKnown() bool { return len(p.records) == 0 }

// seedClass says what a seed elsewhere is to the database here.
type seedClass int

const (
	seedNew      seedClass = iota // nothing stands in its place
	seedKnown                     // it is here
	seedEarlier                   // the same was recorded here later: the record that was first counts, in whatever order databases are merged
	seedDiffers                   // another one stands in its place
	seedReplaces                  // it takes the place of the one here, as it did there
	seedReplaced                  // the same was recorded here, and another one has replaced it since
	seedConflict                  // another one stands in its place, and stays
)

// seedStep is what becomes of a seed.
type seedStep struct {
	class seedClass
	here  *store.SeedHead // the same seed, or the one in its place; nil if there is none
	match store.SeedMatch
	parts *store.SeedParts // of the same seed here
}

// isWanted reports whether a seed elsewhere is needed in full: to be stored, or in a dry run to say how it differs.
func (s seedStep) isWanted(d *Door, head store.SeedHead, there *store.SeedParts) bool {
	if d.dryRun {
		return s.class == seedDiffers || s.class == seedConflict
	}
	return s.class != seedKnown || s.lacks(d, head, there)
}

// lacks reports whether the seed here lacks something that belongs to the same seed elsewhere.
func (s seedStep) lacks(d *Door, head store.SeedHead, there *store.SeedParts) bool {
	for _, hash := range there.Specs {
		if slices.Contains(d.specs[head.Scenario], hash) && !slices.Contains(s.parts.Specs, hash) {
			return true
		}
	}
	if there.HasRun && !s.parts.HasRun {
		return true
	}
	for _, id := range there.Repetitions {
		if !slices.Contains(s.parts.Repetitions, id) {
			return true
		}
	}
	for name, kept := range there.Series {
		if keptHere, has := s.parts.Series[name]; !has || kept && !keptHere {
			return true
		}
	}
	return false
}

// compare classifies the seeds of a page, but for those that differ, and lists what belongs to those that are here.
func (p *SeedPage) compare(ctx context.Context, here *store.SeedPages) ([]seedStep, error) {
	matches, err := here.Match(ctx, p.heads)
	if err != nil {
		return nil, err
	}
	steps := make([]seedStep, len(p.heads))
	var rows []int64
	for i, m := range matches {
		steps[i] = compareSeed(p.heads[i], m)
		if s := steps[i]; s.class == seedKnown || s.class == seedEarlier {
			rows = append(rows, s.here.Row)
		}
	}
	parts, err := here.Parts(ctx, rows)
	for i := range steps {
		if s := &steps[i]; s.class == seedKnown || s.class == seedEarlier {
			s.parts = parts[s.here.Row]
		}
	}
	return steps, err
}

// compareSeed classifies a seed. A seed of the same ID is the same seed; without one, its place decides.
func compareSeed(head store.SeedHead, m store.SeedMatch) seedStep {
	s := seedStep{match: m}
	switch {
	case m.Same != nil && m.Same.Digest == head.Digest:
		s.class, s.here = seedKnown, m.Same
	case m.Same != nil:
		s.class, s.here = seedConflict, m.Same
	case m.InPlace == nil:
		s.class = seedNew
	case m.InPlace.Digest != head.Digest:
		s.class, s.here = seedDiffers, m.InPlace
	case head.RecordedAt.Before(m.InPlace.RecordedAt) || head.RecordedAt.Equal(m.InPlace.RecordedAt) && head.ID < m.InPlace.ID:
		s.class, s.here = seedEarlier, m.InPlace
	default:
		s.class, s.here = seedKnown, m.InPlace
	}
	return s
}

// decide settles what becomes of a seed that differs from the one here. What was replaced on one side stays replaced, wherever else the same was
// measured; two seeds that replaced each other are a conflict.
func (d *Door) decide(ctx context.Context, here *store.SeedPages, head store.SeedHead, s *seedStep, record *store.SeedRecord) error {
	if d.superseded == nil {
		var err error
		if d.superseded, err = here.Superseded(ctx); err != nil {
			return err
		}
	}
	replacedHere := hasDigest(d.superseded[head.Place()], head)
	replacedThere := record != nil && hasDigest(record.Predecessors, *s.here)
	switch {
	case replacedHere && !replacedThere:
		s.class = seedReplaced
	case replacedThere && !replacedHere:
		s.class = seedReplaces
	default:
		s.class = seedConflict
	}
	return nil
}

func hasDigest(list []store.SeedHead, head store.SeedHead) bool {
	return slices.ContainsFunc(list, func(h store.SeedHead) bool { return h.Digest == head.Digest })
}

func (p *SeedPage) settle(ctx context.Context, d *Door, r *store.Reader) (answers []Answer, write func(*store.Tx) error, err error) {
	here, steps := r.SeedPages(), p.steps
	if !d.dryRun && !p.isKnown() { // other processes may have recorded since the page was read
		if steps, err = p.compare(ctx, here); err != nil {
			return nil, nil, err
		}
	}
	answers = make([]Answer, len(steps))
	for i := range steps {
		if steps[i].class == seedDiffers {
			if err := d.decide(ctx, here, p.heads[i], &steps[i], p.records[p.heads[i].Row]); err != nil {
				return nil, nil, err
			}
		}
		if answers[i], err = p.answer(ctx, d, r, p.heads[i], steps[i]); err != nil {
			return nil, nil, err
		}
	}
	if p.isKnown() {
		return answers, nil, nil
	}
	return answers, func(tx *store.Tx) error { return p.write(d, tx, steps) }, nil
}

// answer answers for a seed, and counts what it brings along.
func (p *SeedPage) answer(ctx context.Context, d *Door, r *store.Reader, head store.SeedHead, s seedStep) (a Answer, err error) {
	if err := d.countConfiguration(ctx, r, head.Configuration); err != nil {
		return a, err
	}
	there := p.parts[head.Row]
	a = Answer{Kind: KindSeed, Outcome: Known}
	switch s.class {
	case seedNew, seedReplaces:
		a.Outcome = Recorded
		d.counts.Repetitions.Recorded += len(there.Repetitions)
	case seedConflict:
		a.Outcome = Conflicting
		a.Problem, err = p.conflict(ctx, r, head, s)
	case seedKnown, seedEarlier:
		for _, hash := range there.Specs {
			if slices.Contains(d.specs[head.Scenario], hash) && !slices.Contains(s.parts.Specs, hash) {
				d.counts.Assessments++
			}
		}
		for _, id := range there.Repetitions {
			if slices.Contains(s.parts.Repetitions, id) {
				d.counts.Repetitions.Known++
			} else {
				d.counts.Repetitions.Recorded++
			}
		}
	}
	if s.class == seedReplaces {
		d.counts.Superseded++
	}
	return a, err
}

// conflict names a seed that is left out, and what it measured otherwise.
func (p *SeedPage) conflict(ctx context.Context, r *store.Reader, head store.SeedHead, s seedStep) (*Conflict, error) {
	c := &Conflict{Kind: KindSeed, Scenario: head.Scenario, Name: head.Number.String(), Configuration: head.Configuration}
	if s.match.Same != nil {
		c.Reason = "another seed has its id here"
	}
	record := p.records[head.Row]
	if record == nil { // another process has changed the seed here since the page was read
		c.Reason = "another seed has taken its place"
		return c, nil
	}
	c.Label, c.There = record.Seed.Configuration.Label, record.Seed.Outcome
	values, err := r.Values(ctx, s.here.Row)
	if err != nil {
		return nil, err
	}
	if c.Here, _, err = r.Outcome(ctx, s.here.Row); err != nil {
		return nil, err
	}
	c.compareValues(values, record.Values)
	return c, nil
}

// write stores what the steps say.
func (p *SeedPage) write(d *Door, tx *store.Tx, steps []seedStep) error {
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
			if d.superseded != nil && !record.SupersededAt.IsZero() {
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
func (p *SeedPage) supersede(d *Door, carrier *store.SeedCarrier, s seedStep, record *store.SeedRecord) error {
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

// hereError is an error of the database that records are put into, while another one is read.
type hereError struct{ error }

func (e *hereError) Unwrap() error { return e.error }
