//go:build nightly

package track_test

const (
	manyProcesses, seedsOfEach = 32, 200
	killRounds                 = 200
	creationRounds             = 300
)
