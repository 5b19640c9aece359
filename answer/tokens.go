package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"track/access"
	"track/answer/param"
)

// AddTokenQuestion asks for a token with which somebody may use a server.
type AddTokenQuestion struct {
	Grant   access.Grant
	Expires time.Duration // from now; 0 for never
	Author
}

func (q *AddTokenQuestion) Params() param.List {
	return param.List{
		{Name: "name", Arg: true, Required: true, Unit: "NAME", Help: "say who will have it, such as ci or a person's name", Value: param.Text(&q.Grant.Name)},
		{Name: "scope", Required: true, Unit: "SCOPES", Help: "allow these `SCOPES`, separated by commas: read, record, spec, decide, admin", Value: param.Parsed(&q.Grant.Scopes, parseScopes, formatScopes)},
		{Name: "scenario", Unit: "PATTERN", Help: "allow only scenarios with such a name, as in bam/*", Value: patterns(&q.Grant.Scenarios)},
		{Name: "lineage", Unit: "PATTERN", Help: "allow only lineages with such a name", Value: patterns(&q.Grant.Lineages)},
		{Name: "expires", Unit: "TIME", Help: "let it end after this `TIME`, such as 90d or 12h (default: never)", Value: param.Age(&q.Expires)},
	}
}

func parseScopes(text string) (list []access.Scope, err error) {
	for name := range strings.SplitSeq(text, ",") {
		scope, err := access.ParseScope(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, scope) {
			list = append(list, scope)
		}
	}
	return list, nil
}

func formatScopes(list []access.Scope) string { return joinNames(list) }

func joinNames[T ~string](list []T) string {
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = string(name)
	}
	return strings.Join(names, ",")
}

func patterns(to *[]access.Pattern) param.Value {
	return param.Repeated(to, access.ParsePattern, func(p access.Pattern) string { return string(p) })
}

// Token is a token without its secret.
type Token struct {
	Name      string           `json:"name"`
	Scopes    []access.Scope   `json:"scopes"`
	Scenarios []access.Pattern `json:"scenarios,omitempty"` // that it is for; with Lineages empty for all
	Lineages  []access.Pattern `json:"lineages,omitempty"`
	State     string           `json:"state"` // valid, expired or revoked
	AddedBy   string           `json:"added_by,omitzero"`
	AddedAt   time.Time        `json:"added_at"`
	ExpiresAt time.Time        `json:"expires_at,omitzero"` // missing for never
	RevokedAt time.Time        `json:"revoked_at,omitzero"`
	UsedAt    time.Time        `json:"used_at,omitzero"` // about when it was last used
}

// Tokens are all tokens, the oldest first.
type Tokens struct {
	List[Token] `json:",embed"`
}

func (a Tokens) Lead() []Sentence {
	if len(a.Items) > 0 {
		return nil
	}
	return []Sentence{{Kind: Heading, Text: "no tokens"}}
}

func (a Tokens) Tables() []Table { return []Table{tokenTable(a.Items)} }

func tokenTable(list []Token) Table {
	t := Table{Name: "tokens", HiddenIfEmpty: true, Columns: columns("name", "scopes", "only", "state", "added", "by", "expires", "last use").
		drop("by", "added", "last use", "only")}
	for _, x := range list {
		t.Rows = append(t.Rows, []any{
			x.Name, strings.ReplaceAll(joinNames(x.Scopes), ",", " "), x.only(), x.State, timeCell(x.AddedAt), x.AddedBy, timeCell(x.ExpiresAt), timeCell(x.UsedAt),
		})
	}
	return t
}

// only says which scenarios and lineages a token is for; empty for all.
func (t Token) only() string {
	var parts []string
	for _, p := range t.Scenarios {
		parts = append(parts, "scenario "+string(p))
	}
	for _, p := range t.Lineages {
		parts = append(parts, "lineage "+string(p))
	}
	return strings.Join(parts, ", ")
}

// AddedToken is a new token, with its secret for the only time.
type AddedToken struct {
	Token  `json:",embed"`
	Secret access.Secret `json:"token"`
}

func (a AddedToken) Lead() []Sentence {
	return []Sentence{
		{Kind: Heading, Text: fmt.Sprintf("token %s for %s: %s", a.Name, strings.Join(strings.Split(joinNames(a.Scopes), ","), ", "), a.Secret)},
		{Kind: Note, Text: "It is shown only now. Whoever has it can do what it allows.", Joined: true},
	}
}

