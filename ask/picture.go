package ask

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"track"
	"track/answer"
	"track/answer/param"
	"track/reports"
	"track/reports/chart"
	"track/store"
	"track/tracker/seeds"
)

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
