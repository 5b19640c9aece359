// Package lazyregexp compiles regular expressions when they are first used. A package initialises in every process,
// whichever command it runs, and one regular expression takes 5 to 50 µs to compile.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the expression at its first call. It panics then if the expression is invalid.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
