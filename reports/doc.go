// Package reports writes what was found for people and for other programs: Markdown, JUnit XML, badges. Each is a pure function of
// values to an io.Writer: the same input gives the same bytes.
package reports
