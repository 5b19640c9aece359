package main

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
)

func (p *program) seriesExportCommand() *cli.Command {
	text := commandHelp{examples: `
track series export growth_plus 7 > seed7.csv
track series export growth_plus 7 unemployment inflation -o seed7.parquet`}
	return filesCommand(p, ask.ExportSeries(), text, func(c *cli.Context, q answer.SeriesFileQuestion, o outputFile) error {
		if suffix := strings.TrimPrefix(filepath.Ext(o.path), "."); !c.IsSet("to") && suffix != "" {
			if q.To = suffix; !slices.Contains([]string{"csv", "parquet", "json"}, q.To) {
				return usage("--to %s: write csv, parquet or json", q.To)
			}
		}
		from, release, err := p.sourceForFiles(c.Context)
		if err != nil {
			return err
		}
		defer release()
		var text bytes.Buffer
		a, err := ask.ExportSeries().Ask(c.Context, from, q, func(string) (io.Writer, error) { return &text, nil })
		if err != nil {
			return err
		}
		if text := a.Ambiguity(); text != "" {
			p.notice("%s", text)
		}
		return p.writeData(o.path, o.force, func(w io.Writer) error {
			_, err := text.WriteTo(w)
			return err
		})
	})
}
