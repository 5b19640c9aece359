package pages

import (
	"context"
	"io"

	"track/access"
	"track/answer"
	"track/ask"
	"track/reports/escape"
)

const tokenList = "token list" // the name of a question

// tokenForms is what the forms of the page of tokens show.
type tokenForms struct {
	Base   string
	Scopes []tokenScope
	Valid  []tokenName // tokens that can be changed and revoked
	Own    string      // the name that the reader's own session was begun with; empty for none
}

type tokenScope struct{ Name, Help string }

// tokenName is the name of a token, and how it may be shown.
type tokenName struct{ Name, Text string }

// composeTokens lists the tokens, with forms that add, change and revoke one.
func composeTokens(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Tokens(), nil)
	if err != nil {
		return err
	}
	b.show(a)
	b.view.Heading, b.view.Title = "Tokens", "Tokens"
	if b.request.Open {
		b.view.Lead = append(b.view.Lead, sentence{Class: "warning", Text: "This server runs with --no-auth: it asks nobody for a token. Tokens added here work once it is started without --no-auth."})
	}
	forms := tokenForms{Base: b.request.Base, Own: escape.Line(b.request.Who)}
	for _, s := range access.Scopes() {
		forms.Scopes = append(forms.Scopes, tokenScope{string(s), scopeHelp()[s]})
	}
	for _, t := range a.Items {
		if t.State == "valid" {
			forms.Valid = append(forms.Valid, tokenName{t.Name, escape.Line(t.Name)})
		}
	}
	add, err := fragment("token-add", forms)
	if err != nil {
		return err
	}
	b.view.Sections = append(b.view.Sections, section{ID: "add", Title: "Add a token", HTML: add})
	if len(forms.Valid) == 0 {
		return nil
	}
	change, err := fragment("token-set", forms)
	if err != nil {
		return err
	}
	b.view.Sections = append(b.view.Sections, section{ID: "change", Title: "Change a token", HTML: change})
	revoke, err := fragment("token-revoke", forms)
	b.view.Sections = append(b.view.Sections, section{ID: "revoke", Title: "Revoke a token", HTML: revoke})
	return err
}

// scopeHelp says what each scope allows.
func scopeHelp() map[access.Scope]string {
	return map[access.Scope]string{
		access.Read: "see answers", access.Record: "add facts", access.Spec: "declare specs", access.Decide: "decide on mutations, pin baselines, withdraw", access.Admin: "everything, tokens too",
	}
}

// WriteAddedToken writes the page that shows a new token, for the only time.
func WriteAddedToken(w io.Writer, r Request, a answer.AddedToken) error {
	b := newBuilder(Page{Path: "/token/add", Title: "Token added"}, r)
	b.view.Trail = []link{{Text: "Tokens", Href: r.Base + "/token/list"}}
	b.view.Lead = []sentence{
		{Class: "verdict", Text: "The token of " + escape.Line(a.Name) + " is", Command: string(a.Secret)},
		{Class: "warning", Text: "It is shown only now. Whoever has it can do what it allows. Copy it before you leave this page."},
	}
	table := a.Tables()[0]
	table.ForPrograms = false
	last := len(table.Columns) - 1 // the secret, which the lead has
	table.Columns, table.Rows = table.Columns[:last], [][]any{table.Rows[0][:last]}
	b.addTable(table)
	return b.write(w)
}
