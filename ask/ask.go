// Package ask lists the questions that track answers, each bound to the function that answers it from a database.
// Every face asks through it, so that it cannot tell a database from a server. A function without a comment returns a
// question; its Help says what is asked.
package ask

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net/url"
	"strconv"
	"strings"

	"track/access"
	"track/answer"
	"track/answer/param"
	"track/reports/chart"
	"track/reports/document"
	"track/store"
	"track/tracker/seeds"
)

// Source is what answers: a database or a server. Store or all of Fetch, FetchAs and FetchFiles are set.
type Source struct {
	Store *store.Store
	Fetch func(ctx context.Context, question string, params url.Values, into any) error
	// FetchAs writes the answer as it is sent in a media type.
	FetchAs func(ctx context.Context, question string, params url.Values, media string, w io.Writer) error
	// FetchFiles has create begin each file of the answer, and writes it. An answer that is cut off is an error.
	FetchFiles func(ctx context.Context, question string, params url.Values, create Create, into any) error
	Actor      string // who asks; recorded with a change
	// MostRows and MostBytes bound the answers of [Bounded] questions; 0 for any number.
	MostRows  int
	MostBytes int64
	state     *store.Reader // one state of Store, which all questions are asked of; nil: each is asked of the newest
}

// Snapshot calls ask with a source in which all questions that record nothing are answered from one state of the
// database, whatever is recorded meanwhile.
func Snapshot(ctx context.Context, from Source, ask func(Source) error) error {
	if from.Store == nil || from.state != nil {
		return ask(from)
	}
	return from.Store.Snapshot(ctx, func(r *store.Reader) error {
		from.state = r
		return ask(from)
	})
}

// Def binds a question Q to what answers it with an A. One of Read and Write is set.
type Def[Q any, A answer.Answer] struct {
	Name   string // of the question, as the command line has it: "spec show"
	Path   string // at which a server is asked; empty for the words of the name: "spec/show"
	Scope  access.Scope
	Help   string              // one line that begins with a verb
	About  string              // sentences on what the answer means, for every face; empty for none
	Params func(*Q) param.List // sets the defaults
	// Concludes lists what the answer can mean to a program; empty if it always means [answer.Done].
	Concludes []answer.Conclusion
	// Read answers from one state of the database.
	Read func(ctx context.Context, r *store.Reader, q Q) (A, error)
	// Stream gives the answer of Read in pages, so that it need not fit into the memory; nil if it always does.
	Stream func(ctx context.Context, r *store.Reader, q Q, page func(A) error) error
	// Draw answers with a picture; nil if there is none.
	Draw func(ctx context.Context, r *store.Reader, q Q) (chart.Chart, error)
	// Write answers, and records something.
	Write func(ctx context.Context, st *store.Store, q Q) (A, error)
	// Notes says that Write only notes that the question was asked, such as an interim analysis. A database that cannot
	// be written answers as well; the answer then says that nothing was noted.
	Notes bool
	// Live says that the answer depends on more than the database: on the time, or on what processes do.
	Live bool
	// Long says that the whole database is read: a server gives it more time, and answers one such question at once.
	Long bool
	// Posted says that a parameter can be too long for an address, so a server is asked by POST.
	Posted bool
	// Trial reports whether a question that can record something only tries; nil if it never does.
	Trial func(q Q) bool
	// Creates reports whether the database is created for the question if it does not exist; nil if it never is.
	Creates func(q Q) bool
}

// checker is a question whose parameters depend on one another.
type checker interface {
	// Check returns an [param.Error] if the parameters do not fit together.
	Check() error
}

// Acting is a question that changes something, which is recorded with who asked.
type Acting interface{ SetActor(name string) }

// Bounded is a question whose answer can be of any size.
type Bounded interface{ Bound(rows int, bytes int64) }

func (from Source) bound(q any) {
	if bounded, ok := q.(Bounded); ok && from.Store != nil {
		bounded.Bound(from.MostRows, from.MostBytes)
	}
}

// Records reports whether answering q must record something.
func (d Def[Q, A]) Records(q Q) bool {
	return d.Write != nil && !d.Notes && (d.Trial == nil || !d.Trial(q))
}

// check returns the error of a question whose parameters do not fit together.
func check[Q any](q *Q) error {
	if c, ok := any(q).(checker); ok {
		return c.Check()
	}
	return nil
}

