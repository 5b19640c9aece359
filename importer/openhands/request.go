package openhands

import (
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// request is what a request to a model used, in the metrics.
type request struct {
	Response   string `json:"response_id"`
	Model      string `json:"model"`
	Prompt     *int64 `json:"prompt_tokens"`
	Completion *int64 `json:"completion_tokens"`
	CacheRead  *int64 `json:"cache_read_tokens"`
	CacheWrite *int64 `json:"cache_write_tokens"`
}

func (r request) tokens() *track.Tokens {
	return importer.Usage{Prompt: r.Prompt, Completion: r.Completion, CacheRead: r.CacheRead, CacheWrite: r.CacheWrite}.Tokens()
}

// request notes the request that an action is the answer to. Several actions can come from one answer.
func (h *history) request(e event) {
	if e.Meta == nil {
		h.draft.Request("", nil)
		return
	}
	var u request
	if raw := e.Meta.Response.Usage; raw.Kind() == '{' && importer.Unmarshal(raw, &u) != nil {
		u = request{}
	}
	id := importer.String(e.Meta.Response.ID)
	if number := h.requests[id]; number > 0 {
		h.draft.Continue(number, u.tokens())
		return
	}
	number := h.draft.Request(e.Meta.Response.Model, u.tokens())
	if id == "" {
		return
	}
	if h.requests == nil {
		h.requests = map[string]int{}
	}
	h.requests[id] = number
}

// settleRequests takes the list of requests in the metrics in the place of what actions say, if it has all of their
// answers. It also has requests without an action, and counts the cache.
func (h *history) settleRequests(list []jsontext.Value) {
	var requests []request
	numbers := map[int]int{} // there, by the number here
	for _, raw := range list {
		var r request
		if raw.Kind() != '{' || importer.Unmarshal(raw, &r) != nil {
			return
		}
		requests = append(requests, r)
		if number := h.requests[r.Response]; number > 0 && numbers[number] == 0 {
			numbers[number] = len(requests)
		}
	}
	if len(numbers) < max(1, len(h.requests)) {
		return
	}
	h.draft.Requests = nil
	for _, r := range requests {
		h.draft.Request(r.Model, r.tokens())
	}
	for i := range h.draft.Calls {
		h.draft.Calls[i].Request = numbers[h.draft.Calls[i].Request]
	}
}
