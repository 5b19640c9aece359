// Package importer is what the readers of foreign logs of agents share: one package per format stands below it.
//
// A reader yields an [Item] for each thing that it finds, in the order of the source, and a [Skip] for each part that
// it cannot use, with file, line and reason; only a source that cannot be read further, or is of another format, ends
// it with an error. What it holds in memory does not grow with the source: lines and records are bounded by
// [LongestRecord], the texts of one execution by what [Draft] keeps.
//
// Runs of other evolvers are read as a whole, into a [Run] of a [Program] for each candidate: what a line says of a
// parent may be about one that comes later, or in another file. Package programs holds what their readers share.
//
// Everything read is data: nothing in it is run, followed or rendered. Texts are handed on as they stood; package
// masking takes secrets out of them before they are stored.
package importer
