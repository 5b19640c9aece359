// Package answer is the contract between those who ask and those who answer: each question with its parameters,
// declared once, and each answer as one plain type with JSON names.
//
// Every face of the program renders these types, and none keeps a second shape of them: the command line as tables,
// CSV, Markdown and JSON, reports as documents, a server as JSON. The package computes nothing and reads nothing.
package answer

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring"
	"track/scoring/format"
)

// Answer is what track says to a question. Its JSON is the value itself, see [Encode].
type Answer interface {
	// Lead returns what a reader should see first: what the answer is about, its verdict, the reasons, and what would
	// change it.
	Lead() []Sentence
	// Tables returns the answer as tables, in the order in which people read them.
	Tables() []Table
}

// SentenceKind says what a sentence is for, so that a face can set it apart.
type SentenceKind string

// The kinds of sentences.
const (
	Heading SentenceKind = "heading" // what the answer is about
	Verdict SentenceKind = "verdict"
	Reason  SentenceKind = "reason" // of the verdict above
	Need    SentenceKind = "need"   // what would decide
	Warning SentenceKind = "warning"
	Note    SentenceKind = "note"
	Diff    SentenceKind = "diff" // a unified difference, in several lines
)

// Sentence is a line of text. A new paragraph begins with a Heading, a Verdict and a Note, and with the first Warning.
type Sentence struct {
	Kind    SentenceKind
	Text    string
	Verdict scoring.Verdict // of a sentence of kind Verdict, which the text does not repeat
	Hint    *track.Hint     // a next step that belongs to the text
	Joined  bool            // the sentence goes on in the paragraph before it
}

// Fitting is an answer whose tables fit a log of CI, and not only a terminal.
type Fitting interface{ FitsLogs() }

// Conclusion is what an answer means to a program that asked, such as a job of CI.
type Conclusion string

// The conclusions. Done is that of every answer that concludes nothing else.
const (
	Done          Conclusion = "done"
	Passed        Conclusion = "pass"
	Failed        Conclusion = "fail"
	Inconclusive  Conclusion = "inconclusive"
	Accepted      Conclusion = "accepted"
	Rejected      Conclusion = "rejected"
	NeedsEvidence Conclusion = "needs_evidence"
	Differs       Conclusion = "differs"          // a replay gave something else
	PartlyInvalid Conclusion = "partly_invalid"   // some of the input was refused, the rest recorded
	Waits         Conclusion = "waits"            // records are not yet where they belong
	FoundDamage   Conclusion = "damaged"          // a database does not hold what was recorded
	Conflicting   Conclusion = "partly_conflicts" // something else is recorded under the identity of some of the input
)

// Concluding is an answer that concludes something.
type Concluding interface {
	Answer
	Conclusion() Conclusion
}

// ConclusionOf returns the conclusion of an answer; Done unless it is [Concluding].
func ConclusionOf(a Answer) Conclusion {
	if c, ok := a.(Concluding); ok {
		return c.Conclusion()
	}
	return Done
}

// MaxPage is the largest number of items in one page of a list.
const MaxPage = 1000

// List is the part of an answer that can be long: a page of items and, if more follow, where the next page begins.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"` // parameter "after" of the next page; empty on the last
}

// Listing is an answer that holds a [List].
type Listing interface {
	Answer
	Len() int
	Item(i int) any
	NextPage() string
}

// Len returns the number of items on this page.
func (l List[T]) Len() int { return len(l.Items) }

// Item returns item i of this page.
func (l List[T]) Item(i int) any { return l.Items[i] }

// NextPage returns where the next page begins; empty if this is the last.
func (l List[T]) NextPage() string { return l.Next }

// Page returns the list itself.
func (l List[T]) Page() List[T] { return l }

// AppendPage adds the items of an answer of the same type, the page that follows.
func (l *List[T]) AppendPage(next any) {
	page := next.(interface{ Page() List[T] }).Page()
	l.Items, l.Next = append(l.Items, page.Items...), page.Next
}

