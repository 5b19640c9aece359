package answer

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
	"track/scoring/format"
)

// QueryQuestion asks for the rows of a reading SQL statement.
type QueryQuestion struct {
	SQL   string
	Limit int // largest number of rows; 0 for all

	mostRows  int   // that whoever answers gives; 0 for any number
	mostBytes int64 // the same of bytes
}

// Bound sets how many rows and bytes whoever answers gives, whatever the limit.
func (q *QueryQuestion) Bound(rows int, bytes int64) { q.mostRows, q.mostBytes = rows, bytes }

// IsEnough reports whether no more is given after a number of rows and bytes.
func (q *QueryQuestion) IsEnough(rows int, bytes int64) bool {
	return q.Limit > 0 && rows >= q.Limit || q.mostRows > 0 && (rows >= q.mostRows || bytes >= q.mostBytes)
}

func (q *QueryQuestion) Params() param.List {
	q.Limit = 10_000
	return param.List{
		{Name: "sql", Arg: true, Required: true, Unit: "SQL", Help: "run this `SQL`", Value: param.Text(&q.SQL)},
		{Name: "limit", Unit: "N", Help: "give at most `N` rows, and say so if there are more; 0 gives all", Value: param.Whole(&q.Limit, 0)},
	}
}

// Query is the rows of a query. Each row is a JSON object with the columns in order; a BLOB is its hexadecimal digits.
type Query struct {
	Columns              []string `json:"columns"`
	List[jsontext.Value] `json:",embed"`
	LimitedTo            int  `json:"limited_to,omitzero"` // rows that were given, if there are more
	Bounded              bool `json:"bounded,omitzero"`    // whoever answers gives no more, whatever the limit
}

func (a Query) Limited() *Sentence {
	if a.LimitedTo == 0 {
		return nil
	}
	hint := track.NewHint("give all rows", "query", "SQL").With("limit", "0")
	if a.Bounded {
		hint = track.Hint{Text: "the server gives no more at once: ask for less, by a condition or with LIMIT and OFFSET"}
	}
	return &Sentence{Kind: Warning, Text: fmt.Sprintf("the query has more rows than the first %d, which are given", a.LimitedTo), Hint: &hint}
}

// LimitedAnswer is an answer that can have fewer rows than there are.
type LimitedAnswer interface {
	// Limited returns the sentence that says that there are more rows, and how to get them; nil if there are none.
	Limited() *Sentence
}

// NewQueryRow returns a row as JSON: cells are int64, float64, string or nil.
func NewQueryRow(columns []string, cells []any) (jsontext.Value, error) {
	var b bytes.Buffer
	enc := jsontext.NewEncoder(&b, jsontext.AllowInvalidUTF8(true))
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return nil, err
	}
	for i, column := range columns {
		if err := enc.WriteToken(jsontext.String(column)); err != nil {
			return nil, err
		}
		if err := writeCell(enc, cells[i]); err != nil {
			return nil, err
		}
	}
	err := enc.WriteToken(jsontext.EndObject)
	return jsontext.Value(bytes.TrimSpace(b.Bytes())), err
}

func writeCell(enc *jsontext.Encoder, cell any) error {
	switch cell := cell.(type) {
	case int64:
		return enc.WriteToken(jsontext.Int(cell))
	case float64:
		return encodeNumber(enc, cell)
	case string:
		return enc.WriteToken(jsontext.String(cell))
	}
	return enc.WriteToken(jsontext.Null)
}

func (Query) Lead() []Sentence { return nil }

func (a Query) Tables() []Table {
	t := Table{Name: "rows", Columns: columns(a.Columns...)}
	for _, row := range a.Items {
		t.Rows = append(t.Rows, readCells(row, len(a.Columns)))
	}
	return []Table{t}
}

