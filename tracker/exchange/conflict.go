package exchange

import (
	"crypto/sha256"
	"fmt"

	"track"
	"track/store"
	"track/tracker/seeds"
)

// Conflict is a record that is left out, because another record has its identity.
type Conflict struct {
	Kind          Kind   // spec, version, seed, execution or lineage
	Scenario      string // or lineage
	Name          string // version, number of the seed, or key of the execution
	Configuration string // hash, of a seed
	Label         string // of its configuration
	Reason        string
	Here, There   track.Outcome      // of a seed
	Differences   []seeds.Difference // of a seed: the first of them
	NMore         int                // further differences
	Files         []string           // of a seed: names of files that differ
}

// differencesNamed is how many differences of a seed a conflict names.
const differencesNamed = 3

// Describe says what differs.
func (c Conflict) Describe() string {
	if c.Kind != kindSeed || c.Reason != "" {
		return c.Reason
	}
	r := seeds.RecordResult{Outcome: c.Here, Differences: c.Differences, Files: c.Files}
	text := r.DescribeConflict(c.There)
	if c.NMore > 0 {
		text += fmt.Sprintf("; and %d more values", c.NMore)
	}
	return text
}

// compareFiles notes which files of a seed elsewhere differ from those here.
func (c *Conflict) compareFiles(here map[string][sha256.Size]byte, there []store.ArtifactRecord) {
	given := make(map[string][sha256.Size]byte, len(there))
	for _, a := range there {
		given[a.Name] = a.Identity()
	}
	c.Files = seeds.DifferingFiles(here, given)
}

// compareValues notes how a seed elsewhere differs from the one here.
func (c *Conflict) compareValues(here map[string]float64, there []store.ValueRecord) {
	given := make(map[string]float64, len(there))
	for _, v := range there {
		given[v.Metric] = v.Value
	}
	all := seeds.Differences(here, given)
	n := min(len(all), differencesNamed)
	c.Differences, c.NMore = all[:n:n], len(all)-n
}
