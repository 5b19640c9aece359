package store

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
)

// defaultLease is how long a claim holds after its process was last heard of, unless [Store.SetLease] says otherwise.
const defaultLease = 30 * time.Second

const (
	takeClaim = `
	INSERT INTO claim (place, holder, expires_at) VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
	ON CONFLICT (place) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
	       WHERE claim.holder = excluded.holder OR claim.expires_at < clock_timestamp()`
	renewClaims   = `UPDATE claim SET expires_at = clock_timestamp() + make_interval(secs => $1) WHERE holder = $2 RETURNING place`
	listClaims    = `SELECT place FROM claim WHERE expires_at > clock_timestamp()`
	releaseClaim  = `DELETE FROM claim WHERE place = $1 AND holder = $2`
	releaseClaims = `DELETE FROM claim WHERE holder = $1 OR expires_at < clock_timestamp() - make_interval(secs => $2)`
)

// rowClaims marks places in a table. A mark ends when its process closes it, or is not heard of for a lease.
type rowClaims struct {
	db     *sqlx.DB
	holder string
	lease  time.Duration
	ctx    context.Context // of all statements
	end    context.CancelFunc
	ended  chan struct{}

	mu   sync.Mutex
	held map[int64]time.Time // places that this process has, and when that was last certain
}

// openClaims implements [engine].
func (p postgresSchema) openClaims(lease time.Duration) (claims, error) {
	ctx, end := context.WithCancel(context.Background())
	db := p.openPool()
	db.SetMaxOpenConns(1)
	c := &rowClaims{db: db, holder: rand.Text(), lease: lease, ctx: ctx, end: end, ended: make(chan struct{}), held: map[int64]time.Time{}}
	if err := db.PingContext(ctx); err != nil {
		end()
		return nil, errors.Join(err, db.Close())
	}
	go c.renewAlways()
	return c, nil
}

// claimed implements [engine].
func (postgresSchema) claimed(ctx context.Context, r *Reader) (places []int64, err error) {
	err = r.read().SelectContext(ctx, &places, listClaims)
	return places, err
}

// renewAlways renews the claims until they are closed. One that cannot be renewed in time may be another's.
func (c *rowClaims) renewAlways() {
	defer close(c.ended)
	again := time.NewTicker(c.lease / 3)
	defer again.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-again.C:
			_ = c.renew()
		}
	}
}

// renew renews the claims that are still this process's, and forgets the others.
func (c *rowClaims) renew() error {
	began := time.Now()
	var places []int64
	err := c.again(func() error {
		places = nil
		return c.db.SelectContext(c.ctx, &places, renewClaims, c.lease.Seconds(), c.holder)
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	renewed := make(map[int64]bool, len(places))
	for _, place := range places {
		renewed[place] = true
	}
	for place, certain := range c.held {
		switch {
		case renewed[place]:
			c.held[place] = began
		case certain.Before(began): // else it was taken meanwhile
			delete(c.held, place)
		}
	}
	return nil
}

// again runs a statement that may run twice, and runs it again if its connection was lost.
func (c *rowClaims) again(run func() error) error {
	err := run()
	if err != nil && isUnreachable(err) {
		err = run()
	}
	return explain(err)
}

func (c *rowClaims) take(place int64) (isTaken bool, err error) {
	began := time.Now()
	err = c.again(func() error {
		result, err := c.db.ExecContext(c.ctx, takeClaim, place, c.holder, c.lease.Seconds())
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		isTaken = n > 0
		return err
	})
	if err == nil && isTaken {
		c.mu.Lock()
		c.held[place] = began
		c.mu.Unlock()
	}
	return isTaken, explainStandby(err)
}

// hasLapsed implements [claims]. The server is asked only if the claim was not renewed for a lease, as after this
// process was stopped.
func (c *rowClaims) hasLapsed(place int64) (bool, error) {
	certain, isHeld := c.certain(place)
	if !isHeld || time.Since(certain) < c.lease {
		return !isHeld, nil
	}
	if err := c.renew(); err != nil {
		return false, err
	}
	_, isHeld = c.certain(place)
	return !isHeld, nil
}

func (c *rowClaims) certain(place int64) (at time.Time, isHeld bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, isHeld = c.held[place]
	return at, isHeld
}

func (c *rowClaims) release(place int64) error {
	c.mu.Lock()
	delete(c.held, place)
	c.mu.Unlock()
	return c.again(func() error {
		_, err := c.db.ExecContext(c.ctx, releaseClaim, place, c.holder)
		return err
	})
}

func (c *rowClaims) close() error {
	c.end()
	<-c.ended
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	_, err := c.db.ExecContext(ctx, releaseClaims, c.holder, c.lease.Seconds())
	return explain(errors.Join(err, c.db.Close()))
}
