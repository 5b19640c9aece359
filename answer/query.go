package answer

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
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
