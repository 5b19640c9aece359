//go:build !nightly

package track_test

const (
	manyProcesses, seedsOfEach = 16, 4
	killRounds                 = 12
	creationRounds             = 16
)