// Page says which page of a list is asked for.
type Page struct {
	Limit int    // largest number of items, from 1; 0 for all
	After string // [List.Next] of the page before; empty for the first page
}

// Params declares the parameters of a page; limit is the default.
func (p *Page) Params(limit int) param.List {
	p.Limit = limit
	return param.List{
		{Name: "limit", Unit: "N", Help: "list at most `N`; 0 lists all", Value: param.Whole(&p.Limit, 0)},
		{Name: "after", Unit: "CURSOR", Help: "continue after the page that ended with this `CURSOR`", Value: param.Text(&p.After)},
	}
}

// UnknownCursor returns the error for a page that begins after something unknown: it must not look like the end of
// the list.
func (p Page) UnknownCursor() error {
	return &param.Error{Param: "after", Message: fmt.Sprintf("%q is not the end of a page of this list", p.After)}
}

// PageLimit returns how many items to read for one page: at most [MaxPage].
func (p Page) PageLimit() int {
	if p.Limit == 0 || p.Limit > MaxPage {
		return MaxPage
	}
	return p.Limit
}

// Action is what a loop is to do next.
type Action string

// The actions.
const (
	ActionRun      Action = "run"      // run trials that a policy needs before it decides
	ActionDecide   Action = "decide"   // decide a mutation that has enough evidence
	ActionMutate   Action = "mutate"   // propose a child of the active version, by the operator
	ActionWait     Action = "wait"     // run the active version so many times more
	ActionRollback Action = "rollback" // go back, because a trigger applies
	ActionStop     Action = "stop"     // do nothing until somebody changes something
)

// NextQuestion asks what to do with a lineage now.
type NextQuestion struct {
	Lineage string // empty for the only one
	DryRun  bool
	At      time.Time // zero for now
}

func (q *NextQuestion) Params() param.List {
	return param.List{ofLineage(&q.Lineage), {Name: "dry-run", Help: "draw and record nothing", Value: param.Switch(&q.DryRun)}, atParam(&q.At)}
}

// Next says what to do with a lineage now, and why.
type Next struct {
	Lineage    string                   `json:"lineage"`
	Action     Action                   `json:"action"`
	Reason     string                   `json:"reason"`
	Hold       evolution.Hold           `json:"hold,omitempty"` // what keeps the lineage from mutating
	Head       string                   `json:"head"`
	Version    string                   `json:"version,omitempty"` // to run next, or to mutate
	Task       string                   `json:"task,omitempty"`    // to run it on, or the seed; empty for any
	Executions int                      `json:"executions"`        // to wait for, or to run
	Until      time.Time                `json:"until,omitzero"`    // not before
	Mutation   string                   `json:"mutation,omitempty"`
	Operator   string                   `json:"operator,omitempty"`
	Risk       evolution.Risk           `json:"risk,omitempty"`
	Trials     []PlannedTrial           `json:"trials"`
	Rollback   *evolution.Rollback      `json:"rollback"`
	Draws      []Draw                   `json:"draws"`
	Considered *evolution.Consideration `json:"considered"` // what the answer follows from
	Step       *track.Hint              `json:"step"`       // the command to go on with; null for none
}

func (a Next) Lead() []Sentence {
	text := string(a.Action)
	switch {
	case !a.Until.IsZero():
		text += " until " + a.Until.UTC().Format(time.RFC3339Nano)
	case a.Action == ActionWait:
		text += " for " + format.Counted(a.Executions, "execution") + " of " + orNoVersion(a.Head)
	case a.Action == ActionRun:
		text += " " + format.Counted(a.Executions, "trial") + " for " + a.Mutation
	case a.Action == ActionMutate:
		text += fmt.Sprintf(" %s by %s (%s)", a.Head, a.Operator, a.Risk)
	case a.Mutation != "":
		text += " " + a.Mutation
	case a.Hold != "":
		text += ": " + string(a.Hold)
	}
	lead := []Sentence{{Kind: Heading, Text: text}, {Kind: Note, Text: a.Reason, Joined: true}}
	if a.Step != nil {
		lead = append(lead, Sentence{Kind: Note, Hint: a.Step, Joined: true})
	}
	return lead
}

