package exchange

import "track/tracker/agents"

// equalLines remembers the executions of an input whose key was made of what they say.
type equalLines map[string]bool

// mostEqual bounds how many are remembered. Repetitions of what came before them are not counted.
const mostEqual = 1_000_000

// count returns 1 if an earlier line of the input is the same execution without a key, else 0.
func (l *equalLines) count(p agents.Prepared) int {
	id := p.Lineage + "\x00" + p.Source + "\x00" + p.Key
	switch {
	case !agents.IsContentKey(p.Key):
		return 0
	case (*l)[id]:
		return 1
	case *l == nil:
		*l = equalLines{}
	}
	if len(*l) < mostEqual {
		(*l)[id] = true
	}
	return 0
}
