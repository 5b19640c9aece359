package store

import (
	"context"

	"track"
)

// SeedMatch is the record here of a seed of another database.
type SeedMatch struct {
	Same      *SeedHead // the seed of the same ID
	InPlace   *SeedHead // the same measurement, or else the seed that counts for the same scenario, configuration and number
	Withdrawn bool      // the measurement does not count here
}

// Match finds seeds of another database here: by their IDs, and those that count there by their identities.
func (p *SeedPages) Match(ctx context.Context, heads []SeedHead) ([]SeedMatch, error) {
	matches := make([]SeedMatch, len(heads))
	byID := make(map[string]int, len(heads))
	ids := make([]any, len(heads))
	for i, h := range heads {
		byID[h.ID], ids[i] = i, h.ID
	}
	rows, err := p.headRows(ctx, `SELECT `+seedHeadColumns+` FROM seed WHERE seed.ulid IN (`+inList(len(ids))+`)`, ids...)
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		if at, ok := byID[row.ID]; ok {
			matches[at].Same = &rows[i].SeedHead
		}
	}
	if err := p.matchIdentities(ctx, thatCount, heads, matches); err != nil {
		return nil, err
	}
	return matches, p.matchWithdrawn(ctx, heads, matches)
}

// matchWithdrawn finds out which measurements are withdrawn here, and finds those that are here as withdrawn ones.
func (p *SeedPages) matchWithdrawn(ctx context.Context, heads []SeedHead, matches []SeedMatch) error {
	if p.anyWithdrawn == nil {
		p.anyWithdrawn = new(bool)
		if err := p.read().GetContext(ctx, p.anyWithdrawn, hasWithdrawals); err != nil {
			return explain(err)
		}
		p.withdrawn = map[string]Withdrawn{}
	}
	for i, h := range heads {
		if !*p.anyWithdrawn {
			matches[i].Withdrawn = h.IsWithdrawn
			continue
		}
		key := h.Scenario + "\x00" + h.Configuration
		of, known := p.withdrawn[key]
		if !known {
			var err error
			if of, err = p.Withdrawn(ctx, h.Scenario, h.Configuration); err != nil {
				return err
			}
			p.withdrawn[key] = of
		}
		matches[i].Withdrawn = of.of(h.Number, h.Digest) != nil || h.IsWithdrawn && !of.hasAction(h.Number, h.Digest)
	}
	if !*p.anyWithdrawn {
		return nil
	}
	return p.matchIdentities(ctx, thatAreWithdrawn, heads, matches)
}

// seedIdentity is what only one seed that counts has.
type seedIdentity struct {
	scenario, configuration int64
	number                  track.SeedNumber
}

func (p *SeedPages) matchIdentities(ctx context.Context, which string, heads []SeedHead, matches []SeedMatch) error {
	byIdentity := make(map[seedIdentity]int, len(heads))
	var args []any
	for i, h := range heads {
		if matches[i].Same != nil || !h.SupersededAt.IsZero() {
			continue
		}
		scenario, configuration, err := p.identityOf(ctx, h)
		if err != nil {
			return err
		}
		if scenario == 0 || configuration == 0 {
			continue
		}
		byIdentity[seedIdentity{scenario, configuration, h.Number}] = i
		args = append(args, scenario, configuration, int64(h.Number))
	}
	if len(args) == 0 {
		return nil
	}
	rows, err := p.headRows(ctx, matchIdentitiesQuery(which, len(args)/3), args...)
	for i, row := range rows {
		at, ok := byIdentity[seedIdentity{row.scenario, row.configuration, row.Number}]
		if ok && (!row.IsWithdrawn || row.Digest == heads[at].Digest) {
			matches[at].InPlace = &rows[i].SeedHead
		}
	}
	return err
}

// Which of the seeds of identities are asked for: an index lists each kind.
const (
	thatAreWithdrawn = `seed.withdrawn_at IS NOT NULL`
	thatCount        = `seed.superseded_at IS NULL`
)

func matchIdentitiesQuery(which string, n int) string {
	return `WITH wanted (scenario_id, configuration_id, number) AS (VALUES ` + typedRowList(n) + `)
		SELECT ` + seedHeadColumns + ` FROM wanted ORDERED JOIN seed ON seed.scenario_id = wanted.scenario_id AND seed.configuration_id = wanted.configuration_id
		   AND seed.number = wanted.number AND ` + which
}

// identityOf returns the ids of the scenario and the configuration of a seed of another database here; 0 for one that
// is not here.
func (p *SeedPages) identityOf(ctx context.Context, h SeedHead) (scenario, configuration int64, err error) {
	if scenario, err = p.id(ctx, findScenario, h.Scenario); err == nil {
		configuration, err = p.id(ctx, findConfiguration, h.Configuration)
	}
	return scenario, configuration, err
}

func (p *SeedPages) id(ctx context.Context, query, key string) (id int64, err error) {
	if id, ok := p.ids[key+query]; ok {
		return id, nil
	}
	err = p.read().GetContext(ctx, &id, query, key)
	if isNoRows(err) {
		return 0, nil
	}
	if err == nil {
		p.ids[key+query] = id
	}
	return id, explain(err)
}
