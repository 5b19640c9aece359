package ask

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/url"
	"strings"

	"track"
	"track/access"
	"track/answer/param"
	"track/reports"
	"track/reports/document"
	"track/store"
	"track/tracker/seeds"
)

// The media types of answers that are read and looked at.
const (
	markdown = "text/markdown"
	HTML     = "text/html"
	SVG      = "image/svg+xml"
)

// Report binds a question Q to the document that answers it.
type Report[Q any] struct {
	Name   string // of the question, as the command line has it: "report stability"
	Help   string
	About  string
	Params func(*Q) param.List // sets the defaults
	// Judges says that the document has verdicts on seeds, so it is recorded as an interim analysis.
	Judges bool
	// Compose makes the document from one state of the database.
	Compose func(ctx context.Context, r *store.Reader, q Q) (Composed, error)
}

// Composed is a document, with what is recorded of it.
type Composed struct {
	document.Document
	Looks   []store.Look             // to be recorded
	Preview func() document.Document // the document without what would be an interim analysis; nil if nothing in it is
}

// Check returns a [param.Error] if the parameters of a question do not fit together.
func (d Report[Q]) Check(q *Q) error { return check(q) }

// Write writes the document in one of its media types. Markdown has the descriptions of pictures in their place.
func (d Report[Q]) Write(ctx context.Context, from Source, q Q, media string, w io.Writer) error {
	if err := d.Check(&q); err != nil {
		return err
	}
	if from.Store == nil {
		params, err := bind(&q, d.Params).Encode()
		if err != nil {
			return err
		}
		return from.FetchAs(ctx, d.Name, params, media, w)
	}
	var c Composed
	err := from.Store.Snapshot(ctx, func(r *store.Reader) (err error) {
		c, err = d.Compose(ctx, r, q)
		return err
	})
	if err != nil {
		return err
	}
	if err := seeds.RecordLooks(ctx, from.Store, c.Looks, rand.Reader); err != nil {
		c.Document = reports.WithWarning(c.Document, "This interim analysis (look) is not recorded, so later ones will not count it.")
	}
	return writeDocument(w, c.Document, media)
}

// media returns the media types of the document, the preferred one first.
func (d Report[Q]) media() []string { return []string{markdown, HTML} }

func writeDocument(w io.Writer, d document.Document, media string) error {
	switch media {
	case HTML:
		return d.HTML(w)
	case markdown:
		return reports.WithoutPictures(d).Markdown(w, document.MarkdownOptions{})
	}
	return fmt.Errorf("%w: a report is not written as %s", track.ErrInvalid, media)
}

// Question returns the definition without its types.
func (d Report[Q]) Question() Question {
	return Question{
		Name: d.Name, Help: d.Help, About: d.About, Path: strings.ReplaceAll(d.Name, " ", "/"), Scope: access.Read, Writes: d.Judges, Notes: d.Judges,
		Params: d.Params(new(Q)), Media: d.media(),
		WriteAs: func(ctx context.Context, from Source, in url.Values, media string, w io.Writer) error {
			var q Q
			if err := d.Params(&q).Set(in); err != nil {
				return err
			}
			return d.Write(ctx, from, q, media, w)
		},
		Compose: func(ctx context.Context, from Source, in url.Values) (document.Document, error) {
			var q Q
			if err := d.Params(&q).Set(in); err != nil {
				return document.Document{}, err
			}
			if err := d.Check(&q); err != nil {
				return document.Document{}, err
			}
			var c Composed
			err := Snapshot(ctx, from, func(from Source) (err error) {
				c, err = d.Compose(ctx, from.state, q)
				return err
			})
			if err == nil && c.Preview != nil {
				return c.Preview(), nil
			}
			return c.Document, err
		},
	}
}
