// Package numeric has the elementary functions and distributions that scores, statistics and decisions rest on. They
// give the same bits on every processor.
//
// The functions of package math do not: some are written in assembly, with other roundings, and on arm64, ppc64le,
// riscv64 and s390x the compiler fuses x*y+z into one rounding. The same holds for gonum, which calls them. A
// decision that was recorded on one machine has to replay on another, so every product here that feeds a sum stands
// in float64(…), which no compiler fuses (Go specification, "Floating-point operators"). The tests hold the functions
// against gonum.
package numeric
