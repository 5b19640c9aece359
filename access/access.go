// Package access says who may do what on a server: scopes, patterns of names, and the tokens that stand for both.
package access

import (
	"fmt"
	"slices"
	"strings"
)

// Scope is what somebody may do.
type Scope string

// The scopes.
const (
	Read   Scope = "read"
	Record Scope = "record" // add facts
	Spec   Scope = "spec"   // declare what facts are judged by
	Decide Scope = "decide" // decide on mutations, pin baselines
	Admin  Scope = "admin"  // everything, tokens too
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{Read, Record, Spec, Decide, Admin} }

// ParseScope returns the scope of that name.
func ParseScope(text string) (Scope, error) {
	if s := Scope(text); slices.Contains(Scopes(), s) {
		return s, nil
	}
	return "", fmt.Errorf("%q is not one of read, record, spec, decide, admin", text)
}

// Grant is what the holder of a token may do.
type Grant struct {
	Name   string // who it is; what is changed is recorded with it
	Scopes []Scope
	// Scenarios and Lineages are patterns of what the holder may name; both are empty for everything.
	Scenarios, Lineages []Pattern
}

// Allows reports whether the grant has a scope. Admin has all.
func (g Grant) Allows(s Scope) bool {
	return slices.Contains(g.Scopes, s) || slices.Contains(g.Scopes, Admin)
}

// IsBound reports whether the grant is for some scenarios or lineages alone.
func (g Grant) IsBound() bool { return len(g.Scenarios)+len(g.Lineages) > 0 }

// MayNameScenario reports whether the holder may name a scenario.
func (g Grant) MayNameScenario(name string) bool { return !g.IsBound() || matchAny(g.Scenarios, name) }

// MayNameLineage reports whether the holder may name a lineage.
func (g Grant) MayNameLineage(name string) bool { return !g.IsBound() || matchAny(g.Lineages, name) }

// Pattern is a name, or the beginning of names with * behind it, such as bam/*.
type Pattern string

// ParsePattern returns a pattern. The only * that it can have is the last character.
func ParsePattern(text string) (Pattern, error) {
	if text == "" {
		return "", fmt.Errorf("the pattern is empty; * means every name")
	}
	if i := strings.IndexByte(text, '*'); i >= 0 && i < len(text)-1 {
		return "", fmt.Errorf("%q: * can only be the last character", text)
	}
	return Pattern(text), nil
}

// match reports whether a name fits.
func (p Pattern) match(name string) bool {
	if prefix, ok := strings.CutSuffix(string(p), "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return name == string(p)
}

func matchAny(patterns []Pattern, name string) bool {
	return slices.ContainsFunc(patterns, func(p Pattern) bool { return p.match(name) })
}
