// Package process runs commands of the user: in process groups of their own, with time limits, so that nothing they
// start outlives them or this process.
package process
