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
	// Compose composes the report from one state of the database; as a preview without what would be an interim
	// analysis.
	Compose func(ctx context.Context, r *store.Reader, q Q, preview bool) (Composed, error)
}

// Composed is a report, with what is recorded of it.
type Composed struct {
	reports.Report
	Index *reports.Index // the report is an index; nil for another
	Looks []store.Look   // to be recorded
}

// Document writes the report.
func (c Composed) Document() document.Document {
	if c.Index != nil {
		return c.Index.Document()
	}
	return c.Report.Document()
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
		c, err = d.Compose(ctx, r, q, false)
		return err
	})
	if err != nil {
		return err
	}
	written := c.Document()
	if err := seeds.RecordLooks(ctx, from.Store, c.Looks, rand.Reader); err != nil {
		written = reports.WithWarning(written, "This interim analysis (look) is not recorded, so later ones will not count it.")
	}
	return writeDocument(w, written, media)
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
				c, err = d.Compose(ctx, from.state, q, true)
				return err
			})
			return c.Document(), err
		},
	}
}
