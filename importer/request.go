package importer

import (
	"slices"

	"track"
)

// mostRequests bounds the requests of an execution.
const mostRequests = 100_000

// Request notes a request to a model, which asks for the calls that follow. The model may be empty, and the tokens
// nil. It returns the number of the request; 0 if there are too many.
func (d *Draft) Request(model string, tokens *track.Tokens) int {
	if d.request = 0; len(d.Requests) < mostRequests {
		d.Requests = append(d.Requests, track.ModelRequest{Model: Name(model)})
		d.Continue(len(d.Requests), tokens)
	}
	return d.request
}

// Continue says that a request asks for the calls that follow, and what it used as far as that is known now.
func (d *Draft) Continue(request int, tokens *track.Tokens) {
	if d.request = request; request > 0 {
		d.Requests[request-1].Tokens = knownTokens(tokens)
	}
}

// Identify notes what the service calls the answer to a request, and the request itself.
func (d *Draft) Identify(request int, message, id string) {
	if request > 0 {
		d.Requests[request-1].Message, d.Requests[request-1].ID = callKey(message), callKey(id)
	}
}

// knownTokens leaves out what is no count.
func knownTokens(tokens *track.Tokens) *track.Tokens {
	if tokens == nil {
		return nil
	}
	var known track.Tokens
	AddCount(&known.Input, tokens.Input)
	AddCount(&known.Output, tokens.Output)
	AddCount(&known.CacheRead, tokens.CacheRead)
	AddCount(&known.CacheWrite, tokens.CacheWrite)
	AddCount(&known.Reasoning, tokens.Reasoning)
	if known == (track.Tokens{}) {
		return nil
	}
	return &known
}

// settleRequests ends the list of requests: none if the source says of no request what it used or what it is called,
// and models only if they differ from the model of the execution.
func (d *Draft) settleRequests() {
	if !slices.ContainsFunc(d.Requests, func(r track.ModelRequest) bool { return r.Tokens != nil || r.Message+r.ID != "" }) {
		d.Requests = nil
		for i := range d.Calls {
			d.Calls[i].Request = 0
		}
	}
	for i := range d.Requests {
		if d.Requests[i].Model == d.Model {
			d.Requests[i].Model = ""
		}
	}
}
