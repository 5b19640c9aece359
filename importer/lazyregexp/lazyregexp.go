// Package lazyregexp compiles patterns when they are first used: a program that reads none of these logs does not wait for them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a pattern.
type Regexp struct{ compiled func() *regexp.Regexp }

// New returns the pattern of an expression, which must be valid: the first use panics else.
func New(expression string) Regexp {
	return Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// Get returns the pattern compiled.
func (r Regexp) Get() *regexp.Regexp { return r.compiled() }
