package ask

import (
	"net/url"
	"strings"
)

// Name is a scenario or a lineage that a question names.
type Name struct {
	Text    string
	Lineage bool
}

// Names returns the scenarios and lineages that a question with these parameters names, whether they exist or not.
func (q Question) Names(in url.Values) (list []Name) {
	for _, p := range q.Params {
		kind, names := naming(p.Name)
		if !names {
			continue
		}
		for _, text := range in[p.Name] {
			name, _, _ := strings.Cut(text, "@") // as every selector is read
			list = append(list, Name{name, kind == lineageName})
		}
	}
	return list
}

type nameKind int

const (
	scenarioName nameKind = iota
	lineageName
)

// naming reports whether parameters of a name hold names of scenarios or lineages.
func naming(parameter string) (kind nameKind, names bool) {
	switch parameter {
	case "scenario", "candidate", "baseline", "anchor":
		return scenarioName, true
	case "lineage", "version":
		return lineageName, true
	}
	return 0, false
}
