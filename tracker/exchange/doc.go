// Package exchange records what comes from outside: batches, spools, imported logs, and other databases, which are read
// as lines.
//
// All of it is a stream of records through one door. The door is idempotent: it answers for each record whether it is
// recorded, known already, in conflict with another record of its identity, or invalid. It is told what its caller
// may bring.
package exchange
