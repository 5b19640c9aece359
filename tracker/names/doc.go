// Package names decides whether a name that is not known yet may come to be, although names like it are known: the
// misspelled name of a scenario, a metric, a lineage or a version.
//
// What becomes of such a name depends on the door through which a record comes. Somebody who types a command can
// answer, so the command is refused. Records of logs, spools and other machines would be lost, so they are stored, and
// the answer warns.
package names
