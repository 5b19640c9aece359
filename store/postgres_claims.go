package store

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
)

// claimLease is how long a claim holds after its process was last heard of.
const claimLease = 30 * time.Second

const (
	takeClaim = `
	INSERT INTO claim (place, holder, expires_at) VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
	ON CONFLICT (place) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
	       WHERE claim.holder = excluded.holder OR claim.expires_at < clock_timestamp()`
	renewClaims   = `UPDATE claim SET expires_at = clock_timestamp() + make_interval(secs => $1) WHERE holder = $2`
	releaseClaim  = `DELETE FROM claim WHERE place = $1 AND holder = $2`
	releaseClaims = `DELETE FROM claim WHERE holder = $1 OR expires_at < clock_timestamp() - make_interval(secs => $2)`
)

// rowClaims marks places in a table. A mark ends when its process closes it, or is not heard of for a lease.
type rowClaims struct {
	db     *sqlx.DB
	holder string
	ctx    context.Context // of all statements
	end    context.CancelFunc
	ended  chan struct{}
}

// openClaims implements [engine].
func (p postgresSchema) openClaims() (claims, error) {
	ctx, end := context.WithCancel(context.Background())
	db := p.openPool()
	db.SetMaxOpenConns(1)
	c := &rowClaims{db, rand.Text(), ctx, end, make(chan struct{})}
	if err := db.PingContext(ctx); err != nil {
		end()
		return nil, errors.Join(err, db.Close())
	}
	go c.renew()
	return c, nil
}

// renew renews the claims until they are closed. One that cannot be renewed in time is another's: what both then do is
// recorded once.
func (c *rowClaims) renew() {
	defer close(c.ended)
	again := time.NewTicker(claimLease / 3)
	defer again.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-again.C:
			_, _ = c.db.ExecContext(c.ctx, renewClaims, claimLease.Seconds(), c.holder)
		}
	}
}

func (c *rowClaims) take(place int64) (bool, error) {
	result, err := c.db.ExecContext(c.ctx, takeClaim, place, c.holder, claimLease.Seconds())
	if err != nil {
		return false, explain(err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

func (c *rowClaims) release(place int64) error {
	_, err := c.db.ExecContext(c.ctx, releaseClaim, place, c.holder)
	return explain(err)
}

func (c *rowClaims) close() error {
	c.end()
	<-c.ended
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	_, err := c.db.ExecContext(ctx, releaseClaims, c.holder, claimLease.Seconds())
	return explain(errors.Join(err, c.db.Close()))
}
