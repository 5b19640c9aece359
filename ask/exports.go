package ask

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"track"
	"track/access"
	"track/answer"
	"track/answer/param"
	"track/internal/dataset"
	"track/reports"
	"track/reports/chart"
	"track/reports/render"
	"track/series"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

// Exports returns every question that files answer.
func Exports() []Question {
	return []Question{
		ExportTable().Question(), ExportLineage().Question(), ExportLines().Question(), ArtifactFiles().Question(), ExportSeries().Question(),
		StabilityReport().Files().Question(), ImprovementReport().Files().Question(), ScenarioReport().Files().Question(), ParamsReport().Files().Question(),
		LineageReport().Files().Question(), IndexFiles().Question(),
	}
}

func ExportTable() Files[answer.TableQuestion, answer.TableExported] {
	return Files[answer.TableQuestion, answer.TableExported]{
		Name: "export table", Help: "write the seeds of a scenario as one table, for analysis elsewhere",
		About: `Writes one row for each seed and metric, with parameters, label, revision, outcome, status and score. With wide, one row for each
seed, with columns for the value, the score and the status of each metric. With series, one row for each value of each series.`,
		Params: (*answer.TableQuestion).Params, Several: func(q answer.TableQuestion) bool { return q.Partition }, Write: writeTable,
	}
}

func writeTable(ctx context.Context, st *store.Store, q answer.TableQuestion, create Create) (answer.TableExported, error) {
	files := &tableFiles{question: q, create: create}
	a, err := seeds.ExportTable(ctx, st.Reader, q, files.open)
	if err == nil {
		err = files.close()
	}
	return a, err
}

// tableFiles are the files of a table: one, or one for each configuration.
type tableFiles struct {
	question answer.TableQuestion
	create   Create
	writer   dataset.Writer // of the file that was begun last; nil if there is none
}

// open is a [seeds.OpenTable].
func (f *tableFiles) open(columns []dataset.Column, configuration string) (dataset.Writer, error) {
	name, to := "table.", cmp.Or(f.question.To, "csv")
	if f.question.Partition {
		if err := f.close(); err != nil {
			return nil, err
		}
		name, to = path.Join("configuration="+configuration, "part-0."), cmp.Or(f.question.To, "parquet")
	}
	if f.writer != nil {
		return f.writer, nil
	}
	out, err := f.create(name + to)
	if err != nil {
		return nil, err
	}
	if to == "csv" {
		f.writer = render.NewDatasetCSV(out, columns, f.question.SafeCSV)
	} else {
		f.writer = render.NewDatasetParquet(out, columns)
	}
	return f.writer, nil
}

func (f *tableFiles) close() error {
	if f.writer == nil {
		return nil
	}
	err := f.writer.Close()
	f.writer = nil
	return err
}

func ExportLineage() Files[answer.LineageFileQuestion, answer.LineageExported] {
	return Files[answer.LineageFileQuestion, answer.LineageExported]{
		Name: "export lineage", Help: "write a lineage with its ledger, to import it elsewhere or to check it later",
		About: `The lines hold the versions with their contents, and every entry of the ledger with its evidence. Executions are not part of it. Equal
lineages are equal bytes. The manifest names versions, decisions and the end of the ledger by their hashes.`,
		Params: (*answer.LineageFileQuestion).Params, Write: writeLineage,
	}
}

func writeLineage(ctx context.Context, st *store.Store, q answer.LineageFileQuestion, create Create) (a answer.LineageExported, err error) {
	text, err := exchange.ExportLineage(ctx, st.Reader, q.Lineage, q.Manifest)
	if err != nil {
		return a, err
	}
	name := "lineage.jsonl"
	if q.Manifest {
		name = "manifest.json"
	}
	out, err := create(name)
	if err == nil {
		_, err = out.Write(text)
	}
	return answer.LineageExported{Bytes: int64(len(text))}, err
}

func ExportLines() Files[answer.LinesQuestion, answer.LinesExported] {
	return Files[answer.LinesQuestion, answer.LinesExported]{
		Name: "export lines", Help: "write scenarios and lineages, with all that belongs to them, as lines",
		About: `Scenarios come with specs, seeds, series, baselines and sweeps. Lineages come with versions, ledgers and executions. Without names,
everything comes. Lines of some names also have the hashes of all interim analyses and of all forgotten texts.`,
		Params: (*answer.LinesQuestion).Params, Unbound: true,
		Write: func(ctx context.Context, st *store.Store, q answer.LinesQuestion, create Create) (answer.LinesExported, error) {
			return exchange.ExportLines(ctx, st, exchange.Parts{Scenarios: q.Scenarios, Lineages: q.Lineages}, q.Gzip, create)
		},
	}
}

