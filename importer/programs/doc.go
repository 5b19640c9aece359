// Package programs holds what the readers of runs of evolvers share: they hand over one [Draft] for each program that
// they meet, and a [Collector] makes an [importer.Run] of all, since parents may come after their children and a
// program may come in several checkpoints.
//
// # Merging
//
// A program that comes again with the same id is counted, and the later one stands. What two programs have in common
// is no reason to take them for one: the same code under two ids was evaluated twice.
//
// # Parents
//
// A parent that no file has stays what the source says it is: an id, listed as lost. A parent that is the program
// itself, or that closes a circle, is left out and named among the skips. Where a circle is opened, the earliest
// program in it loses the parent. Of a parent that the source does not tell, nothing is guessed.
package programs
