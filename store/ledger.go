package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
	SELECT lineage.id, lineage.name, coalesce(lineage.seed, 0) AS seed, lineage.subject, coalesce(version.name, '') AS head, lineage.n_entries, coalesce(lineage.last_hash, '') AS last_hash,
	       lineage.trials_elsewhere
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
	SELECT number, kind, coalesce(mutation, '') AS mutation, attempt, at, coalesce(head_before, '') AS head_before,
	       coalesce(head_after, '') AS head_after, body, coalesce(prev, '') AS prev, hash FROM ledger WHERE lineage_id = $1`
)

// Evolving returns a lineage with a ledger. It returns [track.ErrNotFound] if the lineage has no ledger.
func (r *Reader) Evolving(ctx context.Context, name string) (e Evolving, err error) {
	n := 0
	err = r.streamCells(ctx, getEvolving, []any{name}, func(c *cells) {
		n++
		e = Evolving{
			ID: c.integer(), Name: c.text(), Seed: track.SeedNumber(c.integer()), Subject: c.text(), Head: c.text(),
			End: evolution.Head{Number: int(c.integer()), Hash: c.text()}, TrialsElsewhere: int(c.integer()),
		}
	})
	if err == nil && n == 0 {
		err = r.notEvolving(ctx, name)
	}
	return e, err
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
	for _, known := range names {
		if known == name {
			return track.WithHint(fmt.Errorf("ledger of lineage %s: %w: it has executions, but no ledger yet", name, track.ErrNotFound), track.NewHint("begin its ledger with the versions that it has", "lineage new", name))

		}
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

const isEvolvingNamed = `SELECT ` + hasLedger + ` FROM lineage WHERE name = $1`

// IsEvolving reports whether a lineage has a ledger; false if there is no such lineage.
func (r *Reader) IsEvolving(ctx context.Context, name string) (evolving bool, err error) {
	err = r.read().GetContext(ctx, &evolving, isEvolvingNamed, name)
	if isNoRows(err) {
		return false, nil
	}
	return evolving, explain(err)
}

// EvolvingNames are the names of the lineages that have a ledger, sorted.
func (r *Reader) EvolvingNames(ctx context.Context) (names []string, err error) {
	return names, explain(r.read().SelectContext(ctx, &names, listEvolving))
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
	attempt := sql.NullInt64{}
	if e.Attempt != nil {
		attempt = sql.NullInt64{Int64: int64(*e.Attempt), Valid: true}
	}
	_, err := t.exec(insertEntry, lineage, e.Number, string(e.Kind), nullText(e.Mutation), attempt, micros(e.At), nullText(e.HeadBefore), nullText(e.HeadAfter),
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

// entries reads entries of the ledger of a lineage.
func (r *Reader) entries(ctx context.Context, lineage Evolving, query string, args []any) (list []evolution.Entry, err error) {
	list = []evolution.Entry{}
	return list, r.streamCells(ctx, query, args, func(c *cells) {
		e := evolution.Entry{Lineage: lineage.Name, Number: int(c.integer()), Kind: evolution.Kind(c.text()), Mutation: c.text()}
		if n := c.optionalInteger(); n != nil {
			attempt := int(*n)
			e.Attempt = &attempt
		}
		e.At, e.HeadBefore, e.HeadAfter, e.Body, e.Prev, e.Hash = fromMicros(c.integer()), c.text(), c.text(), json.RawMessage(c.text()), c.text(), c.text()
		list = append(list, e)
	})
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
	ofKindsOfFew   = ` AND NOINDEX kind IN ({list})` // a mutation has few entries, a kind may have many: look for those of the mutation
	aboutMutations = ` AND mutation IN ({list})`
	whichMovedHead = ` AND head_before IS DISTINCT FROM head_after`
	afterEntry     = ` AND number > $1`
	oldestFirst    = ` ORDER BY number`
	oldestOfFew    = ` ORDER BY NOINDEX number` // few entries are about the mutations, many of the lineage
	newestOnly     = ` ORDER BY number DESC LIMIT $1`
)

func (f EntryFilter) query(lineage int64) (query string, args []any) {
	c := clauses{}
	c.add(selectEntries, lineage)
	switch {
	case len(f.Kinds) > 0 && len(f.Mutations) > 0:
		c.addList(ofKindsOfFew, anys(f.Kinds)...)
	case len(f.Kinds) > 0:
		c.addList(ofKinds, anys(f.Kinds)...)
	}
	if len(f.Mutations) > 0 {
		c.addList(aboutMutations, anys(f.Mutations)...)
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
	return r.entries(ctx, lineage, query, args)
}

const (
	newestEntries = selectEntries + ` AND number IN (`
	newestOfKind  = `(SELECT max(number) FROM ledger WHERE lineage_id = $1 AND kind = $2)` // each by the index
)

func newestEntriesQuery(lineage int64, kinds []evolution.Kind) (query string, args []any) {
	c := clauses{}
	c.add(newestEntries, lineage)
	for i, kind := range kinds {
		if i > 0 {
			c.add(", ")
		}
		c.add(newestOfKind, lineage, kind)
	}
	c.add(")")
	return c.statement()
}

// NewestEntries returns the newest entry of each of the given kinds; none of a kind that the ledger has none of.
func (r *Reader) NewestEntries(ctx context.Context, lineage Evolving, kinds ...evolution.Kind) (map[evolution.Kind]evolution.Entry, error) {
	query, args := newestEntriesQuery(lineage.ID, kinds)
	list, err := r.entries(ctx, lineage, query, args)
	newest := make(map[evolution.Kind]evolution.Entry, len(list))
	for _, e := range list {
		newest[e.Kind] = e
	}
	return newest, err
}

const isRun = `
	SELECT count(*) FROM ledger JOIN lineage ON lineage.id = ledger.lineage_id
	 WHERE lineage.name = $1 AND ledger.number = 1 AND coalesce(body ->> 'source', '') <> ''`

// IsRun reports whether a lineage is a run of another evolver that was imported.
func (r *Reader) IsRun(ctx context.Context, lineage string) (is bool, err error) {
	n := 0
	err = r.read().GetContext(ctx, &n, isRun, lineage)
	return n > 0, explain(err)
}

const getScale = `
	SELECT body -> 'settings' ->> 'scale' FROM ledger JOIN lineage ON lineage.id = ledger.lineage_id
	 WHERE lineage.name = $1 AND ledger.number = coalesce(
	       (SELECT max(number) FROM ledger AS e WHERE e.lineage_id = lineage.id AND e.kind = 'settings'),
	       (SELECT max(number) FROM ledger AS e WHERE e.lineage_id = lineage.id AND e.kind = 'creation'))`

// IsUnbounded reports whether the scores of a lineage have another scale than 0 to 100; false if it has no ledger.
func (r *Reader) IsUnbounded(ctx context.Context, lineage string) (bool, error) {
	var scale *string
	err := r.read().GetContext(ctx, &scale, getScale, lineage)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return scale != nil, explain(err)
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

const (
	selectHeadChanges = `
	SELECT number, kind, coalesce(mutation, '') AS mutation, coalesce(head_before, '') AS head_before, coalesce(head_after, '') AS head_after,
	       CASE kind WHEN 'rollback' THEN coalesce(body ->> 'trigger', '') ELSE '' END AS trigger FROM ledger WHERE lineage_id = $1 AND head_before IS DISTINCT FROM head_after`
	listHeadChanges = selectHeadChanges + ` ORDER BY number`
)

// HeadChanges returns the entries of a lineage that changed the active version, in their order.
func (r *Reader) HeadChanges(ctx context.Context, lineage Evolving) (list []HeadChange, err error) {
	return list, r.streamCells(ctx, listHeadChanges, []any{lineage.ID}, func(c *cells) {
		list = append(list, HeadChange{int(c.integer()), evolution.Kind(c.text()), c.text(), c.text(), c.text(), c.text()})
	})
}