func ArtifactFiles() Files[answer.ArtifactFilesQuestion, answer.WrittenArtifacts] {
	return Files[answer.ArtifactFilesQuestion, answer.WrittenArtifacts]{
		Name: "artifact get", Help: "write a file of a seed, or all of them", About: "A file is written as it is stored: in text, secrets are masked.",
		Params: (*answer.ArtifactFilesQuestion).Params, Several: func(q answer.ArtifactFilesQuestion) bool { return q.Name == "" }, Write: writeArtifacts,
	}
}

func writeArtifacts(ctx context.Context, st *store.Store, q answer.ArtifactFilesQuestion, create Create) (a answer.WrittenArtifacts, err error) {
	ref, files, err := seeds.ArtifactFiles(ctx, st.Reader, q.Of, q.Seed, q.Name)
	if err != nil {
		return a, err
	}
	a.SeedRef, a.Items = ref, []answer.WrittenArtifact{}
	for _, f := range files {
		a.Items = append(a.Items, answer.WrittenArtifact{SeedArtifact: f.SeedArtifact})
		if f.LeftOut != "" || !f.PrunedAt.IsZero() {
			continue
		}
		out, err := create(f.Name)
		if err == nil {
			_, err = io.WriteString(out, f.Content)
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

func ExportSeries() Files[answer.SeriesFileQuestion, answer.SeriesExported] {
	return Files[answer.SeriesFileQuestion, answer.SeriesExported]{
		Name: "series export", Help: "write the series of a seed as CSV, Parquet or JSON", About: "Writes the recorded numbers to the last bit.",
		Params: (*answer.SeriesFileQuestion).Params, Write: writeSeries,
	}
}

func writeSeries(ctx context.Context, st *store.Store, q answer.SeriesFileQuestion, create Create) (a answer.SeriesExported, err error) {
	v, err := seeds.LoadSeriesValues(ctx, st.Reader, answer.SeriesQuestion{Of: q.Of, Seed: q.Seed, Names: q.Names})
	if err != nil {
		return a, err
	}
	write := map[string]func(io.Writer, []track.Series) error{"csv": series.WriteCSV, "parquet": render.SeriesParquet, "json": series.WriteJSON}[q.To]
	out, err := create("series." + q.To)
	if err == nil {
		err = write(out, v.Series)
	}
	return answer.SeriesExported{SeedRef: v.SeedRef, NSeries: len(v.Series)}, err
}

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

// writePicture draws the answer of a question with these parameters.
func (d Def[Q, A]) writePicture(ctx context.Context, from Source, in url.Values, media string, w io.Writer) error {
	var q Q
	if err := d.Params(&q).Set(in); err != nil {
		return err
	}
	return d.WritePicture(ctx, from, q, media, w)
}

// WritePicture draws the answer of a question that has a picture.
func (d Def[Q, A]) WritePicture(ctx context.Context, from Source, q Q, media string, w io.Writer) error {
	if err := check(&q); err != nil {
		return err
	}
	if from.Store == nil {
		in, err := d.bind(&q).Encode()
		if err != nil {
			return err
		}
		return from.FetchAs(ctx, d.Name, in, media, w)
	}
	var picture chart.Chart
	draw := func(r *store.Reader) (err error) {
		picture, err = d.Draw(ctx, r, q)
		return err
	}
	var err error
	if from.state != nil {
		err = draw(from.state)
	} else {
		err = from.Store.Snapshot(ctx, draw)
	}
	if err != nil {
		return err
	}
	if media != SVG {
		return fmt.Errorf("%w: a picture is not written as %s", track.ErrInvalid, media)
	}
	return chart.SVG(w, picture)
}

// drawn returns what draws the answer of a use case.
func drawn[Q, A any, C chart.Chart](show func(context.Context, *store.Reader, Q) (A, error), draw func(A) C) func(context.Context, *store.Reader, Q) (chart.Chart, error) {
	return func(ctx context.Context, r *store.Reader, q Q) (chart.Chart, error) {
		a, err := show(ctx, r, q)
		if err != nil {
			return nil, err
		}
		return draw(a), nil
	}
}

// drawParams draws the plot or the heat map that the question asks for.
func drawParams(ctx context.Context, r *store.Reader, q answer.ParamsQuestion) (chart.Chart, error) {
	isHeatmap := q.Heatmap[0] != ""
	if (q.Plot != "") == isHeatmap {
		return nil, &param.Error{Param: "plot", Message: "a picture shows either a plot or a heatmap: name one of them"}
	}
	a, err := seeds.AnalyseParams(ctx, r, q)
	switch {
	case err != nil:
		return nil, err
	case isHeatmap:
		return reports.MeansChart(a, *a.Heatmap), nil
	}
	return reports.ParamsChart(a), nil
}
