package importer

import (
	"regexp"
	"sync"
)

// Pattern compiles a regular expression when it is first used: most processes read no log, and every one of them
// would pay for it.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
