package server

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// requestRate bounds the requests of all together.
type requestRate struct {
	limiter *rate.Limiter // nil for no bound
	now     func() time.Time
}

func newRequestRate(perSecond float64, now func() time.Time) requestRate {
	if perSecond == 0 {
		return requestRate{}
	}
	return requestRate{rate.NewLimiter(rate.Limit(perSecond), max(1, int(2*perSecond))), now}
}

// allow reports whether a request may be answered now, and if not, when.
func (r requestRate) allow() (wait time.Duration, ok bool) {
	if r.limiter == nil {
		return 0, true
	}
	now := r.now()
	asked := r.limiter.ReserveN(now, 1)
	if wait = asked.DelayFrom(now); wait == 0 {
		return 0, true
	}
	asked.CancelAt(now)
	return wait, false
}

// refuseRate answers a request that is one too many.
func refuseRate(w http.ResponseWriter, perSecond float64, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	refuse(w, http.StatusTooManyRequests, fmt.Errorf("more than %g requests a second: wait %s", perSecond, wait.Round(time.Millisecond)))
}
