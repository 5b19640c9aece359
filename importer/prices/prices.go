// Package prices computes what executions cost, from their tokens and a dated table of prices.
package prices

import (
	_ "embed" // the table
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"track"
	"track/internal/jsonio"
)

// Table is a list of prices of one day.
type Table struct {
	Date   string  `json:"date"` // YYYY-MM-DD
	Source string  `json:"source"`
	Models []Price `json:"models"`
}

// Price is the price of a model, in US dollars per million tokens.
type Price struct {
	// Model is a name, which also stands for the name with a date behind it, such as NAME-20250929 or NAME-2025-09-29.
	// If it ends in *, it stands for all names that begin like it.
	Model      string   `json:"model"`
	Input      float64  `json:"input"` // read and not taken from a cache
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cache_read"`  // nil if unknown
	CacheWrite *float64 `json:"cache_write"` // nil if unknown
	// LongestPrompt is how many tokens a request may read for these prices; 0 for any number.
	LongestPrompt int64 `json:"longest_prompt"`
}

//go:embed prices.json
var builtin []byte

// Builtin returns the table of the program.
func Builtin() *Table {
	t, err := Parse("prices.json", builtin)
	if err != nil {
		panic(err) // a test reads it
	}
	return t
}

// Parse reads a table. Its error names the file and the field.
func Parse(file string, text []byte) (*Table, error) {
	var t Table
	if err := json.Unmarshal(text, &t, json.RejectUnknownMembers(true)); err != nil {
		problem := jsonio.FieldError(err).Shorten()
		problem.File = file
		return nil, problem
	}
	if _, err := time.Parse(time.DateOnly, t.Date); err != nil {
		return nil, &track.FieldError{File: file, Field: "date", Message: fmt.Sprintf("%q is not a date such as 2026-01-31", t.Date)}
	}
	for i, p := range t.Models {
		field := fmt.Sprintf("models.%d.", i)
		if p.Model == "" {
			return nil, &track.FieldError{File: file, Field: field + "model", Message: "missing"}
		}
		for name, price := range map[string]*float64{"input": &p.Input, "output": &p.Output, "cache_read": p.CacheRead, "cache_write": p.CacheWrite} {
			if price != nil && !(*price >= 0 && *price <= math.MaxFloat64) {
				return nil, &track.FieldError{File: file, Field: field + name, Message: fmt.Sprintf("%v is not a price", *price)}
			}
		}
	}
	return &t, nil
}

// Apply computes the cost of an execution whose source gives none. It reports whether the cost is known then: all of
// its models have a price, and what it used is known.
func (t *Table) Apply(e *track.Execution) bool {
	if t == nil || e.CostUSD != nil || e.Tokens == nil {
		return e.CostUSD != nil
	}
	requests := e.Requests
	if sum := track.SumOfRequests(requests); sum == nil || !sameCounts(*sum, *e.Tokens) { // then the total alone is right
		requests = []track.ModelRequest{{Tokens: e.Tokens}}
		for _, r := range e.Requests {
			if r.Model != "" {
				return false
			}
		}
	}
	total := 0.0
	for _, r := range requests {
		model := r.Model
		if model == "" {
			model = e.Model
		}
		cost, known := t.cost(model, r.Tokens)
		if !known {
			return false
		}
		total += cost
	}
	e.CostUSD, e.Priced = &total, t.Date
	return true
}

func sameCounts(a, b track.Tokens) bool {
	same := func(a, b *int64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	return same(a.Input, b.Input) && same(a.Output, b.Output) && same(a.CacheRead, b.CacheRead) && same(a.CacheWrite, b.CacheWrite)
}

// cost returns what a request cost. Reasoning is a part of the output.
func (t *Table) cost(model string, used *track.Tokens) (cost float64, known bool) {
	p := t.find(model)
	if p == nil || used == nil || used.Input == nil || used.Output == nil {
		return 0, false
	}
	prompt := int64(0)
	for _, part := range [...]struct {
		n       *int64
		price   *float64
		isInput bool
	}{{used.Input, &p.Input, true}, {used.Output, &p.Output, false}, {used.CacheRead, p.CacheRead, true}, {used.CacheWrite, p.CacheWrite, true}} {
		if part.n == nil || *part.n == 0 {
			continue
		}
		if part.price == nil {
			return 0, false
		}
		if part.isInput {
			prompt += *part.n
		}
		cost += float64(*part.n) * *part.price / 1e6
	}
	return cost, p.LongestPrompt == 0 || prompt <= p.LongestPrompt
}

var dated = regexp.MustCompile(`^-(?:\d{8}|\d{4}-\d{2}-\d{2})$`)

// find returns the price of a model, by the longest name that stands for it; nil if there is none. What a name has
// before a slash is the provider.
func (t *Table) find(model string) (found *Price) {
	model = model[strings.LastIndexByte(model, '/')+1:]
	for i := range t.Models {
		p := &t.Models[i]
		name, isPrefix := strings.CutSuffix(p.Model, "*")
		rest, begins := strings.CutPrefix(model, name)
		if begins && (isPrefix || rest == "" || dated.MatchString(rest)) && (found == nil || len(name) > len(strings.TrimSuffix(found.Model, "*"))) {
			found = p
		}
	}
	return found
}
