package lines

import "track"

// What the tests in lines_test see besides the exported names.

var ParseExecution = parseExecution

// QuickSeed reads a line as [Read] does first. ok is false for a line that package json has to read.
func QuickSeed(text []byte) (seed track.Seed, problem *track.FieldError, ok bool) {
	return new(quickReader).seed(text, outside{dir: noFolder})
}