// Ask returns the answer of a source.
func (d Def[Q, A]) Ask(ctx context.Context, from Source, q Q) (a A, err error) {
	if err := check(&q); err != nil {
		return a, err
	}
	if acting, ok := any(&q).(Acting); ok {
		acting.SetActor(from.Actor)
	}
	from.bound(&q)
	switch {
	case from.Store == nil:
		var params url.Values
		if params, err = d.bind(&q).Encode(); err == nil {
			err = from.Fetch(ctx, d.Name, params, &a)
		}
	case d.Write != nil:
		a, err = d.Write(ctx, from.Store, q)
	case from.state != nil:
		a, err = d.Read(ctx, from.state, q)
	default:
		err = from.Store.Snapshot(ctx, func(r *store.Reader) error {
			a, err = d.Read(ctx, r, q)
			return err
		})
	}
	return a, err
}

// bind returns the parameters of a question that has its values already; Params alone would set the defaults again.
func (d Def[Q, A]) bind(q *Q) param.List { return bind(q, d.Params) }

func bind[Q any](q *Q, declare func(*Q) param.List) param.List {
	given := *q
	params := declare(q)
	*q = given
	return params
}

// Question is a [Def] without its types, for faces that treat all questions alike.
type Question struct {
	Name, Help, About string
	Path              string // at which a server is asked: "spec/show"
	Scope             access.Scope
	Writes            bool // answering can record something
	Notes             bool // what it records is that somebody asked
	Live              bool // the answer depends on more than the database
	Long              bool // the whole database is read
	Posted            bool // a parameter can be too long for an address
	Concludes         []answer.Conclusion
	Params            param.List    // with their defaults
	Zero              answer.Answer // an answer that says nothing: its type is the shape of the answer
	Ask               func(ctx context.Context, from Source, in url.Values) (answer.Answer, error)
	// Pages gives the answer of Ask in pages, as [Def.Pages] does; nil if it always fits into the memory.
	Pages func(ctx context.Context, from Source, in url.Values) iter.Seq2[answer.Answer, error]

	// Media lists the media types of a document or a picture that answers the question, the preferred one first. WriteAs
	// writes it in one of them. Zero and Ask are nil if there is no other answer.
	Media   []string
	WriteAs func(ctx context.Context, from Source, in url.Values, media string, w io.Writer) error
	// Compose returns the document of a report from a database. No look is recorded, so a report that is one comes as a
	// preview, without its verdicts. It is nil for other questions.
	Compose func(ctx context.Context, from Source, in url.Values) (document.Document, error)

	// WriteFiles writes the files that answer the question, and returns what is said of them. It is nil for other
	// questions. Several reports whether there can be more than one; Unbound, that they hold more than what the question
	// names; Small, that they fit into memory.
	WriteFiles func(ctx context.Context, from Source, in url.Values, create Create) (answer.Answer, error)
	Several    func(in url.Values) bool
	Unbound    bool
	Small      bool
}

// IsPosted reports whether a server is asked by POST, with the parameters in the body.
func (q Question) IsPosted() bool { return q.Writes || q.Posted }

// Question returns the definition without its types.
func (d Def[Q, A]) Question() Question {
	var zero A
	question := Question{
		Name: d.Name, Help: d.Help, About: d.About, Path: cmp.Or(d.Path, strings.ReplaceAll(d.Name, " ", "/")), Scope: d.Scope, Writes: d.Write != nil, Notes: d.Notes, Live: d.Live, Long: d.Long, Posted: d.Posted, Concludes: d.Concludes, Params: d.Params(new(Q)), Zero: zero,
		Ask: func(ctx context.Context, from Source, in url.Values) (answer.Answer, error) {
			var q Q
			if err := d.Params(&q).Set(in); err != nil {
				return nil, err
			}
			return d.Ask(ctx, from, q)
		},
	}
	if d.Stream != nil {
		question.Pages = d.anyPages
	}
	if d.Draw != nil {
		question.Media, question.WriteAs = []string{SVG}, d.writePicture
	}
	return question
}

// Name is a scenario or a lineage that a question names.
type Name struct {
	Text    string
	Lineage bool
}

// Names returns the scenarios and lineages that a question with these parameters names, whether they exist or not.
func (q Question) Names(in url.Values) (list []Name) {
	for _, p := range q.Params {
		kind, names := naming(p.Name)
		if !names {
			continue
		}
		for _, text := range in[p.Name] {
			name, _, _ := strings.Cut(text, "@") // as every selector is read
			list = append(list, Name{name, kind == lineageName})
		}
	}
	return list
}

