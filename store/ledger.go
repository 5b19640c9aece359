package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
	"track/evolution"
	"track/internal/near"
)

// Evolving is a lineage that has a ledger, with its state.
type Evolving struct {
	ID      int64
	Name    string
	Seed    track.SeedNumber
	Subject string         // agent, or scenario:NAME
	Head    string         // name of the active version; empty for none
	End     evolution.Head // of its ledger
	// TrialsElsewhere counts trials that the ledger refers to and that were not imported with it.
	TrialsElsewhere int
}

const (
	getEvolving = `
	SELECT lineage.id, lineage.name, lineage.seed, lineage.subject, version.name, lineage.n_entries, lineage.last_hash, lineage.trials_elsewhere
	  FROM lineage LEFT JOIN version ON version.id = lineage.head_id
	 WHERE lineage.name = $1 AND ` + hasLedger
	listEvolving = `SELECT name FROM lineage WHERE ` + hasLedger + ` ORDER BY name`
	// A lineage whose seed was taken away still has its entries: replay names it.
	hasLedger          = `(lineage.seed IS NOT NULL OR EXISTS (SELECT 1 FROM ledger WHERE ledger.lineage_id = lineage.id))`
	setEvolving        = `UPDATE lineage SET seed = $1, subject = $2 WHERE id = $3`
	setEnd             = `UPDATE lineage SET n_entries = $1, last_hash = $2, head_id = (SELECT id FROM version WHERE lineage_id = $3 AND name = $4) WHERE id = $3`
	setTrialsElsewhere = `UPDATE lineage SET trials_elsewhere = $1 WHERE id = $2`
	insertEntry        = `
	INSERT INTO ledger (lineage_id, number, kind, mutation, attempt, at, head_before, head_after, body, prev, hash)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	selectEntries = `
	SELECT number, kind, mutation, attempt, at, head_before, head_after, body, prev, hash FROM ledger WHERE lineage_id = $1`
)

// Evolving returns a lineage with a ledger. It returns [track.ErrNotFound] if the lineage has no ledger.
func (r *Reader) Evolving(ctx context.Context, name string) (Evolving, error) {
	e, err := first(ctx, r, getEvolving, []any{name}, func(c *cells) Evolving {
		return Evolving{
			ID: c.integer(), Name: c.text(), Seed: c.number(), Subject: c.text(), Head: c.text(), End: evolution.Head{Number: c.count(), Hash: c.text()},
			TrialsElsewhere: c.count(),
		}
	})
	if err == nil && e == nil {
		err = r.notEvolving(ctx, name)
	}
	return orZero(e), err
}

// StoredLineage is a lineage with its versions and their contents, for a replay that says what is damaged of it.
type StoredLineage struct {
	Evolving
	Versions []VersionState
	Damage   []Damage // of its row and its versions
}

// StoredLineage returns a lineage with a ledger and all its versions that have a name, the oldest first.
func (r *Reader) StoredLineage(ctx context.Context, name string) (s StoredLineage, err error) {
	if s.Evolving, err = r.Evolving(ctx, name); err != nil {
		return s, err
	}
	if s.Versions, err = r.VersionContents(ctx, name); err != nil {
		return s, err
	}
	_, err = r.checkLineages(ctx, s.ID, func(d Damage) { s.Damage = append(s.Damage, d) })
	return s, explain(err)
}

// notEvolving returns the error for a lineage without a ledger, with a hint how to begin one.
func (r *Reader) notEvolving(ctx context.Context, name string) error {
	names, err := r.Lineages(ctx)
	if err != nil {
		return explain(err)
	}
	if slices.Contains(names, name) {
		return track.WithHint(fmt.Errorf("ledger of lineage %s: %w: it has executions, but no ledger yet", name, track.ErrNotFound), track.NewHint("begin its ledger with the versions that it has", "lineage new", name))
	}
	err = fmt.Errorf("lineage %s: %w", name, track.ErrNotFound)
	if meant := near.Nearest(name, names); meant != "" && meant != name {
		err = track.WithHint(err, didYouMean(meant))
	}
	if evolving, listErr := r.EvolvingNames(ctx); listErr == nil && len(evolving) > 0 {
		err = track.WithHint(err, track.Hint{Text: "lineages with a ledger: " + strings.Join(evolving, ", ")})
	}
	return track.WithHint(err, track.NewHint("begin the lineage", "lineage new", name).With("root", "FILE"))
}

const isEvolvingNamed = `SELECT 1 FROM lineage WHERE name = $1 AND ` + hasLedger

// IsEvolving reports whether a lineage has a ledger; false if there is no such lineage.
func (r *Reader) IsEvolving(ctx context.Context, name string) (bool, error) {
	return r.exists(ctx, isEvolvingNamed, name)
}

// EvolvingNames are the names of the lineages that have a ledger, sorted.
func (r *Reader) EvolvingNames(ctx context.Context) (names []string, err error) {
	return names, r.selectAll(ctx, &names, listEvolving)
}

// Evolve gives a lineage, which is made unless it is there, the seed and the subject of its ledger, which is still
// empty.
func (t *Tx) Evolve(name string, seed track.SeedNumber, subject string) (Evolving, error) {
	id, err := t.lineageID(name)
	if err == nil {
		err = t.checkName("subject", subject)
	}
	if err != nil {
		return Evolving{}, err
	}
	err = t.execSealed(sealedLineages(), id, setEvolving, seed, subject, id)
	return Evolving{ID: id, Name: name, Seed: seed, Subject: subject}, err
}

// Append adds the entry that follows on the last one, and moves the end of the ledger and the head of the lineage.
func (t *Tx) Append(lineage int64, e evolution.Entry) error {
	if problem := checkEntry(t.texts, e); problem != nil {
		return problem
	}
	_, err := t.exec(insertEntry, lineage, e.Number, string(e.Kind), nullText(e.Mutation), e.Attempt, micros(e.At), nullText(e.HeadBefore), nullText(e.HeadAfter),
		string(e.Body), nullText(e.Prev), e.Hash)
	if err != nil {
		return err
	}
	t.added(findEntryByHash, lineage, e.Number, e.Hash)
	_, err = t.exec(setEnd, e.Number, e.Hash, lineage, e.HeadAfter)
	return err
}

// SetTrialsElsewhere stores how many trials the ledger of a lineage reckons with that are not here.
func (t *Tx) SetTrialsElsewhere(lineage int64, n int) error {
	return t.execSealed(sealedLineages(), lineage, setTrialsElsewhere, n, lineage)
}

// EntryFilter narrows the entries of a ledger; the zero value asks for all, in their order.
type EntryFilter struct {
	Kinds     []evolution.Kind // of one of these kinds
	Mutations []string         // about one of these mutations
	Moved     bool             // only entries that changed the head
	After     int              // with a higher number
	Newest    int              // at most so many, the newest first; 0 for all, the oldest first
}

const (
	ofKinds        = ` AND kind IN ({list})`
	ofKindsOfFew   = ` AND kind || '' IN ({list})` // a mutation has few entries, a kind may have many: no index is to look for those of the kind
	aboutMutations = ` AND mutation IN ({list})`
	whichMovedHead = ` AND head_before IS DISTINCT FROM head_after`
	afterEntry     = ` AND number > $1`
	oldestFirst    = ` ORDER BY number`
	oldestOfFew    = ` ORDER BY +number` // few entries are about the mutations, many of the lineage
	newestOnly     = ` ORDER BY number DESC LIMIT $1`
)

func (f EntryFilter) query(lineage int64) (query string, args []any) {
	c := clauses{}
	c.add(selectEntries, lineage)
	switch {
	case len(f.Kinds) > 0 && len(f.Mutations) > 0:
		c.add(ofKindsOfFew, anys(f.Kinds))
	case len(f.Kinds) > 0:
		c.add(ofKinds, anys(f.Kinds))
	}
	if len(f.Mutations) > 0 {
		c.add(aboutMutations, anys(f.Mutations))
	}
	if f.Moved {
		c.add(whichMovedHead)
	}
	if f.After > 0 {
		c.add(afterEntry, f.After)
	}
	switch {
	case f.Newest > 0:
		c.add(newestOnly, f.Newest)
	case len(f.Mutations) > 1:
		c.add(oldestOfFew)
	default:
		c.add(oldestFirst)
	}
	return c.statement()
}

// Entries returns entries of the ledger of a lineage.
func (r *Reader) Entries(ctx context.Context, lineage Evolving, filter EntryFilter) ([]evolution.Entry, error) {
	query, args := filter.query(lineage.ID)
	entries := []evolution.Entry{}
	return entries, r.each(ctx, query, args, func(c *cells) {
		entries = append(entries, evolution.Entry{
			Lineage: lineage.Name, Number: c.count(), Kind: evolution.Kind(c.text()), Mutation: c.text(), Attempt: c.countOrNil(), At: c.time(), HeadBefore: c.text(),
			HeadAfter: c.text(), Body: json.RawMessage(c.text()), Prev: c.text(), Hash: c.text(),
		})
	})
}

// NewestEntries returns the newest entry of each of the given kinds; none of a kind that the ledger has none of.
func (r *Reader) NewestEntries(ctx context.Context, lineage Evolving, kinds ...evolution.Kind) (map[evolution.Kind]evolution.Entry, error) {
	newest := make(map[evolution.Kind]evolution.Entry, len(kinds))
	for _, kind := range kinds { // each by the index
		entries, err := r.Entries(ctx, lineage, EntryFilter{Kinds: []evolution.Kind{kind}, Newest: 1})
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			newest[kind] = e
		}
	}
	return newest, nil
}

const isRun = `
	SELECT 1 FROM ledger JOIN lineage ON lineage.id = ledger.lineage_id
	 WHERE lineage.name = $1 AND ledger.number = 1 AND coalesce(body ->> 'source', '') <> ''`

// IsRun reports whether a lineage is a run of another evolver that was imported.
func (r *Reader) IsRun(ctx context.Context, lineage string) (bool, error) {
	return r.exists(ctx, isRun, lineage)
}

const getScale = `
	SELECT body -> 'settings' ->> 'scale' FROM ledger JOIN lineage ON lineage.id = ledger.lineage_id
	 WHERE lineage.name = $1 AND ledger.number = coalesce(
	       (SELECT max(number) FROM ledger AS e WHERE e.lineage_id = lineage.id AND e.kind = 'settings'),
	       (SELECT max(number) FROM ledger AS e WHERE e.lineage_id = lineage.id AND e.kind = 'creation'))`

// IsUnbounded reports whether the scores of a lineage have another scale than 0 to 100; false if it has no ledger.
func (r *Reader) IsUnbounded(ctx context.Context, lineage string) (bool, error) {
	scale, err := first(ctx, r, getScale, []any{lineage}, (*cells).textOrNil)
	return orZero(scale) != nil, err
}

// HeadChange is an entry that changed the active version, without its body.
type HeadChange struct {
	Number   int
	Kind     evolution.Kind
	Mutation string
	Before   string
	After    string
	Trigger  string // of a rollback
}

const listHeadChanges = `
	SELECT number, kind, mutation, head_before, head_after, CASE kind WHEN 'rollback' THEN body ->> 'trigger' END
	  FROM ledger WHERE lineage_id = $1 AND head_before IS DISTINCT FROM head_after ORDER BY number`

// HeadChanges returns the entries of a lineage that changed the active version, in their order.
func (r *Reader) HeadChanges(ctx context.Context, lineage Evolving) ([]HeadChange, error) {
	return list(ctx, r, listHeadChanges, []any{lineage.ID}, func(c *cells) HeadChange {
		return HeadChange{c.count(), evolution.Kind(c.text()), c.text(), c.text(), c.text(), c.text()}
	})
}

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
		ID: c.integer(), Key: c.text(), Number: c.count(), Child: c.text(), Operator: c.text(), Risk: evolution.Risk(c.text()), Note: c.text(), CostUSD: c.realOrNil(),
		Source: c.text(), State: evolution.MutationState(c.text()), NAttempts: c.count(), Delta: c.realOrNil(), ProposedAt: c.time(),
	}
	if parents := c.text(); parents != "" { // names with a line break between: names have none
		m.Parents = strings.Split(parents, "\n")
	}
	return m
}

const (
	mutationsFrom = `
	SELECT mutation.id, mutation.key, mutation.number, child.name, mutation.operator, mutation.risk, mutation.note, mutation.cost_usd, mutation.source, mutation.state,
	       mutation.n_attempts, mutation.delta, mutation.proposed_at,
	       (SELECT string_agg(version.name, '
' ORDER BY mutation_parent.position) FROM mutation_parent JOIN version ON version.id = mutation_parent.version_id
	           WHERE mutation_parent.mutation_id = mutation.id)
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
	byNumberOfFew  = ` ORDER BY +mutation.number` // few are of a child
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
	mutations := []Mutation{}
	return mutations, r.each(ctx, query, args, func(c *cells) { mutations = append(mutations, c.mutation()) })
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
	 WHERE +mutation.lineage_id = $1 AND mutation.id IN (
	     SELECT id FROM mutation WHERE child_id = (SELECT id FROM version WHERE lineage_id = $1 AND name = $2)
	      UNION ALL
	     SELECT mutation_id FROM mutation_parent WHERE version_id = (SELECT id FROM version WHERE lineage_id = $1 AND name = $2))
	 ORDER BY +mutation.number LIMIT 1`

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
	if err := r.selectAll(ctx, &names, findMutations, key); err != nil {
		return "", err
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
	return n, r.get(ctx, &n, countMutations, lineage.ID)
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
	id, err := t.addRow(insertMutation, lineage.ID, m.Key, m.Number, child, m.Operator, string(m.Risk), nullText(m.Note), m.CostUSD, nullText(m.Source), string(m.State), micros(m.ProposedAt))
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
	listMutationOutcomes = `SELECT key, operator, risk, state, delta, cost_usd FROM mutation WHERE lineage_id = $1 ORDER BY number`
	listProposed         = `
	SELECT proposed_at, risk FROM mutation WHERE lineage_id = $1 AND proposed_at > $2 AND state <> 'refused' AND source IS NULL ORDER BY +number`
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
func (r *Reader) MutationOutcomes(ctx context.Context, lineage Evolving) ([]MutationOutcome, error) {
	return list(ctx, r, listMutationOutcomes, []any{lineage.ID}, func(c *cells) MutationOutcome {
		return MutationOutcome{c.text(), c.text(), evolution.Risk(c.text()), evolution.MutationState(c.text()), c.realOrNil(), c.realOrNil()}
	})
}

// CountOutcomes counts the mutations of a lineage by their state.
func (r *Reader) CountOutcomes(ctx context.Context, lineage Evolving) (map[evolution.MutationState]int, error) {
	counts := map[evolution.MutationState]int{}
	return counts, r.each(ctx, countOutcomes, []any{lineage.ID}, func(c *cells) { counts[evolution.MutationState(c.text())] = c.count() })
}

// ProposedSince returns the mutations proposed here after a time and not refused, in the order of their proposals.
func (r *Reader) ProposedSince(ctx context.Context, lineage Evolving, since time.Time) ([]evolution.PastMutation, error) {
	return list(ctx, r, listProposed, []any{lineage.ID, micros(since)}, func(c *cells) evolution.PastMutation {
		return evolution.PastMutation{At: c.time(), Risk: evolution.Risk(c.text())}
	})
}

const (
	findVersionByContent = `SELECT name FROM version WHERE lineage_id = $1 AND content_digest = $2 ORDER BY created_at, id LIMIT 1`
	hasVersion           = `SELECT 1 FROM version WHERE lineage_id = $1 AND name = $2`
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
	if err = t.get(&name, findVersionByContent, lineage, digest[:]); !isNoRows(err) {
		return name, false, err
	}
	var n int64
	if err = t.getID(&n, countVersions, lineage); err != nil {
		return "", false, err
	}
	for isTaken := true; isTaken && err == nil; {
		n++
		name = evolution.VersionLabel(int(n))
		isTaken, err = t.exists(t.ctx, hasVersion, lineage, name)
	}
	if err != nil {
		return "", false, err
	}
	id, err := t.versionID(lineage, name)
	if err == nil {
		err = t.execSealed(sealedVersions(), id, setContent, content, digest[:], t.texts.Version, id)
	}
	return name, true, err
}
