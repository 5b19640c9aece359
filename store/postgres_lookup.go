package store

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"track"
)

// listSeedsAt lists the seeds that count at some places. LIMIT lets the server look for each by the index, whatever it
// knows about the size of the table.
const listSeedsAt = `
	SELECT asked.position, here.id, here.digest
	  FROM unnest(CAST($1 AS text[]), CAST($2 AS text[]), CAST($3 AS bigint[])) WITH ORDINALITY AS asked (scenario, configuration, number, position)
	  JOIN scenario ON scenario.name = asked.scenario
	  JOIN configuration ON configuration.hash = asked.configuration
	  JOIN LATERAL (
	       SELECT seed.id, seed.digest FROM seed
	        WHERE seed.scenario_id = scenario.id AND seed.configuration_id = configuration.id AND seed.number = asked.number AND seed.superseded_at IS NULL
	        LIMIT 1) AS here ON true`

// lookUpSeeds implements [engine]. It also takes ids for the seeds that are new.
func (p postgresSchema) lookUpSeeds(t *Tx, seeds []*track.Seed) error {
	if err := p.settle(t.ctx, t.writer, ""); err != nil {
		return err
	}
	places := make([]seedPlace, len(seeds))
	scenarios, hashes, numbers := make([]string, len(seeds)), make([]string, len(seeds)), make([]int64, len(seeds))
	known := map[string]string{}
	for i, seed := range seeds {
		places[i] = seedPlaceOf(seed)
		hash, found := known[places[i].configuration]
		if !found {
			admitted := seed.Configuration
			if err := t.admit(&admitted); err != nil {
				return err
			}
			hash = admitted.Hash()
			known[places[i].configuration] = hash
		}
		scenarios[i], hashes[i], numbers[i] = escapeText(seed.Scenario), hash, int64(seed.Number)
	}
	t.lookedUp = make(map[seedPlace]seedHere, len(seeds))
	for _, place := range places {
		t.lookedUp[place] = seedHere{}
	}
	var questions pgx.Batch
	questions.Queue(listSeedsAt, scenarios, hashes, numbers).Query(func(rows pgx.Rows) error {
		var position int64
		var here seedHere
		var digest []byte
		_, err := pgx.ForEachRow(rows, []any{&position, &here.id, &digest}, func() error {
			copy(here.digest[:], digest)
			t.lookedUp[places[position-1]] = here
			return nil
		})
		return err
	})
	var next int64
	questions.Queue(nextID).QueryRow(func(row pgx.Row) error { return row.Scan(&next) })
	err := t.onDriver(func(conn *pgx.Conn) error { return conn.SendBatch(t.ctx, &questions).Close() })
	t.nextSeedID = max(next, t.lastSeedID+idStep)
	return err
}

// onDriver calls run with the connection of a writer, all of whose rows are read.
func (w *writer) onDriver(run func(*pgx.Conn) error) error {
	return w.conn.Raw(func(driverConn any) error {
		conn, ok := driverConn.(*postgresConn)
		if !ok {
			return fmt.Errorf("the driver connects with %T", driverConn)
		}
		if err := conn.before(nil); err != nil {
			return err
		}
		return conn.explain(run(conn.Conn.Conn()))
	})
}

// takeSeedID returns the id of a seed that was looked up and is new.
func (t *Tx) takeSeedID() int64 {
	id := t.nextSeedID
	t.nextSeedID, t.lastSeedID = id+idStep, id
	return id
}
