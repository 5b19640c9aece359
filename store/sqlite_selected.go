package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"track"
)

// The driver takes ten times as long for a seed and its assessment as it takes to decode both. The ids of seeds come
// from an index, and their rows from the pages of the tables.

const listSelectedIDs = `SELECT seed.id FROM seed WHERE {selection} IN SCAN ORDER`

// The columns of the table seed, as its rows have them. The first is the id, which is kept apart from them.
const (
	columnULID = iota + 1
	columnScenario
	columnConfiguration
	columnNumber
	columnOutcome
	columnMessage
	columnDigest
	columnEnvironment
	columnActor
	columnStartedAt
	columnDuration
	columnRecordedAt
	columnChecksum
	columnsOfSeed
)

// scanSelected implements [engine].
func (sqliteFile) scanSelected(ctx context.Context, r *Reader, sel Selection) (seeds []selectedSeed, damage string, err error) {
	ids, err := r.selectedIDs(ctx, sel)
	if err != nil || len(ids) == 0 {
		return nil, "", err
	}
	file, done, err := r.filePages(ctx)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, done()) }()
	shared := *r
	shared.pages = file // so that no part asks for them: the statements of a transaction are for one goroutine
	rows := newSelectedRows(ids)
	if err = rows.scan(ctx, &shared, sel.SpecID); errors.Is(err, errSpilt) {
		return r.querySelected(ctx, sel)
	}
	return rows.seeds, rows.problem, err
}

