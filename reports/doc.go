// Package reports turns answers into documents for people (stability, improvement, scenario, lineage, index) and into
// the results that other programs read (JUnit XML, badges). It reads nothing: the same answer gives the same
// document.
package reports
