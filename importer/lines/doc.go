// Package lines reads and writes records as lines of JSON: batches, spools, the shards of sweeps and exported
// lineages. docs/reference/lines.md describes the format; another program that appends such lines to a spool needs
// nothing else.
//
// Numbers that JSON does not have are the strings "NaN", "Infinity" and "-Infinity"; they are read bare as well.
// Unknown and duplicate names are refused.
package lines
