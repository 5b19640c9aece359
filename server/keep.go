package server

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"track/access"
	"track/answer"
	"track/pages"
)

// mostKept is how many large answers are kept for pages. Each can have some 10 MB.
const mostKept = 4

// keeper keeps the large answers that pages asked for last, until the database changes.
type keeper struct {
	mu   sync.Mutex
	list []keptAnswer // the one used last at the end
}

type keptAnswer struct {
	state, key string
	answer     answer.Answer
}

func (k *keeper) get(state, key string) (answer.Answer, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.list, func(a keptAnswer) bool { return a.state == state && a.key == key })
	if i < 0 {
		return nil, false
	}
	found := k.list[i]
	k.list = append(slices.Delete(k.list, i, i+1), found)
	return found.answer, true
}

func (k *keeper) put(a keptAnswer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = slices.DeleteFunc(k.list, func(old keptAnswer) bool { return old.key == a.key })
	if len(k.list) == mostKept {
		k.list = slices.Delete(k.list, 0, 1)
	}
	k.list = append(k.list, a)
}

// pageKeeper is what one request sees of the answers that are kept.
type pageKeeper struct {
	kept  *keeper
	state string // of the database, for whoever asks; empty if nothing can be kept
}

// keeper returns what keeps answers for a page. The state is read before the answer, so an answer can be newer than its
// state, never older.
func (s *Server) keeper(ctx context.Context, p pages.Page, grant access.Grant) pageKeeper {
	cursor, err := s.database.changes.Cursor(ctx)
	if err != nil || p.IsLive() {
		return pageKeeper{kept: &s.kept}
	}
	return pageKeeper{&s.kept, fmt.Sprintf("%d %q", cursor, []any{grant.Name, grant.Scopes, grant.Scenarios, grant.Lineages})}
}

func (k pageKeeper) Kept(key string) (answer.Answer, bool) {
	if k.state == "" {
		return nil, false
	}
	return k.kept.get(k.state, key)
}

func (k pageKeeper) Keep(key string, a answer.Answer) {
	if k.state != "" {
		k.kept.put(keptAnswer{k.state, key, a})
	}
}
