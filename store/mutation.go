package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
	"track/evolution"
)

// Mutation is a mutation with its state.
type Mutation struct {
	ID         int64
	Key        string
	Number     int // in the order of the proposals, from 1
	Parents    []string
	Child      string
	Operator   string
	Risk       evolution.Risk
	Note       string
	CostUSD    *float64
	Source     string
	State      evolution.MutationState
	NAttempts  int
	Delta      *float64 // of the last decision
	ProposedAt time.Time
}

// mutation reads a row of [mutationsFrom].
func (c *cells) mutation() Mutation {
	m := Mutation{
		ID: c.integer(), Key: c.text(), Number: int(c.integer()), Child: c.text(), Operator: c.text(), Risk: evolution.Risk(c.text()), Note: c.text(), CostUSD: c.real(),
		Source: c.text(), State: evolution.MutationState(c.text()), NAttempts: int(c.integer()), Delta: c.real(), ProposedAt: fromMicros(c.integer()),
	}
	if parents := c.text(); parents != "" { // names with a line break between: names have none
		m.Parents = strings.Split(parents, "\n")
	}
	return m
}

const (
	mutationsFrom = `
	SELECT mutation.id, mutation.key, mutation.number, child.name AS child, mutation.operator, mutation.risk, coalesce(mutation.note, '') AS note, mutation.cost_usd,
	       coalesce(mutation.source, '') AS source,
	       mutation.state, mutation.n_attempts, mutation.delta, mutation.proposed_at,
	       coalesce((SELECT string_agg(version.name, '
' ORDER BY mutation_parent.position) FROM mutation_parent JOIN version ON version.id = mutation_parent.version_id
	           WHERE mutation_parent.mutation_id = mutation.id), '') AS parents
	  FROM mutation JOIN version AS child ON child.id = mutation.child_id`
	selectMutations = mutationsFrom + ` WHERE mutation.lineage_id = $1`
	insertMutation  = `
	INSERT INTO mutation (lineage_id, key, number, child_id, operator, risk, note, cost_usd, source, state, n_attempts, delta, proposed_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, NULL, $11) RETURNING id`
	insertParent     = `INSERT INTO mutation_parent (mutation_id, position, version_id) VALUES ($1, $2, $3)`
	setMutationState = `UPDATE mutation SET state = $1, n_attempts = $2, delta = $3 WHERE id = $4`
	countMutations   = `SELECT coalesce(max(number), 0) FROM mutation WHERE lineage_id = $1`
)

// MutationFilter narrows a list of mutations; the zero value asks for all.
type MutationFilter struct {
	Open   bool // only mutations that are not decided yet
	State  evolution.MutationState
	Child  string // of this version
	Before int    // with a lower number; 0 for any
	Newest int    // at most so many, the newest first; 0 for all, the oldest first
}

const (
	whichAreOpen   = ` AND mutation.state IN ('proposed', 'continue')` // as the index has it
	inState        = ` AND mutation.state = $1`
	beforeNumber   = ` AND mutation.number < $1`
	toChild        = ` AND mutation.child_id = (SELECT id FROM version WHERE lineage_id = $1 AND name = $2)`
	byNumber       = ` ORDER BY mutation.number`
	byNumberOfFew  = ` ORDER BY NOINDEX mutation.number` // few are of a child
	newestByNumber = ` DESC LIMIT $1`
)

func (f MutationFilter) query(lineage int64) (query string, args []any) {
	c := clauses{}
	c.add(selectMutations, lineage)
	if f.Open {
		c.add(whichAreOpen)
	}
	if f.State != "" {
		c.add(inState, string(f.State))
	}
	if f.Before > 0 {
		c.add(beforeNumber, f.Before)
	}
	if f.Child != "" {
		c.add(toChild, lineage, f.Child)
		c.add(byNumberOfFew)
	} else {
		c.add(byNumber)
	}
	if f.Newest > 0 {
		c.add(newestByNumber, f.Newest)
	}
	return c.statement()
}

// Mutations returns mutations of a lineage.
func (r *Reader) Mutations(ctx context.Context, lineage Evolving, filter MutationFilter) ([]Mutation, error) {
	query, args := filter.query(lineage.ID)
	return r.mutations(ctx, query, args...)
}

