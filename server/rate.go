package server

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rates bound the requests of each token. They are kept in memory: a restart of the server forgives what was asked.
type rates struct {
	perSecond float64 // 0 for no bound
	now       func() time.Time

	mu sync.Mutex
	of map[string]*rate.Limiter // by the name of the token
}

// mostRates is the number of names that are kept; beyond it all are forgotten.
const mostRates = 10_000

// allow reports whether somebody may ask now, and if not, when.
func (l *rates) allow(name string) (wait time.Duration, ok bool) {
	if l.perSecond == 0 {
		return 0, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter := l.of[name]
	if limiter == nil {
		if len(l.of) >= mostRates {
			clear(l.of)
		}
		limiter = rate.NewLimiter(rate.Limit(l.perSecond), max(1, int(2*l.perSecond)))
		l.of[name] = limiter
	}
	now := l.now()
	asked := limiter.ReserveN(now, 1)
	if wait = asked.DelayFrom(now); wait == 0 {
		return 0, true
	}
	asked.CancelAt(now)
	return wait, false
}

// refuseRate answers a request of somebody who asks too often.
func refuseRate(w http.ResponseWriter, name string, perSecond float64, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	refuse(w, http.StatusTooManyRequests, fmt.Errorf("%s asked more than %g times a second: wait %s", name, perSecond, wait.Round(time.Millisecond)))
}
