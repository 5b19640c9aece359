package main

import (
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"track/internal/separated"
	"track/series"
	"track/sweep"
)

// textFormatFlags say how CSV of values and series is written.
func (p *program) textFormatFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "delimiter", Usage: "read CSV whose cells `SIGN` separates: , or ; or tab (default: found out)", Destination: &p.delimiter},
		&cli.StringFlag{Name: "decimal", Usage: "read numbers in CSV with a decimal `SIGN`: point or comma (default: found out)", Destination: &p.decimal},
	}
}

// textFormat returns what these flags say.
func (p *program) textFormat() (separated.Format, error) {
	f, err := separated.ParseFormat(p.delimiter, p.decimal)
	if err != nil {
		return f, usage("%v", err)
	}
	return f, nil
}

// noticeLeftOut names columns of a file of series that are left out.
func (p *program) noticeLeftOut(file string, columns []string) {
	p.notice("%s: not numbers, so left out: %s", file, strings.Join(columns, ", "))
}

// seriesOptions says how the files of series of a batch are read. The same columns are named once, with the first file
// that has them.
func (p *program) seriesOptions() (series.Options, error) {
	var told sync.Map
	f, err := p.textFormat()
	return series.Options{Largest: p.maxSize, Format: f, LeftOut: func(file string, columns []string) {
		if _, before := told.LoadOrStore(strings.Join(columns, "\x00"), true); !before {
			p.notice("%s: not numbers, so left out here and in further files: %s", file, strings.Join(columns, ", "))
		}
	}}, err
}

// readTextOf makes a runner read CSV as the flags say. Each file is named once, whichever run wrote it.
func (p *program) readTextOf(r *sweep.Runner) (err error) {
	var told sync.Map
	r.LeftOut = func(file string, columns []string) {
		if _, before := told.LoadOrStore(file+"\x00"+strings.Join(columns, "\x00"), true); !before {
			p.noticeLeftOut(file, columns)
		}
	}
	r.Format, err = p.textFormat()
	return err
}