func (a Next) Tables() []Table {
	var until any
	if !a.Until.IsZero() {
		until = a.Until.UTC().Format(time.RFC3339Nano)
	}
	return []Table{
		{Name: "next", ForPrograms: true, Columns: columns("lineage", "action", "version", "task", "executions", "mutation", "operator", "until", "reason"),
			Rows: [][]any{{a.Lineage, string(a.Action), a.Version, a.Task, a.Executions, a.Mutation, a.Operator, until, a.Reason}}},
		trialTables(a.Trials)[0],
	}
}

// ProblemKind is the kind of a [Problem].
type ProblemKind string

// The kinds of problems.
const (
	Invalid   ProblemKind = "invalid"
	NotFound  ProblemKind = "not_found"
	Conflict  ProblemKind = "conflict"
	Ambiguous ProblemKind = "ambiguous"
	Different ProblemKind = "differs" // something that was done again gives another result
	Damaged   ProblemKind = "damaged"
	Database  ProblemKind = "database"
	Internal  ProblemKind = "internal"
)

// Problem is why there is no answer, as data: an error that a server sends and that its client returns again.
type Problem struct {
	Kind    ProblemKind  `json:"kind"`
	Message string       `json:"message"`
	Param   string       `json:"param,omitempty"` // the parameter of the question that is wrong
	File    string       `json:"file,omitempty"`
	Line    int          `json:"line,omitzero"` // from 1
	Field   string       `json:"field,omitempty"`
	Hints   []track.Hint `json:"hints,omitempty"` // ways out
}

// problemKinds returns the error that stands for each kind, the more special ones first.
func problemKinds() []struct {
	kind ProblemKind
	err  error
} {
	return []struct {
		kind ProblemKind
		err  error
	}{
		{Different, track.ErrDiffers}, {Ambiguous, track.ErrAmbiguous}, {Conflict, track.ErrConflict}, {NotFound, track.ErrNotFound},
		{Damaged, track.ErrDamaged}, {Database, track.ErrDatabase}, {Invalid, track.ErrInvalid},
	}
}

// ProblemOf returns an error as data.
func ProblemOf(err error) Problem {
	p := Problem{Kind: Internal, Message: err.Error(), Hints: track.Hints(err)}
	for _, k := range problemKinds() {
		if errors.Is(err, k.err) {
			p.Kind = k.kind
			break
		}
	}
	if wrong := (*param.Error)(nil); errors.As(err, &wrong) && err.Error() == wrong.Error() {
		p.Param, p.Message = wrong.Param, wrong.Message
		if p.Kind == Internal {
			p.Kind = Invalid
		}
	} else if wrong := (*track.FieldError)(nil); errors.As(err, &wrong) && err.Error() == wrong.Error() {
		p.File, p.Line, p.Field, p.Message = wrong.File, wrong.Line, wrong.Field, wrong.Message
	}
	return p
}

// Err returns the error again: it reads alike, is of the same kind, and has the same ways out.
func (p Problem) Err() error {
	err := error(&problemError{p.Message, p.cause()})
	switch {
	case p.Param != "":
		err = &param.Error{Param: p.Param, Message: p.Message, Cause: p.cause()}
	case p.File != "" || p.Line != 0 || p.Field != "":
		err = &track.FieldError{File: p.File, Line: p.Line, Field: p.Field, Message: p.Message}
	}
	for _, hint := range p.Hints {
		err = track.WithHint(err, hint)
	}
	return err
}

