// Package store keeps what track records in one SQLite file. It is the only package that knows SQL.
//
// A [Store] has one writer connection and a pool of read-only ones. Every write runs in [Store.Update], an immediate
// transaction under a lock on a file next to the database, so that many processes can record at once and none starves.
// Opening a database compares PRAGMA user_version with the newest migration and does nothing else; migrating is
// explicit.
//
// Times are stored as integer microseconds UTC. Values keep NaN (as NULL), infinities and the sign of zero.
package store