type nameKind int

const (
	scenarioName nameKind = iota
	lineageName
)

// naming reports whether parameters of a name hold names of scenarios or lineages.
func naming(parameter string) (kind nameKind, names bool) {
	switch parameter {
	case "scenario", "candidate", "baseline", "anchor":
		return scenarioName, true
	case "lineage", "version":
		return lineageName, true
	}
	return 0, false
}

func Params() Def[answer.ParamsQuestion, answer.ParamsAnalysis] {
	return Def[answer.ParamsQuestion, answer.ParamsAnalysis]{
		Name: "params", Scope: access.Read, Help: "rank the configurations of a grid or design, and show the effect of each parameter",
		About: `Ranks configurations by their score, or by a metric, with intervals. For each parameter it shows the mean of each level (or of ranges of
numbers), how it differs from the mean of all, and the rank correlation. If all configurations ran the same seeds, differences are taken
seed by seed. What was not compared is named.`,
		Params: (*answer.ParamsQuestion).Params, Read: seeds.AnalyseParams, Draw: drawParams,
	}
}

// Pages asks for one page after the other, until as many items were listed as the question's parameter "limit"
// allows; 0 allows all. An answer that is no list is one page.
func (d Def[Q, A]) Pages(ctx context.Context, from Source, q Q) iter.Seq2[A, error] {
	if d.Stream != nil && from.Store != nil {
		return d.stream(ctx, from, q)
	}
	return func(yield func(A, error) bool) {
		params := d.bind(&q)
		left, err := limitOf(params)
		for err == nil {
			if err = setLimit(params, left); err != nil {
				break
			}
			var a A
			a, err = d.Ask(ctx, from, q)
			if !yield(a, err) || err != nil {
				return
			}
			list, ok := any(a).(answer.Listing)
			if !ok || list.NextPage() == "" {
				return
			}
			if left > 0 {
				if left -= list.Len(); left <= 0 {
					return
				}
			}
			err = setParam(params, "after", list.NextPage())
		}
		var none A
		yield(none, err)
	}
}

// errStopped ends a stream of which no more pages are wanted.
var errStopped = errors.New("stopped")

func (d Def[Q, A]) stream(ctx context.Context, from Source, q Q) iter.Seq2[A, error] {
	from.bound(&q)
	return func(yield func(A, error) bool) {
		err := Snapshot(ctx, from, func(from Source) error {
			return d.Stream(ctx, from.state, q, func(page A) error {
				if !yield(page, nil) {
					return errStopped
				}
				return nil
			})
		})
		if err != nil && !errors.Is(err, errStopped) {
			var none A
			yield(none, err)
		}
	}
}

// anyPages is [Def.Pages] without types.
func (d Def[Q, A]) anyPages(ctx context.Context, from Source, in url.Values) iter.Seq2[answer.Answer, error] {
	return func(yield func(answer.Answer, error) bool) {
		var q Q
		if err := d.Params(&q).Set(in); err != nil {
			yield(nil, err)
			return
		}
		for a, err := range d.Pages(ctx, from, q) {
			if !yield(a, err) {
				return
			}
		}
	}
}

// Whole asks for all pages that the limit allows, and returns them as one answer.
func (d Def[Q, A]) Whole(ctx context.Context, from Source, q Q) (whole A, err error) {
	first := true
	for a, err := range d.Pages(ctx, from, q) {
		if err != nil {
			return whole, err
		}
		if first {
			whole, first = a, false
			continue
		}
		any(&whole).(interface{ AppendPage(next any) }).AppendPage(a)
	}
	return whole, nil
}

// limitOf returns the parameter "limit"; 0 if there is none.
func limitOf(params param.List) (int, error) {
	limit, ok := params.Find("limit")
	if !ok || limit.Value.String() == "" {
		return 0, nil
	}
	return strconv.Atoi(limit.Value.String())
}

func setParam(params param.List, name, text string) error {
	p, _ := params.Find(name)
	return p.Set(text)
}

// setLimit asks for one page, of no more items than are left; 0 for all.
func setLimit(params param.List, left int) error {
	if _, ok := params.Find("after"); !ok { // the answer has no pages
		return nil
	}
	if left == 0 || left > answer.MaxPage {
		left = answer.MaxPage
	}
	return setParam(params, "limit", strconv.Itoa(left))
}
