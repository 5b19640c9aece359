package templates

import (
	"errors"
	htmltemplate "html/template"
	"regexp"
	"strconv"
	"strings"
	"track"
)

var (
	inTemplate = regexp.MustCompile(`^:(\d+)(?::\d+)?: (?s)(.*)$`)
	executing  = regexp.MustCompile(`(?s)^executing ".*?" at <(.*?)>: (.*)$`)
	calling    = regexp.MustCompile(`^error calling \w+: `)
	lookup     = regexp.MustCompile(`\(?` + callField + ` .*? "\d+" "((?:[^"\\]|\\.)*)"(?: "\w+")+\)?`)
	added      = regexp.MustCompile(` \| ` + callPrint + `|^` + callStep + `[ \d]*$|^` + callPrint + `$`)
)

// asWritten returns an expression as the author wrote it, without what the rewriter added.
func asWritten(s string) string {
	return added.ReplaceAllString(lookup.ReplaceAllString(s, "$1"), "")
}

// problem returns an error of a template package as a FieldError.
func problem(file string, err error) error {
	var known *track.FieldError
	if errors.As(err, &known) {
		return known.Shorten()
	}
	p := &track.FieldError{File: file, Message: err.Error()}
	var unsafe *htmltemplate.Error
	if errors.As(err, &unsafe) {
		p.Line, p.Message = unsafe.Line, unsafe.Description
		return p.Shorten()
	}
	rest, ok := strings.CutPrefix(p.Message, "template: "+file)
	if parts := inTemplate.FindStringSubmatch(rest); ok && parts != nil {
		p.Line, _ = strconv.Atoi(parts[1])
		p.Message = parts[2]
		if parts := executing.FindStringSubmatch(p.Message); parts != nil {
			p.Field, p.Message = parts[1], calling.ReplaceAllString(parts[2], "")
		}
	}
	p.Field, p.Message = asWritten(p.Field), asWritten(p.Message)
	var called *callError
	if errors.As(err, &called) {
		p.Message = called.Error()
	}
	return p.Shorten()
}
