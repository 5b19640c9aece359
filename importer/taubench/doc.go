// Package taubench reads results of tau-bench: a JSON array of episodes, each with a reward, a trial and a
// conversation.
//
// An execution is one trial of one task. Its reward is the truth "reward". A call has failed where its result begins
// with "Error". There are no times, tokens or costs of the agent; the cost of the simulated user is none of the
// agent's, and left out.
//
// The trials of a file have no identity beyond task and trial, so Key holds a digest of the episode: another run of
// the same task is another execution, the same file again is not.
package taubench
