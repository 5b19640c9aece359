package pages

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"strconv"
	"time"

	"track/access"
	"track/answer"
	"track/ask"
	"track/reports/escape"
	"track/scoring/format"
)

// ServerStatus says how a server is.
type ServerStatus struct {
	Version   string    `json:"version"`  // of the program
	Database  string    `json:"database"` // its path, or its URL without the password
	Kind      string    `json:"kind"`     // SQLite or PostgreSQL
	Schema    int64     `json:"schema"`
	Bytes     int64     `json:"bytes"` // of the database
	Began     time.Time `json:"began_at"`
	Now       time.Time `json:"at"`
	Streams   Load      `json:"streams"`   // of events
	Computing Load      `json:"computing"` // answers, the page that shows this included
	Waiting   Load      `json:"waiting"`   // requests that wait for their turn to compute
	Recording Load      `json:"recording"` // requests that record
}

// Load is how many of something there are, and how many there can be.
type Load struct {
	N    int `json:"n"`
	Most int `json:"most"`
}

const (
	statusSweeps = 100 // the newest ones, of which those without an end are shown
	statusNewest = 5
)

// composeStatus shows how the server is, which sweeps have no end, and what recorded last.
func composeStatus(ctx context.Context, b *builder) error {
	s, err := b.request.Server(ctx)
	if err != nil {
		return err
	}
	b.note("This server answers from the database " + s.Database + ".")
	b.fact("program", escape.Line(s.Version), "", "")
	b.fact("up for", s.Now.Sub(s.Began).Round(time.Second).String(), "", "since "+s.Began.UTC().Format("2006-01-02 15:04")+" UTC")
	b.fact("database", s.Kind, "", "schema version "+strconv.FormatInt(s.Schema, 10))
	b.fact("size", bytesText(s.Bytes), "", strconv.FormatInt(s.Bytes, 10)+" bytes")
	load := func(name string, l Load, basis string) {
		b.fact(name, strconv.Itoa(l.N), fmt.Sprintf("of at most %d", l.Most), basis)
	}
	load("open streams", s.Streams, "of events")
	load("computing", s.Computing, "answers, this page included")
	load("waiting", s.Waiting, "requests, for their turn")
	load("recording", s.Recording, "requests")
	b.view.Downloads = []link{{Text: "JSON", Href: b.addFile("server.json", pageFile{"application/json", func(w io.Writer) error { return answer.Encode(w, s) }})}}
	b.view.Downloads = append(b.view.Downloads, b.downloadsOf("Sweeps", ask.Sweeps().Question(), nil)...)
	return b.addRecorded(ctx)
}

// threeDigits returns a number that is not negative with three digits, or more if its whole part has more.
func threeDigits(x float64) string {
	whole := len(strconv.FormatFloat(math.Floor(x), 'f', 0, 64))
	return format.Fixed(x, max(0, 3-whole))
}

// bytesText returns a number of bytes in the largest unit that it fills.
func bytesText(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	size, units := float64(n), []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; size >= 1024 && i < len(units)-1; i++ {
		size /= 1024
	}
	return threeDigits(size) + " " + units[i]
}

// addRecorded adds the sweeps without an end, and the seeds and executions that were recorded last.
func (b *builder) addRecorded(ctx context.Context) error {
	limit := url.Values{"limit": {strconv.Itoa(statusNewest)}}
	sweeps, err := get(ctx, b, ask.Sweeps(), url.Values{"limit": {strconv.Itoa(statusSweeps)}})
	if err != nil {
		return err
	}
	seeds, err := get(ctx, b, ask.Seeds(), limit)
	if err != nil {
		return err
	}
	executions, err := get(ctx, b, ask.Executions(), limit)
	if err != nil {
		return err
	}
	add := func(t answer.Table, title, empty string, notes ...answer.Sentence) {
		t.Empty, t.Notes = empty, notes
		b.titled(t, title)
	}
	var notes []answer.Sentence
	if sweeps.NextPage() != "" {
		notes = []answer.Sentence{{Kind: answer.Note, Text: fmt.Sprintf("Only the newest %d sweeps were looked at.", statusSweeps)}}
	}
	add(withoutEnd(sweeps).Tables()[0], "Sweeps without an end", "no sweep runs", notes...)
	add(columnsOf(seeds.Tables()[0], "recorded", "scenario", "label", "seed", "outcome"), "Newest seeds", "no seed is recorded")
	add(columnsOf(executions.Tables()[0], "at", "lineage", "version", "id", "status"), "Newest executions", "no execution is recorded")
	return nil
}

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
	b.head("Tokens")
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
	if err := b.addFragment("add", "Add a token", "token-add", forms); err != nil || len(forms.Valid) == 0 {
		return err
	}
	if err := b.addFragment("change", "Change a token", "token-set", forms); err != nil {
		return err
	}
	return b.addFragment("revoke", "Revoke a token", "token-revoke", forms)
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