func (r *Reader) mutations(ctx context.Context, query string, args ...any) ([]Mutation, error) {
	list := []Mutation{}
	err := r.streamCells(ctx, query, args, func(c *cells) { list = append(list, c.mutation()) })
	return list, err
}

const getMutation = selectMutations + ` AND mutation.key = $2`

// Mutation returns the mutation with a key.
func (r *Reader) Mutation(ctx context.Context, lineage Evolving, key string) (Mutation, error) {
	list, err := r.mutations(ctx, getMutation, lineage.ID, key)
	switch {
	case err != nil:
		return Mutation{}, err
	case len(list) == 0:
		return Mutation{}, track.WithHint(fmt.Errorf("mutation %s of lineage %s: %w", key, lineage.Name, track.ErrNotFound), track.NewHint("list the mutations", "mutation list").With("lineage", lineage.Name))
	}
	return list[0], nil
}

// Few mutations are of the version, many of the lineage.
const getMutationOf = mutationsFrom + `
	 WHERE NOINDEX mutation.lineage_id = $1 AND mutation.id IN (
	     SELECT id FROM mutation WHERE child_id = (SELECT id FROM version WHERE lineage_id = $1 AND name = $2)
	      UNION ALL
	     SELECT mutation_id FROM mutation_parent WHERE version_id = (SELECT id FROM version WHERE lineage_id = $1 AND name = $2))
	 ORDER BY NOINDEX mutation.number LIMIT 1`

// MutationOf returns the first mutation whose child, or one of whose parents, a version is.
func (r *Reader) MutationOf(ctx context.Context, lineage Evolving, version string) (Mutation, error) {
	list, err := r.mutations(ctx, getMutationOf, lineage.ID, version)
	switch {
	case err != nil:
		return Mutation{}, err
	case len(list) == 0:
		return Mutation{}, fmt.Errorf("mutation of version %s of lineage %s: %w", version, lineage.Name, track.ErrNotFound)
	}
	return list[0], nil
}

const findMutations = `
	SELECT name FROM lineage WHERE EXISTS (SELECT 1 FROM mutation WHERE mutation.lineage_id = lineage.id AND mutation.key = $1) ORDER BY name`

// MutationLineage returns the lineage of a mutation. It returns an error if several lineages have a mutation with this
// key.
func (r *Reader) MutationLineage(ctx context.Context, key string) (string, error) {
	var names []string
	if err := r.read().SelectContext(ctx, &names, findMutations, key); err != nil {
		return "", explain(err)
	}
	switch len(names) {
	case 0:
		return "", track.WithHint(fmt.Errorf("mutation %s: %w", key, track.ErrNotFound), track.NewHint("list the mutations of a lineage", "mutation list").With("lineage", "NAME"))
	case 1:
		return names[0], nil
	}
	return "", track.WithHint(fmt.Errorf("mutation %s is %w: lineages %s have one of that name", key, track.ErrAmbiguous, strings.Join(names, ", ")), track.Hint{Text: "name the lineage"}.With("lineage", "NAME"))
}

// NMutations counts the mutations of a lineage.
func (r *Reader) NMutations(ctx context.Context, lineage Evolving) (n int, err error) {
	return n, explain(r.read().GetContext(ctx, &n, countMutations, lineage.ID))
}

// AddMutation stores a mutation, whose parents and child are versions that are there.
func (t *Tx) AddMutation(lineage Evolving, m Mutation) error {
	child, err := t.versionID(lineage.ID, m.Child)
	if err == nil {
		err = t.checkNames(fields{{"mutation", m.Key}, {"operator", m.Operator}, {"source", m.Source}})
	}
	if err != nil {
		return err
	}
	var id int64
	err = t.getID(&id, insertMutation, lineage.ID, m.Key, m.Number, child, m.Operator, string(m.Risk), nullText(m.Note), m.CostUSD, nullText(m.Source), string(m.State), micros(m.ProposedAt))
	for i, name := range m.Parents {
		if err != nil {
			return err
		}
		var parent int64
		if parent, err = t.versionID(lineage.ID, name); err == nil {
			_, err = t.exec(insertParent, id, i, parent)
		}
	}
	return err
}

