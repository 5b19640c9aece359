// Package sweeps runs a command over planned seeds and records what comes of each. A sweep resumes, shares its work
// with other processes, and may end early by a rule.
package sweeps
