package main

import (
	"context"
	"encoding/hex"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"
)

func (p *program) queryCommand() *cli.Command {
	return &cli.Command{
		Name:      "query",
		Usage:     "run SQL that reads",
		UsageText: "track query SQL [FLAGS]",
		Description: `The views v_seed, v_result, v_stability, v_run and v_sweep are described in docs/query.md and stay as they are across versions.
SQL for - is read from standard input. A BLOB is printed in hexadecimal.

Examples:
   track query "SELECT scenario, label, count(*) AS n FROM v_seed WHERE newest GROUP BY scenario, label"
   track query "SELECT seed, value FROM v_result WHERE scenario = 'growth_plus' AND newest AND metric = 'log_gdp_mean'" --format csv`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track query takes one SQL text; put it in quotes")
			}
			return p.query(c.Context, c.Args().First())
		},
	}
}

func (p *program) query(ctx context.Context, sql string) error {
	if sql == "-" {
		text, err := p.readInput("file", sql, 64<<20)
		if err != nil {
			return err
		}
		sql = string(text)
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	documents := []any{}
	v := view{lines: []any{}}
	columns, err := st.Query(ctx, sql, func(columns []string, row []any) error {
		for i, cell := range row {
			if raw, isBytes := cell.([]byte); isBytes {
				row[i] = hex.EncodeToString(raw)
			}
		}
		documents = append(documents, record{columns, row})
		v.rows.cells = append(v.rows.cells, queryCells(row))
		return nil
	})
	if err != nil {
		return err
	}
	v.rows.columns = columns
	v.document, v.lines = documents, documents
	v.page = []any{v.rows}
	return p.write(v)
}

// queryCells shows numbers as exactly as they are: nobody said what they mean.
func queryCells(row []any) []any {
	cells := make([]any, len(row))
	for i, cell := range row {
		cells[i] = cell
		if x, isFloat := cell.(float64); isFloat {
			cells[i] = shown{exactText(x), x}
		}
	}
	return cells
}

// record is a row as a JSON object with its columns in order.
type record struct {
	columns []string
	cells   []any
}

// MarshalJSONTo implements [json.MarshalerTo].
func (r record) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for i, column := range r.columns {
		if err := enc.WriteToken(jsontext.String(column)); err != nil {
			return err
		}
		if err := marshalCell(enc, r.cells[i]); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}
