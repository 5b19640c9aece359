// Package design spreads configurations over the ranges of parameters: Latin hypercubes, Sobol sequences and grids.
//
// It is pure. What draws at random takes a seed and uses a PCG generator (math/rand/v2), and all arithmetic is that of
// package numeric: the same arguments give the same design on every processor. Package samplemv of gonum has a Latin
// hypercube and a Halton sequence, but no Sobol sequence, and it computes with distributions that differ between
// processors; so both samplers are here.
package design
