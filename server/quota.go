package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"track/answer"
	"track/tracker/tokens"
)

// checkQuota returns an error if whoever sends a request can record nothing more today. Nothing of the body is read
// then.
func (s *Server) checkQuota(r *http.Request) error {
	grant := grantOf(r.Context())
	if !grant.Quota.IsSet() {
		return nil
	}
	st, release, err := s.database.use(r.Context())
	if err != nil {
		return err
	}
	defer release()
	return tokens.CheckQuota(r.Context(), st.Reader, grant)
}

// quotaProblem is the problem of records beyond the quota of a token.
type quotaProblem struct {
	Problem `json:",embed"`
	Quota   answer.TokenQuota `json:"quota"`
}

// refuseQuota answers a request with records beyond the quota of a token. What was recorded before stays, with the
// position of its spool.
func (s *Server) refuseQuota(ctx context.Context, w http.ResponseWriter, e *tokens.QuotaError) {
	s.config.Log.WarnContext(ctx, "quota", "holder", e.Holder, "records", e.Used.Records, "most_records", e.Quota.Records, "bytes", e.Used.Bytes, "most_bytes", e.Quota.Bytes)
	wait := e.Ends.Sub(s.config.Now())
	w.Header().Set("Retry-After", strconv.Itoa(max(1, int(wait/time.Second)+1)))
	writeProblemBody(w, http.StatusTooManyRequests, quotaProblem{
		problemOf(http.StatusTooManyRequests, answer.ProblemOf(e)),
		answer.TokenQuota{MaxRecords: e.Quota.Records, MaxBytes: e.Quota.Bytes, RecordsToday: e.Used.Records, BytesToday: e.Used.Bytes},
	})
}
