package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"track"
	"track/access"
	"track/store"
	"track/tracker/exchange"
)

// database is the database that is served. It is opened when it is first needed, and again after a failure to open it,
// such as a schema that somebody has yet to migrate.
type database struct {
	open func(ctx context.Context) (*store.Store, error)

	mu      sync.RWMutex // held for reading while the store is used
	store   *store.Store
	changes *store.Changes
	tokens  store.TokenFinder
	group   *exchange.Group // that records into the store
	ended   bool

	uses tokenUses
}

// use returns the database. Release must be called once unless there is an error.
func (d *database) use(ctx context.Context) (st *store.Store, release func(), err error) {
	d.mu.RLock()
	if d.store != nil {
		return d.store, d.mu.RUnlock, nil
	}
	d.mu.RUnlock()
	if err := d.reopen(ctx); err != nil {
		return nil, nil, err
	}
	return d.use(ctx)
}

// errEnded is the error for a request while the server stops.
var errEnded = fmt.Errorf("%w: the server is stopping", track.ErrDatabase)

func (d *database) reopen(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.ended:
		return errEnded
	case d.store != nil:
		return nil
	}
	st, err := d.open(ctx)
	if err != nil {
		return err
	}
	changes, err := st.Changes(context.WithoutCancel(ctx)) // it outlives the request
	if err != nil {
		return errors.Join(err, st.Close())
	}
	d.store, d.changes, d.tokens, d.group = st, changes, st.TokenFinder(), exchange.NewGroup(st)
	return nil
}

// check opens the database anew, as a new process would. If that fails, for instance because another program has migrated
// it, the one that was open is closed, and the next request meets the failure too.
func (d *database) check(ctx context.Context) error {
	st, err := d.open(ctx)
	if err == nil {
		return st.Close()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Join(err, d.drop())
}

// end closes the database for good.
func (d *database) end() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	return d.drop()
}

func (d *database) drop() error {
	if d.store == nil {
		return nil
	}
	err := errors.Join(d.changes.Close(), d.tokens.Close(), d.store.Close())
	d.store, d.changes, d.tokens, d.group = nil, nil, store.TokenFinder{}, nil
	return err
}

// cursor returns what differs after each commit.
func (d *database) cursor(ctx context.Context) (int64, error) {
	_, release, err := d.use(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	return d.changes.Cursor(ctx)
}

// noteEvery is how often the use of a token is noted.
const noteEvery = 10 * time.Minute

// tokenUses remembers which tokens were used lately.
type tokenUses struct {
	mu    sync.Mutex
	noted map[[sha256.Size]byte]time.Time // by hash: the last use that was noted
}

// isDue reports whether the use of a token is to be noted, and takes it for noted.
func (u *tokenUses) isDue(hash [sha256.Size]byte, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, ok := u.noted[hash]; ok && now.Sub(last) < noteEvery {
		return false
	}
	maps.DeleteFunc(u.noted, func(_ [sha256.Size]byte, last time.Time) bool { return now.Sub(last) >= noteEvery })
	if u.noted == nil {
		u.noted = map[[sha256.Size]byte]time.Time{}
	}
	u.noted[hash] = now
	return true
}

// noteUse notes that a token was used, now and then, and not while the request waits.
func (d *database) noteUse(secret access.Secret, now time.Time) {
	hash := secret.Hash()
	if !d.uses.isDue(hash, now) {
		return
	}
	go func() {
		st, release, err := d.use(context.Background())
		if err != nil {
			return
		}
		defer release()
		_ = st.Update(context.Background(), func(tx *store.Tx) error { return tx.NoteTokenUse(hash[:], now) }) // a time that nobody decides by
	}()
}