// readCells returns the cells of a row, numbers as exactly as they are: nobody said what they mean.
func readCells(row jsontext.Value, n int) []any {
	cells := make([]any, 0, n)
	dec := jsontext.NewDecoder(bytes.NewReader(row), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	_, _ = dec.ReadToken()
	for dec.PeekKind() == '"' {
		_, _ = dec.ReadToken() // the name
		token, err := dec.ReadToken()
		if err != nil {
			break
		}
		switch token.Kind() {
		case '"':
			cells = append(cells, token.String())
		case '0':
			cells = append(cells, exactNumber(token.String()))
		default:
			cells = append(cells, nil)
		}
	}
	for len(cells) < n {
		cells = append(cells, nil)
	}
	return cells
}

// exactNumber returns a cell with all digits of a number.
func exactNumber(text string) any {
	if !strings.ContainsAny(text, ".eE") && text != "-0" {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		x = math.NaN()
	}
	return Cell{strconv.FormatFloat(x, 'g', -1, 64), x}
}

// SearchQuestion asks which names hold a text, and which texts of executions hold its words.
type SearchQuestion struct {
	Text    string // a part of a name; words and "phrases", all of which a text must hold
	Of      LineageSelector
	Model   string
	Kind    string
	Limit   int
	Rebuild bool // make the index anew first
}

func (q *SearchQuestion) Params() param.List {
	q.Limit = 20
	return param.List{
		{Name: "text", Arg: true, Required: true, Unit: "TEXT", Help: `find names with this text, and texts with all these words; words in "quotes" must follow one another`, Value: param.Text(&q.Text)},
		{Name: "lineage", Unit: "LINEAGE[@VERSION]", Help: "search only this `LINEAGE[@VERSION]`", Value: lineageSelectorValue(&q.Of)},
		{Name: "model", Unit: "MODEL", Help: "search only executions of this `MODEL`", Value: param.Text(&q.Model)},
		{Name: "kind", Help: "search only texts of this kind", Enum: []string{"prompt", "input", "output", "error", "answer", "message"}, Value: param.Text(&q.Kind)},
		{Name: "limit", Unit: "N", Help: "list at most `N` texts, and `N` names of each kind", Value: param.Whole(&q.Limit, 1)},
		{Name: "rebuild", Help: "make the index of texts anew first", Local: true, Value: param.Switch(&q.Rebuild)},
	}
}

// Phrases returns the words and phrases that are searched for.
func (q SearchQuestion) Phrases() (list []string) {
	add := func(text string) {
		if strings.ContainsFunc(text, isTokenRune) {
			list = append(list, text)
		}
	}
	for i, part := range strings.Split(q.Text, `"`) {
		if i%2 == 1 {
			add(part)
			continue
		}
		for _, word := range strings.Fields(part) {
			add(word)
		}
	}
	return list
}

// Name returns the part of a name that is searched for, and the scenario or lineage that must have it, as in toy@v1.
// The part is empty if only texts are wanted.
func (q SearchQuestion) Name() (part, of string) {
	if q.Model != "" || q.Kind != "" || q.Of.Version != nil {
		return "", ""
	}
	part = strings.TrimSpace(strings.ReplaceAll(q.Text, `"`, ""))
	if at := strings.LastIndex(part, "@"); at > 0 && at < len(part)-1 {
		of, part = part[:at], part[at+1:]
	}
	if q.Of.Lineage != "" {
		of = q.Of.Lineage
	}
	return part, of
}

func isTokenRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func (q *SearchQuestion) Check() error {
	const most = 64
	switch n := len(q.Phrases()); {
	case n == 0:
		return &param.Error{Param: "text", Message: "has no letter and no digit to search for"}
	case n > most:
		return &param.Error{Param: "text", Message: fmt.Sprintf("has %d words: use at most %d", n, most)}
	}
	return nil
}

// FoundText is a place where the words were found.
type FoundText struct {
	Execution string    `json:"execution"` // id
	Lineage   string    `json:"lineage"`
	Version   string    `json:"version"`
	Task      string    `json:"task"`
	Model     string    `json:"model"`
	At        time.Time `json:"at"`
	Kind      string    `json:"kind"` // prompt, answer, message, or input, output or error of a call
	Call      int       `json:"call"` // number from 1; 0 if it is no text of a call
	Rank      float64   `json:"rank"` // bm25: more is better
	Snippet   string    `json:"snippet"`
	// Matches says where in the snippet the words are, in order; a snippet of a long text may hold only some.
	Matches []TextRange `json:"matches"`
}

// FoundName is a name that holds what was searched for.
type FoundName struct {
	Kind          string `json:"kind"`                    // scenario, configuration, lineage, version, mutation, metric, sweep or execution
	Name          string `json:"name"`                    // label of a configuration, or its hash; id of a mutation, a sweep or an execution
	Scenario      string `json:"scenario,omitempty"`      // that it belongs to
	Lineage       string `json:"lineage,omitempty"`       // that it belongs to
	Configuration string `json:"configuration,omitempty"` // hash
}

// FoundTexts are the names and the places where words were found: the names that equal the text first, and the best
// texts first.
type FoundTexts struct {
	Text       string      `json:"text"`
	Names      []FoundName `json:"names"`
	CutNames   []string    `json:"cut_names,omitempty"` // kinds of which more names match
	Items      []FoundText `json:"items"`
	N          int         `json:"n"`           // texts that match
	NUnindexed int         `json:"n_unindexed"` // executions that were not searched, because the database cannot be written
}

func (a FoundTexts) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: a.heading()}}
	if a.NUnindexed > 0 {
		lead = append(lead, Sentence{Kind: Warning, Text: fmt.Sprintf("the index lacks %s, and the database cannot be written to add what is missing", format.Counted(a.NUnindexed, "execution"))})
	}
	return lead
}

