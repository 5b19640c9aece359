package agents

import (
	"cmp"
	"context"
	"slices"

	"track"
	"track/importer"
	"track/store"
)

// A lineage counts each message, request and tool call once, whatever log brings it: sessions that are resumed or
// forked repeat what came before. The execution that has all of another in it is the one that is kept. Of two that
// overlap otherwise, the one that was recorded first has what both say.

// serviceIDs reports whether the keys of the calls of a source are ids of the service, and so differ everywhere. Other
// sources have ids that a model made, such as call_1 in each conversation.
func serviceIDs(source string) bool {
	switch source {
	case importer.ClaudeCode, importer.ClaudeHooks, importer.Codex, importer.OTLP:
		return true
	}
	return false
}

// idsOfRequest returns the ids of a request.
func idsOfRequest(r track.ModelRequest) (ids []store.UsedID) {
	if r.Message != "" {
		ids = append(ids, store.UsedID{Kind: store.MessageID, ID: r.Message})
	}
	if r.ID != "" {
		ids = append(ids, store.UsedID{Kind: store.RequestID, ID: r.ID})
	}
	return ids
}

// idsOfCall returns the ids of a call of a source.
func idsOfCall(c track.ToolCall, source string) []store.UsedID {
	if c.Key == "" || !serviceIDs(source) {
		return nil
	}
	return []store.UsedID{{Kind: store.CallID, ID: c.Key}}
}

// idSet is a set of ids.
type idSet map[store.UsedID]bool

func (s idSet) hasAny(ids []store.UsedID) bool {
	return slices.ContainsFunc(ids, func(id store.UsedID) bool { return s[id] })
}

// usedIDs returns the ids of the requests and the calls of an execution.
func usedIDs(e track.Execution) (ids []store.UsedID) {
	for _, r := range e.Requests {
		ids = append(ids, idsOfRequest(r)...)
	}
	for _, c := range e.Calls {
		ids = append(ids, idsOfCall(c, e.Source)...)
	}
	return ids
}

// has reports whether an execution has all requests and calls of another. A call without an id belongs to its request.
func (s idSet) has(e track.Execution) bool {
	for _, r := range e.Requests {
		if !s.hasAny(idsOfRequest(r)) {
			return false
		}
	}
	for _, c := range e.Calls {
		if ids := idsOfCall(c, e.Source); !s.hasAny(ids) && (len(ids) > 0 || c.Request == 0) {
			return false
		}
	}
	return true
}

// share is what an execution has of its own in a lineage.
type share struct {
	rest  track.Execution   // without what others have
	cut   int               // requests and calls that others have
	owner *track.Execution  // the execution that has all of it; nil if something is left
	parts []track.Execution // executions of which it has all, and more
}

// shareOf compares an execution with others that have some of its ids.
func shareOf(e track.Execution, others []track.Execution) share {
	s := share{rest: e}
	mine, taken := idSet{}, idSet{}
	for _, id := range usedIDs(e) {
		mine[id] = true
	}
	for i, other := range others {
		if mine.has(other) && isFurther(e, other) {
			s.parts = append(s.parts, other)
			continue
		}
		if s.owner == nil {
			s.owner = &others[i]
		}
		for _, id := range usedIDs(other) {
			taken[id] = true
		}
	}
	if len(taken) == 0 {
		return s
	}
	if s.rest, s.cut = without(e, taken); s.cut == 0 || len(s.rest.Requests)+len(s.rest.Calls) > 0 {
		s.owner = nil
	}
	return s
}

// isFurther reports whether an execution says more than another of which it has all: more requests, calls, answers or
// tokens.
func isFurther(e, other track.Execution) bool {
	answered := func(e track.Execution) (n int) {
		for _, c := range e.Calls {
			if c.Answered {
				n++
			}
		}
		return n
	}
	output := func(e track.Execution) int64 {
		if e.Tokens == nil || e.Tokens.Output == nil {
			return 0
		}
		return *e.Tokens.Output
	}
	return cmp.Or(len(e.Requests)-len(other.Requests), len(e.Calls)-len(other.Calls), answered(e)-answered(other), cmp.Compare(output(e), output(other))) > 0
}

// without returns an execution without the requests and calls that have one of the ids, and without what the requests
// used; n is their number. What the rest cost is unknown.
func without(e track.Execution, ids idSet) (rest track.Execution, n int) {
	rest = e
	rest.Requests, rest.Calls = nil, nil
	number := make([]int, len(e.Requests)+1) // of those that stay
	gone := make([]bool, len(e.Requests)+1)
	for i, r := range e.Requests {
		if ids.hasAny(idsOfRequest(r)) {
			gone[i+1] = true
			rest.Tokens = rest.Tokens.Minus(r.Tokens)
			n++
			continue
		}
		rest.Requests = append(rest.Requests, r)
		number[i+1] = len(rest.Requests)
	}
	if n > 0 {
		rest.CostUSD = nil
	}
	for _, c := range e.Calls {
		if gone[c.Request] || ids.hasAny(idsOfCall(c, e.Source)) {
			n++
			continue
		}
		c.Request = number[c.Request]
		rest.Calls = append(rest.Calls, c)
	}
	return rest, n
}