// SetMutationState stores the state of a mutation after an entry of the ledger.
func (t *Tx) SetMutationState(m Mutation) error {
	_, err := t.exec(setMutationState, string(m.State), m.NAttempts, m.Delta, m.ID)
	return err
}

const (
	listOutcomes  = `SELECT key, operator, risk, state, delta, cost_usd FROM mutation WHERE lineage_id = $1 ORDER BY number`
	listProposed  = `SELECT number, proposed_at, risk FROM mutation WHERE lineage_id = $1 AND proposed_at > $2 AND state <> 'refused' AND source IS NULL`
	countOutcomes = `SELECT state, count(*) FROM mutation WHERE lineage_id = $1 GROUP BY state`
)

// MutationOutcome is the outcome of a mutation, without its content.
type MutationOutcome struct {
	Key      string
	Operator string
	Risk     evolution.Risk
	State    evolution.MutationState
	Delta    *float64
	CostUSD  *float64
}

// MutationOutcomes returns the outcomes of all mutations of a lineage, in the order of their proposals.
func (r *Reader) MutationOutcomes(ctx context.Context, lineage Evolving) (list []MutationOutcome, err error) {
	return list, r.streamCells(ctx, listOutcomes, []any{lineage.ID}, func(c *cells) {
		list = append(list, MutationOutcome{c.text(), c.text(), evolution.Risk(c.text()), evolution.MutationState(c.text()), c.real(), c.real()})
	})
}

// CountOutcomes counts the mutations of a lineage by their state.
func (r *Reader) CountOutcomes(ctx context.Context, lineage Evolving) (map[evolution.MutationState]int, error) {
	counts := map[evolution.MutationState]int{}
	return counts, r.streamCells(ctx, countOutcomes, []any{lineage.ID}, func(c *cells) { counts[evolution.MutationState(c.text())] = int(c.integer()) })
}

// ProposedSince returns the mutations proposed here after a time and not refused, in the order of their proposals.
func (r *Reader) ProposedSince(ctx context.Context, lineage Evolving, since time.Time) ([]evolution.PastMutation, error) {
	type proposed struct {
		number int64
		evolution.PastMutation
	}
	var rows []proposed
	err := r.streamCells(ctx, listProposed, []any{lineage.ID, micros(since)}, func(c *cells) {
		rows = append(rows, proposed{c.integer(), evolution.PastMutation{At: fromMicros(c.integer()), Risk: evolution.Risk(c.text())}})
	})
	slices.SortFunc(rows, func(a, b proposed) int { return cmp.Compare(a.number, b.number) })
	list := make([]evolution.PastMutation, len(rows))
	for i, row := range rows {
		list[i] = row.PastMutation
	}
	return list, err
}

const (
	findVersionByContent = `SELECT name FROM version WHERE lineage_id = $1 AND content_digest = $2 ORDER BY created_at, id LIMIT 1`
	hasVersion           = `SELECT count(*) FROM version WHERE lineage_id = $1 AND name = $2`
	countVersions        = `SELECT count(*) FROM version WHERE lineage_id = $1`
	setContent           = `UPDATE version SET content = $1, content_digest = $2, masking = $3 WHERE id = $4`
)

// AddVersionName adds a version by its name alone, unless it exists.
func (t *Tx) AddVersionName(lineage int64, name string) error {
	_, err := t.versionID(lineage, name)
	return err
}

// AddContent stores a content of a lineage, to the byte, and returns the name of the version that has it: the one that
// had it before, or a new one.
func (t *Tx) AddContent(lineage int64, content string) (name string, added bool, err error) {
	digest := sha256.Sum256([]byte(content))
	if err = t.get(&name, findVersionByContent, lineage, digest[:]); !errors.Is(err, sql.ErrNoRows) {
		return name, false, err
	}
	var n, taken int64
	if err = t.getID(&n, countVersions, lineage); err != nil {
		return "", false, err
	}
	for {
		n++
		name = evolution.VersionLabel(int(n))
		if err = t.getID(&taken, hasVersion, lineage, name); err != nil {
			return "", false, err
		}
		if taken == 0 {
			break
		}
	}
	id, err := t.versionID(lineage, name)
	if err == nil {
		err = t.execSealed(sealedVersions(), id, setContent, content, digest[:], t.texts.Version, id)
	}
	return name, true, err
}
