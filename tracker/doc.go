// Package tracker holds the use cases that touch more than one package, each in one place: recording seeds and
// judging them at once, adding a spec and judging what waits for it, aggregating, and judging again. Plain reads go
// straight to package store.
package tracker
