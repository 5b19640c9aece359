// Package pages writes answers as pages for a browser. An address says all of what a page shows: the question, its
// parameters, and how the tables are sorted, filtered and cut. Pages need no script; with one they are quicker to use.
package pages

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"track/access"
	"track/answer"
	"track/ask"
	"track/reports/document"
	"track/reports/escape"
)

// Asker answers the questions of a page, for whoever opened it. All answers are of one state of the database.
type Asker interface {
	Ask(ctx context.Context, q ask.Question, in url.Values) (answer.Answer, error)
	Compose(ctx context.Context, q ask.Question, in url.Values) (document.Document, error)
}

// Request is what somebody wants to see.
type Request struct {
	Asker
	Keeper
	Base string     // what all addresses begin with; empty for nothing
	In   url.Values // of the address
	Who  string     // opened the page
	Live bool       // whether events tell of changes
	// Admin says that whoever opened the page may see and change tokens, and see how the server is.
	Admin bool
	// Open says that the server asks nobody for a token.
	Open bool
	// Server returns how the server is.
	Server func(ctx context.Context) (ServerStatus, error)
}

// Page is a page with an address of its own.
type Page struct {
	Path  string // below the base: /stability
	Scope access.Scope
	Title string
	// question is what the page answers first; one without Ask is a report.
	question ask.Question
	compose  func(ctx context.Context, b *builder) error
}

const statusPath = "/status"

// IsLive reports whether the page depends on more than the database, such as the time.
func (p Page) IsLive() bool { return p.question.Live || p.Path == statusPath }

// All returns all pages: the home page, the state of the server, and one for each question that changes nothing.
func All() []Page {
	list := []Page{
		{Path: "/{$}", Scope: access.Read, Title: "Home", compose: composeHome},
		{Path: termsPath, Scope: access.Read, Title: "Terms", compose: composeTerms},
		{Path: statusPath, Scope: access.Admin, Title: "Status", compose: composeStatus},
	}
	for _, q := range slices.Concat(ask.All(), ask.Reports()) {
		if isLook(q) && !isPreviewed(q) || q.Scope != access.Read && q.Name != tokenList || slices.Contains(unpaged, q.Name) {
			continue
		}
		compose, special := composers()[q.Name]
		if !special {
			compose = composeAnswer
		}
		list = append(list, Page{Path: "/" + q.Path, Scope: q.Scope, Title: titleOf(q), question: q, compose: compose})
	}
	return list
}

// isLook reports whether asking a question counts as an interim analysis: opening a page must not. A search only brings
// its index up to date.
func isLook(q ask.Question) bool { return q.Notes && q.Name != "search" }

// isPreviewed reports whether the page of a question shows a preview of a report, whose verdicts would be an interim
// analysis.
func isPreviewed(q ask.Question) bool { return q.Notes && q.Compose != nil }

// unpaged are questions without a page: those that read files of whoever asks.
var unpaged = []string{"sweep plan", "spec lint"} //nolint:gochecknoglobals // a constant

// composers returns the pages that show more than the answer to one question, by the name of the question.
func composers() map[string]func(context.Context, *builder) error {
	return map[string]func(context.Context, *builder) error{
		"stability": composeConfiguration, "history": composeScenario, "show seed": composeSeed, "series show": composeSeries, "series bands": composeBands,
		"matrix": composeMatrix, "compare": composeCompare, "params": composeParams, "gate preview": composeGate, "sweep show": composeSweep,
		"seeds": withTabs, "artifact list": withTabs, "baseline show": withTabs, "report stability": withTabs, "report scenario": withTabs,
		"lineage show": composeLineage, "lineage list": composeLineages, "lineage tree": composeTree, "lineage front": composeFront, "lineage history": composeLineageHistory,
		"mutation show": composeMutation, "version show": composeVersion,
		"executions": composeExecutions, "show execution": composeExecution, "compare executions": composeExecutionComparison, "search": composeSearch,
		"query": composeQuery, tokenList: composeTokens,
	}
}

func titleOf(q ask.Question) string {
	return capital(strings.ReplaceAll(q.Name, "-", " "))
}

// capital returns a text with a capital at its beginning.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Write writes the page.
func (p Page) Write(ctx context.Context, w io.Writer, r Request) error {
	b := newBuilder(p, r)
	if err := b.missing(); err == nil || p.question.Name == "query" { // whose page helps to write the statement
		if err := p.compose(ctx, b); err != nil {
			if err = b.sayWhyEmpty(ctx, err); err != nil {
				return err
			}
		}
		b.teachList(ctx)
	}
	return b.write(w)
}

// Prepare reads the templates and the files that pages load, which the first page does otherwise.
func Prepare() error {
	_, err := assets()
	return errors.Join(err, execute(io.Discard, "page.html", view{}))
}

// WriteError writes a page that says what went wrong, and what to do.
func WriteError(w io.Writer, base, title string, problem answer.Problem) error {
	v := view{Base: base, Title: title, Heading: title, Error: true, Places: places(base, "", false), Assets: assetAddress(base), Lead: []sentence{{Class: "verdict", Text: escape.Lines(problem.Message)}}}
	for _, h := range problem.Hints {
		v.Lead = append(v.Lead, hintSentence(base, h))
	}
	return execute(w, "error.html", v)
}

// WriteLogin writes the page that asks for a token. Next is the address that is opened then.
func WriteLogin(w io.Writer, base, next, problem string) error {
	return execute(w, "login.html", struct {
		Base, Next, Problem string
		Assets              assetAddresses
	}{base, next, problem, assetAddress(base)})
}

// fragment returns what a template of its own makes of a value: a part of a page that no other page has.
func fragment(name string, v any) (template.HTML, error) {
	var part strings.Builder
	err := execute(&part, name, v)
	return template.HTML(part.String()), err //nolint:gosec // written by a template, which escapes
}

func execute(w io.Writer, name string, v any) error {
	t, err := templates()
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := t.ExecuteTemplate(&page, name, v); err != nil {
		return err
	}
	_, err = page.WriteTo(w)
	return err
}
