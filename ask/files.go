package ask

import (
	"context"
	"io"
	"net/url"
	"strings"

	"track/access"
	"track/answer"
	"track/answer/param"
	"track/store"
)

// The media types of an answer that is files: all of them with what is said of them, or the only file alone.
const (
	Multipart = "multipart/mixed"
	Binary    = "application/octet-stream"
)

// Create begins a file. It ends when the next one begins, or when the answer is there.
type Create func(name string) (io.Writer, error)

// Files binds a question Q to files that answer it, and to an A that says what is in them.
type Files[Q any, A answer.Answer] struct {
	Name   string // of the question, as the command line has it: "export table"
	Help   string
	About  string
	Params func(*Q) param.List // sets the defaults
	// Unbound says that the files hold more than what the question names: a token for some names does not get them.
	Unbound bool
	// Judges says that the files have verdicts on seeds, so they are recorded as an interim analysis.
	Judges bool
	// Small says that the files together are small, so that a server can hold them.
	Small bool
	// Several reports whether there can be more than one file; nil if there never is.
	Several func(q Q) bool
	// Write writes the files one after the other.
	Write func(ctx context.Context, st *store.Store, q Q, create Create) (A, error)
}

// Ask writes the files that a source answers with.
func (d Files[Q, A]) Ask(ctx context.Context, from Source, q Q, create Create) (a A, err error) {
	if err := check(&q); err != nil {
		return a, err
	}
	if from.Store != nil {
		return d.Write(ctx, from.Store, q, create)
	}
	params, err := bind(&q, d.Params).Encode()
	if err == nil {
		err = from.FetchFiles(ctx, d.Name, params, create, &a)
	}
	return a, err
}

// Question returns the definition without its types.
func (d Files[Q, A]) Question() Question {
	var zero A
	return Question{
		Name: d.Name, Help: d.Help, About: d.About, Path: strings.ReplaceAll(d.Name, " ", "/"), Scope: access.Read, Writes: d.Judges, Notes: d.Judges, Params: d.Params(new(Q)), Zero: zero,
		Media: []string{Binary, Multipart}, Unbound: d.Unbound, Small: d.Small,
		WriteFiles: func(ctx context.Context, from Source, in url.Values, create Create) (answer.Answer, error) {
			var q Q
			if err := d.Params(&q).Set(in); err != nil {
				return nil, err
			}
			return d.Ask(ctx, from, q, create)
		},
		Several: func(in url.Values) bool {
			var q Q
			return d.Several != nil && d.Params(&q).Set(in) == nil && d.Several(q)
		},
	}
}
