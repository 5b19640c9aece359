// Package templates fills users' templates with the content of a report. Templates are Go's text/template, and
// html/template for HTML. Three things are added, which neither has: values stay plain text in Markdown too, an unknown
// field is an error that lists the fields there are, and a template that never ends is stopped.
package templates
