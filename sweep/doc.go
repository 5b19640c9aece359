// Package sweep runs a command once for each seed of each configuration of a scenario, and says what came of it. It
// knows processes and their files; what is done with the results is its caller's business.
package sweep