// cause returns the error that stands for the kind; nil for an internal one.
func (p Problem) cause() error {
	for _, k := range problemKinds() {
		if k.kind == p.Kind {
			return k.err
		}
	}
	return nil
}

type problemError struct {
	message string
	cause   error
}

func (e *problemError) Error() string { return e.message }

// Unwrap returns what stands for the kind of the problem.
func (e *problemError) Unwrap() error { return e.cause }

// Encode writes v, an answer or a part of one, as JSON: names in maps sorted, times in UTC, durations in seconds.
// Infinities are the strings "Infinity" and "-Infinity". A NaN is null if it stands for a number that is undefined,
// such as the mean of nothing; in a map of values that were measured it is the string "NaN".
func Encode(w io.Writer, v any, options ...jsontext.Options) error {
	options = append(options, json.WithMarshalers(marshalers()), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return json.MarshalWrite(w, v, options...)
}

// marshalers returns the same value for each answer: it remembers how the types are written that it has met.
var marshalers = sync.OnceValue(func() *json.Marshalers {
	return json.JoinMarshalers(json.MarshalToFunc(encodeMeasured), json.MarshalToFunc(encodeNumber), json.MarshalToFunc(encodeDuration), json.MarshalToFunc(encodeTime))
})

// Decode reads what [Encode] wrote into v, a pointer to an answer. It refuses unknown names.
func Decode(r io.Reader, v any) error {
	return json.UnmarshalRead(r, v, json.RejectUnknownMembers(true), json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(decodeNumber), json.UnmarshalFromFunc(decodeDuration))))
}

func encodeNumber(enc *jsontext.Encoder, x float64) error {
	switch {
	case math.IsNaN(x):
		return enc.WriteToken(jsontext.Null)
	case math.IsInf(x, 1):
		return enc.WriteToken(jsontext.String("Infinity"))
	case math.IsInf(x, -1):
		return enc.WriteToken(jsontext.String("-Infinity"))
	}
	return enc.WriteToken(jsontext.Float(x))
}

// encodeMeasured writes values that were measured, by name.
func encodeMeasured(enc *jsontext.Encoder, values map[string]float64) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := enc.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		if err := encodeValue(enc, values[name]); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// Measured is a number that was measured: in JSON a NaN is the string "NaN", and not null.
type Measured float64

func (x Measured) MarshalJSONTo(enc *jsontext.Encoder) error { return encodeValue(enc, float64(x)) }

func (x *Measured) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return decodeNumber(dec, (*float64)(x))
	}
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	number, err := token.Float()
	*x = Measured(number)
	return err
}

func encodeValue(enc *jsontext.Encoder, x float64) error {
	if math.IsNaN(x) {
		return enc.WriteToken(jsontext.String("NaN"))
	}
	return encodeNumber(enc, x)
}

func decodeNumber(dec *jsontext.Decoder, x *float64) error {
	switch dec.PeekKind() {
	case 'n':
		*x = math.NaN()
		return dec.SkipValue()
	case '"':
	default:
		return errors.ErrUnsupported
	}
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	switch text := token.String(); text {
	case "NaN":
		*x = math.NaN()
	case "Infinity":
		*x = math.Inf(1)
	case "-Infinity":
		*x = math.Inf(-1)
	default:
		return fmt.Errorf("%q is not a number", text)
	}
	return nil
}

func encodeDuration(enc *jsontext.Encoder, d time.Duration) error {
	return enc.WriteToken(jsontext.Float(d.Seconds()))
}

func decodeDuration(dec *jsontext.Decoder, d *time.Duration) error {
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != '0' {
		return fmt.Errorf("a duration is a number of seconds, not %s", token.Kind())
	}
	seconds, err := token.Float()
	*d = time.Duration(math.Round(seconds * float64(time.Second)))
	return err
}

func encodeTime(enc *jsontext.Encoder, t time.Time) error {
	return enc.WriteToken(jsontext.String(t.UTC().Format(time.RFC3339Nano)))
}
