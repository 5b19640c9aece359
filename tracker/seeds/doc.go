// Package seeds records the seeds of scenarios, judges them by specs, and answers what they show: whether a
// configuration is stable, how it compares with others, and whether it passes a gate.
package seeds
