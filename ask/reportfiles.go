package ask

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"track/answer"
	"track/answer/param"
	"track/reports/files"
	"track/store"
	"track/tracker/seeds"
)

// FilesOf asks for a report as files.
type FilesOf[Q any] struct {
	Of   Q
	Form answer.ReportForm
	// Made is called once all files are written, unless a server answers: after an error, no look is recorded. It can
	// be nil.
	Made func() error
}

func (q *FilesOf[Q]) Check() error {
	if err := check(&q.Of); err != nil {
		return err
	}
	return q.Form.Validate()
}

// ReportAsFiles is a report that is answered with files.
type ReportAsFiles[Q any] = Files[FilesOf[Q], answer.ReportFiles]

// Files returns the report as files: the report itself and its pictures.
func (d Report[Q]) Files() ReportAsFiles[Q] {
	return ReportAsFiles[Q]{
		Name: d.Name + " files", Help: "write the files of the " + strings.TrimPrefix(d.Name, "report ") + " report: the text, and its pictures", About: d.About, Judges: d.Judges, Small: true,
		Params:  func(q *FilesOf[Q]) param.List { return slices.Concat(d.Params(&q.Of), q.Form.Params()) },
		Several: func(FilesOf[Q]) bool { return true }, Write: d.writeFiles,
	}
}

func (d Report[Q]) writeFiles(ctx context.Context, st *store.Store, q FilesOf[Q], create Create) (a answer.ReportFiles, err error) {
	var c Composed
	err = st.Snapshot(ctx, func(r *store.Reader) (err error) {
		c, err = d.Compose(ctx, r, q.Of, false)
		return err
	})
	if err != nil {
		return a, err
	}
	list, err := files.Of(c.Document(), q.Form.File)
	if err != nil {
		return a, err
	}
	w := reportWriter{create: create}
	if err := w.write(list); err != nil {
		return a, err
	}
	if q.Made != nil {
		if err := q.Made(); err != nil {
			return a, err
		}
	}
	return w.answer(ctx, st, c.Looks, q.Form)
}

// reportWriter writes the files of a report, one after the other.
type reportWriter struct {
	create Create
	n      int
}

func (w *reportWriter) write(list []files.File) error {
	for _, f := range list {
		out, err := w.create(f.Name)
		if err == nil {
			_, err = out.Write(f.Data)
		}
		if err != nil {
			return err
		}
		w.n++
	}
	return nil
}

// answer records interim analyses (looks), unless the files are compared with those that exist. If one cannot be
// recorded, its verdict stands, and the answer says so.
func (w *reportWriter) answer(ctx context.Context, st *store.Store, looks []store.Look, form answer.ReportForm) (answer.ReportFiles, error) {
	a := answer.ReportFiles{NFiles: w.n}
	if !form.Check {
		if err := seeds.RecordLooks(ctx, st, looks, rand.Reader); err != nil {
			a.NotRecorded = err.Error()
		}
	}
	return a, nil
}

// IndexFiles asks for reports of everything, with an index. The index alone is written if it has no name.
func IndexFiles() ReportAsFiles[answer.IndexQuestion] {
	index := IndexReport()
	def := index.Files()
	def.Help, def.Small = "write reports of everything, with an index", false
	def.Write = func(ctx context.Context, st *store.Store, q FilesOf[answer.IndexQuestion], create Create) (answer.ReportFiles, error) {
		if q.Form.File == "" {
			return index.writeFiles(ctx, st, q, create)
		}
		return writeIndex(ctx, st, q, create)
	}
	return def
}

// writeIndex writes each page with its pictures, and the index last.
func writeIndex(ctx context.Context, st *store.Store, q FilesOf[answer.IndexQuestion], create Create) (answer.ReportFiles, error) {
	w := reportWriter{create: create}
	pages := files.NewPages(q.Form.File, w.write)
	var c Composed
	err := st.Snapshot(ctx, func(r *store.Reader) (err error) {
		c, err = composeIndex(ctx, r, q.Of, false, q.Form.File, pages.Add)
		return err
	})
	if err != nil {
		return answer.ReportFiles{}, err
	}
	if err := pages.AddIndex(c.Document()); err != nil {
		return answer.ReportFiles{}, err
	}
	return w.answer(ctx, st, c.Looks, q.Form)
}
