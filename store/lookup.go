package store

import (
	"crypto/sha256"
	"maps"

	"track"
)

// seedPlace is what seeds have in common of which one counts.
type seedPlace struct {
	scenario, configuration string // the configuration as [configurationKey] names it
	number                  track.SeedNumber
}

// seedHere is the seed that counts at a place; its id is 0 if there is none.
type seedHere struct {
	id     int64
	digest [sha256.Size]byte
}

func seedPlaceOf(seed *track.Seed) seedPlace {
	return seedPlace{seed.Scenario, configurationKey(seed.Configuration), seed.Number}
}

// LookUpSeeds finds out which of the seeds that the transaction is about to add are recorded. On a server, one question
// for all of them replaces a round trip for each.
func (t *Tx) LookUpSeeds(seeds []*track.Seed) error {
	const fewest = 3 // worth a question
	if len(seeds) < fewest {
		return nil
	}
	return explain(t.engine.lookUpSeeds(t, seeds))
}

// lookUpSeeds implements [engine]: a file is asked faster than a list of seeds is made.
func (sqliteFile) lookUpSeeds(*Tx, []*track.Seed) error { return nil }

// addNewSeed implements [engine]: statements for a row and for its values run as fast one by one.
func (sqliteFile) addNewSeed(*Tx, []any, map[string]float64) (int64, error) { return 0, nil }

// forgetPlaceOf forgets where the seed with this id was looked up, because it does not count there any more.
func (t *Tx) forgetPlaceOf(id int64) {
	maps.DeleteFunc(t.lookedUp, func(_ seedPlace, here seedHere) bool { return here.id == id })
}
