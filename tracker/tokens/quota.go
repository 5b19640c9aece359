package tokens

import (
	"context"
	"fmt"
	"strings"
	"time"

	"track"
	"track/access"
	"track/store"
)

// QuotaError is the error for records beyond what a token may record on a day.
type QuotaError struct {
	Holder      string
	Quota, Used access.Quota
	Ends        time.Time // when the day ends, and recording may go on
}

func (e *QuotaError) Error() string {
	var used []string
	if e.Quota.Records > 0 {
		used = append(used, fmt.Sprintf("%d of %d records", e.Used.Records, e.Quota.Records))
	}
	if e.Quota.Bytes > 0 {
		used = append(used, fmt.Sprintf("%d of %d bytes", e.Used.Bytes, e.Quota.Bytes))
	}
	return fmt.Sprintf("the quota of the token %s is used up: it has recorded %s today; send the rest after %s", e.Holder, strings.Join(used, " and "), e.Ends.Format("2006-01-02 15:04 MST"))
}

// Unwrap returns [track.ErrInvalid].
func (*QuotaError) Unwrap() error { return track.ErrInvalid }

// CheckQuota returns a [QuotaError] if a holder can record nothing more today.
func CheckQuota(ctx context.Context, r *store.Reader, grant access.Grant) error {
	if !grant.Quota.IsSet() {
		return nil
	}
	m := Meter{grant: grant}
	if err := m.begin(ctx, r); err != nil {
		return err
	}
	if m.HasRoom() {
		return nil
	}
	return m.Exceeded()
}

// Meter counts what a holder records against the quota of the token. A nil meter counts nothing.
type Meter struct {
	grant    access.Grant
	writer   string
	at       time.Time    // of the transaction
	before   access.Quota // recorded today before the transaction
	added    access.Quota
	exceeded bool
}

// NewMeter returns what counts for a holder; nil if the token has no quota. Writer is as for [store.Tx.AddTokenUse].
func NewMeter(grant access.Grant, writer string) *Meter {
	if !grant.Quota.IsSet() {
		return nil
	}
	return &Meter{grant: grant, writer: writer}
}

// Begin begins to count in a transaction. It may run again.
func (m *Meter) Begin(ctx context.Context, tx *store.Tx) error {
	if m == nil {
		return nil
	}
	return m.begin(ctx, tx.Reader)
}

func (m *Meter) begin(ctx context.Context, r *store.Reader) (err error) {
	m.at, m.added, m.exceeded = r.Now(), access.Quota{}, false
	m.before, err = r.TokenUse(ctx, m.grant.Name, m.at)
	return err
}

func (m *Meter) used() access.Quota {
	return access.Quota{Records: m.before.Records + m.added.Records, Bytes: m.before.Bytes + m.added.Bytes}
}

// HasRoom reports whether another record may follow. If not, [Meter.Exceeded] says why.
func (m *Meter) HasRoom() bool {
	if m == nil {
		return true
	}
	m.exceeded = !m.grant.Quota.Allows(m.used())
	return !m.exceeded
}

// Add counts a record.
func (m *Meter) Add(bytes int64) {
	if m != nil {
		m.added.Records++
		m.added.Bytes += bytes
	}
}

// End writes down what was counted in the transaction.
func (m *Meter) End(tx *store.Tx) error {
	if m == nil || m.added == (access.Quota{}) {
		return nil
	}
	return tx.AddTokenUse(m.grant.Name, m.writer, m.at, m.added)
}

// Exceeded returns a [QuotaError] if there was no room for a record in the last transaction; nil if there was.
func (m *Meter) Exceeded() error {
	if m == nil || !m.exceeded {
		return nil
	}
	return &QuotaError{Holder: m.grant.Name, Quota: m.grant.Quota, Used: m.used(), Ends: access.EndOfDay(m.at)}
}