// selectedIDs returns the ids of the seeds of a selection, in the order of the index.
func (r *Reader) selectedIDs(ctx context.Context, sel Selection) (ids []int64, err error) {
	if len(sel.Seeds) > 0 { // SQLite finds the few that are meant
		err = r.streamSelected(ctx, sel, listSelectedIDs, nil, func(row []driver.Value) { ids = append(ids, asInt(row[0])) })
		return ids, err
	}
	var scenario int64
	if err := r.read().GetContext(ctx, &scenario, findScenario, sel.Scenario); errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	configurations := slices.Clone(sel.Configurations)
	slices.Sort(configurations)
	for _, configuration := range slices.Compact(configurations) {
		err := scanIndex(ctx, r, "seed_identity", []int64{scenario, configuration}, func(row *pageRow) {
			row.skip() // the number
			ids = append(ids, row.integer())
		})
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// selectedRows gathers the rows of seeds and their assessments. It keeps what is wrong with the first damaged seed.
type selectedRows struct {
	seeds   []selectedSeed
	ids     []int64 // ascending
	places  []int   // of their seeds
	problem string
	damaged int // the place of the seed with the problem
	buffer  []byte
}

func newSelectedRows(ids []int64) *selectedRows {
	s := &selectedRows{seeds: make([]selectedSeed, len(ids)), ids: ids, places: make([]int, len(ids)), damaged: len(ids)}
	for i := range ids {
		s.places[i] = i
	}
	if !slices.IsSorted(ids) {
		slices.SortStableFunc(s.places, func(a, b int) int { return cmp.Compare(ids[a], ids[b]) })
		s.ids = slices.Sorted(slices.Values(ids))
	}
	return s
}

// smallestPart is how many seeds are worth a goroutine.
const smallestPart = 128

// scan reads the rows of the seeds and their assessments, on all processors. The reader must have its pages.
func (s *selectedRows) scan(ctx context.Context, r *Reader, specID int64) error {
	parts := s.parts(min(runtime.GOMAXPROCS(0), 1+len(s.ids)/smallestPart))
	failures := make([]error, len(parts))
	var group sync.WaitGroup
	for i, part := range parts {
		group.Go(func() {
			defer catchDamage(&failures[i])
			if failures[i] = part.scanSeeds(ctx, r); failures[i] == nil {
				failures[i] = part.scanAssessments(ctx, r, specID)
			}
		})
	}
	group.Wait()
	for _, part := range parts {
		s.found(part.damaged, part.problem)
	}
	if slices.ContainsFunc(failures, func(err error) bool { return errors.Is(err, errSpilt) }) {
		return errSpilt
	}
	return cmp.Or(failures...)
}

// parts divides the rows into n parts at most, which have different ids and may be scanned at once.
func (s *selectedRows) parts(n int) (parts []*selectedRows) {
	for from, i := 0, 1; i <= n; i++ {
		to := max(from, len(s.ids)*i/n)
		for to > 0 && to < len(s.ids) && s.ids[to] == s.ids[to-1] { // the same id, twice
			to++
		}
		parts = append(parts, &selectedRows{seeds: s.seeds, ids: s.ids[from:to], places: s.places[from:to], damaged: len(s.seeds), buffer: make([]byte, 0, 256)})
		from = to
	}
	return parts
}

func (s *selectedRows) found(place int, problem string) {
	if place < s.damaged {
		s.damaged, s.problem = place, problem
	}
}

// at returns the place of a seed whose id is at index i or behind it, and its index.
func (s *selectedRows) at(i int, id int64) (index, place int) {
	for s.ids[i] != id {
		i++
	}
	return i, s.places[i]
}

func (s *selectedRows) scanSeeds(ctx context.Context, r *Reader) error {
	i, place := 0, 0
	err := scanRowsByID(ctx, r, "seed", s.ids, func(id int64, row *pageRow) {
		i, place = s.at(i, id)
		seed, problem := s.seed(row)
		if seed.id = id; problem != "" {
			s.found(place, problem)
		}
		s.seeds[place] = seed
	})
	for i := 0; i < len(s.ids) && err == nil; i++ {
		if s.seeds[s.places[i]].id == 0 { // it is missing, or an index lists it twice
			err = fmt.Errorf("%w: row %d of seed cannot be found", track.ErrDamaged, s.ids[i])
		}
	}
	return err
}

// seed reads a row of the table seed, and says what is wrong with it.
func (s *selectedRows) seed(row *pageRow) (seed selectedSeed, problem string) {
	var cells [columnsOfSeed]pageCell
	if row.cells(cells[:]); row.err != nil {
		return seed, ""
	}
	s.buffer = s.buffer[:0]
	for k := columnULID; k < columnChecksum; k++ {
		if k != columnActor {
			s.buffer = cells[k].appendTo(s.buffer)
		}
	}
	ulid, digest := string(cells[columnULID].data), cells[columnDigest].data
	if cells[columnChecksum].integer() != sumOf(s.buffer) {
		return seed, "the row of seed " + ulid + " differs from its checksum"
	}
	outcome, known := cells[columnOutcome].outcome()
	if !known || len(digest) != sha256.Size {
		return seed, "seed " + ulid + " has cells of another type"
	}
	return selectedSeed{
		recordedAt: cells[columnRecordedAt].integer(), environment: cells[columnEnvironment].integer(), configuration: cells[columnConfiguration].integer(),
		number: track.SeedNumber(cells[columnNumber].integer()), outcome: outcome, message: string(cells[columnMessage].data), ulid: ulid,
		digest: [sha256.Size]byte(digest), total: math.NaN(),
	}, ""
}

// outcome returns what a cell says of the outcome of a seed.
func (c pageCell) outcome() (outcome track.Outcome, known bool) {
	if string(c.data) == string(track.OutcomeOK) { // which needs no memory
		return track.OutcomeOK, true
	}
	outcome, err := track.ParseOutcome(string(c.data))
	return outcome, err == nil
}

func (s *selectedRows) scanAssessments(ctx context.Context, r *Reader, specID int64) error {
	i, place := 0, 0
	err := r.pool.engine.scanSeeds(ctx, r, "assessment", s.ids, func(id int64, row packedRow) error {
		spec := row.integer()
		if spec != specID {
			return nil
		}
		i, place = s.at(i, id)
		if seed := &s.seeds[place]; !s.assess(seed, spec, row) && row.failure() == nil {
			s.found(place, "the assessment of seed "+seed.ulid+" differs from its checksum")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.findLost(ctx, r, specID)
}

// assess reads the rest of a row of the table assessment, and reports whether it has the checksum of the row.
func (s *selectedRows) assess(seed *selectedSeed, spec int64, row packedRow) bool {
	total, isNull := row.number()
	s.buffer = appendInteger(appendInteger(s.buffer[:0], seed.id), spec)
	if seed.total = total; isNull {
		s.buffer = appendNull(s.buffer)
	} else {
		s.buffer = appendFloat(s.buffer, total)
	}
	for k := range seed.counts {
		n := row.integer()
		seed.counts[k], s.buffer = int32(n), appendInteger(s.buffer, n)
	}
	s.buffer = appendInteger(s.buffer, row.integer()) // when it was judged
	seed.assessed = true
	return row.integer() == sumOf(s.buffer)
}

// findLost finds seeds without an assessment that have results: the page of the assessment is lost.
func (s *selectedRows) findLost(ctx context.Context, r *Reader, specID int64) error {
	var ids []int64
	for i, id := range s.ids {
		if !s.seeds[s.places[i]].assessed {
			ids = append(ids, id)
		}
	}
	i, place := 0, 0
	return r.pool.engine.scanSeeds(ctx, r, "result", ids, func(id int64, row packedRow) error {
		if row.integer() == specID {
			i, place = s.at(i, id)
			s.found(place, "the assessment of seed "+s.seeds[place].ulid+" is lost")
		}
		return nil
	})
}
