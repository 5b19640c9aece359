package codex

import (
	"encoding/hex"
	"strings"
	"time"

	"track/importer"
)

// prefix is the beginning of a rollout that repeats the session which it was forked from: with the times of then, or
// written at once with new ones. Its tokens and calls belong to that session.
type prefix struct {
	active  bool
	session time.Time // when the own session began, as its id tells; zero if unknown
	last    time.Time // of the last line that was repeated; at first, when the rollout began
	turns   bool      // ids tell when its turns began, so that pauses say nothing
}

// pause ends lines that were written at once. No model answers within it.
const pause = 500 * time.Millisecond

// parent returns the session that a session was forked from or spawned by; the empty string if there is none.
func (i item) parent() string {
	var source struct {
		Subagent struct {
			Spawn struct {
				Parent string `json:"parent_thread_id"`
			} `json:"thread_spawn"`
		} `json:"subagent"`
	}
	if i.Forked == "" && i.Source.Kind() == '{' && importer.Unmarshal(i.Source, &source) == nil {
		return source.Subagent.Spawn.Parent
	}
	return i.Forked
}

// meta takes a line about a session. The first is that of the rollout; one that follows belongs to a session that it
// repeats.
func (d *decoder) meta(at time.Time, i item) {
	own := d.session == ""
	if own {
		d.session = importer.Name(i.ID)
	}
	if own && i.parent() != "" || !own && d.prompts == 0 && importer.Name(i.ID) != d.session {
		d.prefix.active = true
	}
	if own {
		d.prefix.session, d.prefix.last = timeOfID(i.ID), at
	}
}

// isOwn reports whether a line follows the prefix: it names a turn that began after the session, or it was not written
// at once with those before.
func (d *decoder) isOwn(at time.Time, i item) bool {
	p := &d.prefix
	if turn := timeOfID(importer.String(i.Turn)); !turn.IsZero() && !p.session.IsZero() {
		p.turns = true
		return !turn.Before(p.session)
	}
	if p.turns {
		return false
	}
	if at.IsZero() || p.last.IsZero() {
		return p.last.IsZero()
	}
	if at.Sub(p.last) > pause {
		return true
	}
	if at.After(p.last) {
		p.last = at
	}
	return false
}

// leavePrefix forgets what was repeated. A prompt that nothing answered is the first of the rollout's own.
func (d *decoder) leavePrefix() {
	d.prefix.active = false
	if d.began {
		d.close()
	}
	_ = d.tokens.take() // the totals go on from here
	d.requests, d.reply = requests{}, ""
}

// timeOfID returns the time in an id that is a UUID of version 7; the zero time of any other.
func timeOfID(id string) time.Time {
	raw, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	if err != nil || len(raw) != 16 || raw[6]>>4 != 7 {
		return time.Time{}
	}
	var ms int64
	for _, b := range raw[:6] {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms)
}