func (a AddedToken) Tables() []Table {
	t := tokenTable([]Token{a.Token})
	t.ForPrograms = true
	t.Columns = append(t.Columns, columns("token")...)
	t.Rows[0] = append(t.Rows[0], string(a.Secret))
	return []Table{t}
}

// SetTokenQuestion asks to change when a token ends.
type SetTokenQuestion struct {
	Name    string
	Expires *time.Duration // from now; 0 for never
}

func (q *SetTokenQuestion) Params() param.List {
	return param.List{
		{Name: "name", Arg: true, Required: true, Unit: "NAME", Help: "change the token of this name", Value: param.Text(&q.Name)},
		{Name: "expires", Required: true, Unit: "TIME", Help: "let it end after this `TIME` from now, such as 90d or 12h; none for never", Value: removable(&q.Expires, param.Age)},
	}
}

// removable returns a value that the word none takes away; nil if none is given.
func removable[T comparable](to **T, value func(*T) param.Value) param.Value {
	const none = "none"
	return param.Parsed(to, func(text string) (*T, error) {
		given := new(T)
		if text == none {
			return given, nil
		}
		if err := value(given).Set(text); err != nil {
			return nil, fmt.Errorf("%w; %s takes it away", err, none)
		}
		return given, nil
	}, func(given *T) string {
		if given == nil {
			return ""
		}
		return cmp.Or(value(given).String(), none)
	})
}

// ChangedToken is a token that was changed.
type ChangedToken struct {
	Token `json:",embed"`
}

func (a ChangedToken) Lead() []Sentence {
	ends := "never ends"
	if !a.ExpiresAt.IsZero() {
		ends = "ends " + a.ExpiresAt.UTC().Format("2006-01-02 15:04 MST")
	}
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("token %s %s", a.Name, ends)}}
}

func (a ChangedToken) Tables() []Table {
	t := tokenTable([]Token{a.Token})
	t.ForPrograms = true
	return []Table{t}
}

// RevokeTokenQuestion asks to end a token.
type RevokeTokenQuestion struct{ Name string }

func (q *RevokeTokenQuestion) Params() param.List {
	return param.List{{Name: "name", Arg: true, Required: true, Unit: "NAME", Help: "revoke the token of this name", Value: param.Text(&q.Name)}}
}

// TokensQuestion asks for all tokens.
type TokensQuestion struct{}

func (q *TokensQuestion) Params() param.List { return nil }

// RevokedToken is a token that is no longer valid.
type RevokedToken struct {
	Token `json:",embed"`
}

func (a RevokedToken) Lead() []Sentence {
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("token %s is revoked", a.Name)}}
}

func (a RevokedToken) Tables() []Table {
	t := tokenTable([]Token{a.Token})
	t.ForPrograms = true
	return []Table{t}
}

// Remote is a server that the user gave a name.
type Remote struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	HasToken bool   `json:"has_token"`
}

// Remotes are the servers that have names, by name.
type Remotes struct {
	List[Remote] `json:",embed"`
}

func (a Remotes) Lead() []Sentence {
	if len(a.Items) > 0 {
		return nil
	}
	return []Sentence{{Kind: Heading, Text: "no servers"}}
}

func (a Remotes) Tables() []Table { return []Table{remoteTable(a.Items)} }

func remoteTable(list []Remote) Table {
	t := Table{Name: "remotes", HiddenIfEmpty: true, Columns: columns("name", "url", "token").drop("token")}
	for _, r := range list {
		token := "none"
		if r.HasToken {
			token = "kept"
		}
		t.Rows = append(t.Rows, []any{r.Name, r.URL, token})
	}
	return t
}

// ChangedRemote is a server that was added or removed.
type ChangedRemote struct {
	Remote `json:",embed"`
	Change string `json:"change"` // added or removed
}

func (a ChangedRemote) Lead() []Sentence {
	text := fmt.Sprintf("%s the server %s", a.Change, a.Name)
	if a.URL != "" {
		text += " at " + a.URL
	}
	return []Sentence{{Kind: Heading, Text: text}}
}

func (a ChangedRemote) Tables() []Table {
	t := remoteTable([]Remote{a.Remote})
	t.ForPrograms = true
	return []Table{t}
}