// others returns the recorded executions of the lineage that have an id of an execution, but for the one with its
// identity.
func others(ctx context.Context, reads *store.Reader, e track.Execution) (list []track.Execution, err error) {
	ids := usedIDs(e)
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := reads.ExecutionsUsing(ctx, e.Lineage, ids)
	slices.Sort(rows)
	for _, row := range rows {
		other, err := reads.ExecutionByRow(ctx, row)
		if err != nil {
			return nil, err
		}
		if other.Source != e.Source || other.Key != e.Key {
			list = append(list, store.RecordOf(other).Execution)
		}
	}
	return list, err
}

// reduce leaves of an execution what no other execution of its lineage has.
func (r *Recorder) reduce(ctx context.Context, reads *store.Reader, p *Prepared) (s share, err error) {
	var list []track.Execution
	if r.options.Once {
		list, err = others(ctx, reads, p.Execution)
	}
	if err != nil || len(list) == 0 {
		return share{rest: p.Execution}, err
	}
	s = shareOf(p.Execution, list)
	if s.cut == 0 || s.owner != nil {
		return s, nil
	}
	return s, r.replaceBy(p, s.rest)
}

// replaceBy puts the rest of an execution in its place.
func (r *Recorder) replaceBy(p *Prepared, rest track.Execution) (err error) {
	if rest.CostUSD == nil {
		rest.Priced = ""
		r.options.Prices.Apply(&rest)
	}
	p.Execution = rest
	if p.hasContentKey { // which is no part of what it says
		rest.Key = ""
	}
	if p.Digest, p.Structure, err = digests(rest); err != nil || !p.complete {
		return err
	}
	return r.Complete(p, p.keep)
}

// liveOwner returns the execution that an import put in the place of what hooks had recorded, if it has all of what
// they tell now; nil if there is none.
func liveOwner(ctx context.Context, reads *store.Reader, e track.Execution, earlier []string) (*track.Execution, error) {
	if e.Source != importer.ClaudeHooks || len(earlier) == 0 {
		return nil, nil
	}
	list, err := others(ctx, reads, e)
	for _, other := range list {
		if s := shareOf(e, []track.Execution{other}); other.Source == importer.ClaudeCode && s.owner != nil && slices.Contains(earlier, other.ID) {
			return s.owner, nil
		}
	}
	return nil, err
}

// foreseen are the executions that a dry run would have recorded by now, without their texts.
type foreseen struct {
	executions map[string]track.Execution // by their identity
	users      map[usedIn][]string        // identities
}

type usedIn struct {
	lineage string
	store.UsedID
}

func identityOf(e track.Execution) string { return e.Lineage + "\x00" + e.Source + "\x00" + e.Key }

// others returns those that have an id of an execution.
func (f *foreseen) others(e track.Execution) (list []track.Execution) {
	ids := usedIDs(e)
	var found []string
	for _, id := range ids {
		found = append(found, f.users[usedIn{e.Lineage, id}]...)
	}
	slices.Sort(found)
	for _, identity := range slices.Compact(found) {
		if other, stays := f.executions[identity]; stays {
			list = append(list, other)
		}
	}
	return list
}

// add remembers an execution in the place of others.
func (f *foreseen) add(e track.Execution, parts []track.Execution) {
	for _, part := range parts {
		delete(f.executions, identityOf(part))
	}
	identity := identityOf(e)
	f.executions[identity] = track.Execution{Lineage: e.Lineage, Source: e.Source, Key: e.Key, Tokens: e.Tokens, Requests: e.Requests, Calls: slices.Clone(e.Calls)}
	for i := range e.Calls {
		f.executions[identity].Calls[i] = track.ToolCall{Key: e.Calls[i].Key, Answered: e.Calls[i].Answered, Request: e.Calls[i].Request}
	}
	ids := usedIDs(e)
	for _, id := range ids {
		f.users[usedIn{e.Lineage, id}] = append(f.users[usedIn{e.Lineage, id}], identity)
	}
}

// Foresee says what would become of an execution in a dry run, after those that it was asked about before.
func (r *Recorder) Foresee(ctx context.Context, p Prepared) (result Result, err error) {
	if r.foreseen == nil {
		r.foreseen = &foreseen{map[string]track.Execution{}, map[usedIn][]string{}}
	}
	if _, again := r.foreseen.executions[identityOf(p.Execution)]; again {
		return p.result(track.Duplicate), nil
	}
	list := r.foreseen.others(p.Execution)
	if r.store != nil {
		recorded, err := others(ctx, r.store.Reader, p.Execution)
		if err != nil {
			return result, err
		}
		list = append(recorded, list...)
	}
	own := shareOf(p.Execution, list)
	if own.owner != nil {
		return p.repeats(own), nil
	}
	if err := r.replaceBy(&p, own.rest); err != nil {
		return result, err
	}
	result = p.result(track.Recorded)
	if len(own.parts) > 0 {
		result.Disposition = track.Replaced
	}
	if r.store != nil {
		recorded, unknown, err := r.find(ctx, r.store.Reader, p)
		if err != nil {
			return result, err
		}
		if recorded != nil {
			result = r.compare(*recorded, p)
			result.NUnknown = unknown
		}
	}
	result.NRepeated, result.Superseded = own.cut, own.parts
	r.foreseen.add(own.rest, own.parts)
	return result, nil
}