func (a FoundTexts) heading() string {
	names := ""
	if len(a.CutNames) > 0 {
		names = "more than "
	}
	if len(a.Names) > 0 {
		names += format.Counted(len(a.Names), "name") + " and "
	}
	return fmt.Sprintf("%s%s with %q", names, format.Counted(a.N, "text"), a.Text)
}

func (a FoundTexts) Tables() []Table { return []Table{a.names(), a.texts()} }

func (a FoundTexts) names() Table {
	t := Table{Name: "names", Title: "names", HiddenIfEmpty: true, Columns: columns("kind", "name", "scenario", "lineage", "configuration").drop("configuration")}
	for _, f := range a.Names {
		var configuration any
		if f.Configuration != "" {
			configuration = hashCell(f.Configuration)
		}
		t.Rows = append(t.Rows, []any{f.Kind, f.Name, f.Scenario, f.Lineage, configuration})
	}
	if len(a.CutNames) > 0 {
		t.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("more names of %s match; a larger limit, or a longer part of the name, lists them", strings.Join(a.CutNames, ", "))}}
	}
	return t
}

func (a FoundTexts) texts() Table {
	t := Table{
		Name: "texts", Title: "texts", Main: true, Empty: "Only texts that are kept are searched: answers, messages and errors always; prompts, inputs and outputs where the lineage keeps texts.",
		Columns: columns("execution", "lineage", "version", "kind", "call", "at", "model", "task", "rank", "snippet").drop("rank", "model", "task", "at", "version", "lineage").wrap("snippet"),
	}
	for _, f := range a.Items {
		var call any
		if f.Call > 0 {
			call = f.Call
		}
		t.Rows = append(t.Rows, []any{f.Execution, f.Lineage, f.Version, f.Kind, call, timeCell(f.At), f.Model, f.Task, numberCell(f.Rank, format.Four), MarkedText{f.Snippet, f.Matches}})
	}
	if more := a.N - len(a.Items); more > 0 {
		t.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("the best %d; %d more match, and a larger limit lists them", len(a.Items), more)}}
	}
	return t
}
