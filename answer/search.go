package answer

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"track/answer/param"
	"track/scoring/format"
)

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
