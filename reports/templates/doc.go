// Package templates fills templates of users with what a report tells. They are Go's text/template, and html/template for HTML, with three
// differences: what is recorded stays text, whatever it looks like, in Markdown too; a field that there is not is an error that names those
// that there are; and what a template does is bounded.
package templates
