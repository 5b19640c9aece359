package spec

import (
	"strings"

	"track/internal/near"
)

// suggest asks for the valid name that was probably meant. Failing that it lists them all after intro.
func suggest(name string, known []string, intro string) string {
	if best := near.Nearest(name, known); best != "" {
		return "did you mean " + best + "?"
	}
	return intro + strings.Join(known, ", ")
}
