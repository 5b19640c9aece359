package exchange

import (
	"context"
	"slices"

	"track/store"
)

// seedPage is a page of seeds of another database. Those that may be needed here are loaded in full.
type seedPage struct {
	heads   []store.SeedHead
	parts   map[int64]*store.SeedParts
	records map[int64]*store.SeedRecord // by row there
	steps   []seedStep                  // as they were found when the page was read
}

func (*seedPage) needs() Rights { return BringFacts | bringJudgements }

// readSeeds returns the next page of seeds, and loads those that the database here lacks or that differ there.
func (d *Door) readSeeds(ctx context.Context, from *store.SeedPages, after int64, n int, scenarios []string) (*seedPage, error) {
	heads, err := from.Heads(ctx, after, n, scenarios)
	if err != nil || len(heads) == 0 {
		return nil, err
	}
	page := &seedPage{heads: heads, records: map[int64]*store.SeedRecord{}}
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
	page.bound(d.store.MaxRows())
	for i, s := range page.steps {
		if s.class != seedDiffers {
			continue
		}
		if page.records[heads[i].Row].Predecessors, err = from.Predecessors(ctx, heads[i]); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// bound shortens the page to what writes at most n rows, but to no less than a seed; 0 for any number of rows.
func (p *seedPage) bound(n int) {
	rows := 0
	for i, h := range p.heads {
		if record := p.records[h.Row]; record != nil {
			rows += rowsOf(record)
		}
		if n == 0 || rows <= n || i == 0 {
			continue
		}
		for _, left := range p.heads[i:] {
			delete(p.records, left.Row)
		}
		p.heads, p.steps = p.heads[:i], p.steps[:i]
		return
	}
}

// rowsOf returns how many rows of a server a seed takes, with all that belongs to it.
func rowsOf(r *store.SeedRecord) int {
	n := 2 + 2*len(r.Artifacts) + len(r.Repetitions) + 2*len(r.Assessments)
	for _, s := range r.SeriesParts {
		n += 2 + len(s.Chunks)
	}
	if r.Seed.Run != nil {
		n++
	}
	return n
}

// isKnown reports whether nothing of the page is to be stored.
func (p *seedPage) isKnown() bool { return len(p.records) == 0 }

func (p *seedPage) settle(ctx context.Context, d *Door, r *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	here, steps := r.SeedPages(), p.steps
	if tx != nil { // other processes may have recorded since the page was read
		if steps, err = p.compare(ctx, here); err != nil {
			return nil, err
		}
	}
	answers = make([]Answer, len(steps))
	for i := range steps {
		if steps[i].class == seedDiffers {
			if err := d.decide(ctx, here, p.heads[i], &steps[i], p.records[p.heads[i].Row]); err != nil {
				return nil, err
			}
		}
		if answers[i], err = p.answer(ctx, d, r, p.heads[i], steps[i]); err != nil {
			return nil, err
		}
	}
	if tx == nil {
		return answers, nil
	}
	return answers, p.write(d, tx, steps)
}

// answer answers for a seed, and counts its judgements and repetitions.
func (p *seedPage) answer(ctx context.Context, d *Door, r *store.Reader, head store.SeedHead, s seedStep) (a Answer, err error) {
	if err := d.countConfiguration(ctx, r, head.Configuration); err != nil {
		return a, err
	}
	there := p.parts[head.Row]
	a = Answer{Kind: kindSeed, Outcome: known}
	switch s.class {
	case seedNew, seedReplaces:
		a.Outcome = Recorded
		d.counts.Repetitions.Recorded += len(there.Repetitions)
	case seedConflict:
		a.Outcome = conflicting
		a.Conflict, err = p.conflict(ctx, r, head, s)
	case seedKnown, seedEarlier:
		d.countUnpruned("series", s.parts.Series, there.Series)
		d.countUnpruned("artifact", s.parts.Artifacts, there.Artifacts)
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

// conflict returns the conflict of a seed that is left out, with the values that differ.
func (p *seedPage) conflict(ctx context.Context, r *store.Reader, head store.SeedHead, s seedStep) (*Conflict, error) {
	c := &Conflict{Kind: kindSeed, Scenario: head.Scenario, Name: head.Number.String(), Configuration: head.Configuration}
	if s.match.Same != nil {
		c.Reason = "another seed here has its id"
	}
	record := p.records[head.Row]
	if record == nil { // another process has changed the seed here since the page was read
		c.Reason = "another seed took its place meanwhile"
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
	files, err := r.ArtifactHashes(ctx, s.here.Row)
	if err != nil {
		return nil, err
	}
	c.compareFiles(files, record.Artifacts)
	return c, nil
}
