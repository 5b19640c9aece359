package main

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
)

// write puts what a run measured where the options say. values.json comes last: where it is, everything is.
func write(o options, c course, stdout io.Writer) error {
	values, err := valuesJSON(c.metrics())
	if err != nil {
		return err
	}
	if o.out == "" {
		_, err := stdout.Write(values)
		return err
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	if o.series {
		if err := os.WriteFile(filepath.Join(o.out, "series.csv"), seriesCSV(c.series()), 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(o.out, "values.json"), values, 0o666)
}

// valuesJSON is one line. A metric that does not exist is left out: its absence is judged, and no number stands for it.
func valuesJSON(list []metric) ([]byte, error) {
	text := []byte{'{'}
	for _, m := range list {
		if math.IsNaN(m.value) || math.IsInf(m.value, 0) {
			continue
		}
		if len(text) > 1 {
			text = append(text, ", "...)
		}
		number, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		text = append(strconv.AppendQuote(text, m.name), ": "...)
		text = append(text, number...)
	}
	return append(text, "}\n"...), nil
}

// seriesCSV has a row for each period, and NaN where there is no number.
func seriesCSV(list []series) []byte {
	text := []byte("period")
	for _, s := range list {
		text = append(append(text, ','), s.name...)
	}
	text = append(text, '\n')
	for i := range list[0].values {
		text = strconv.AppendInt(text, int64(i+1), 10)
		for _, s := range list {
			text = strconv.AppendFloat(append(text, ','), s.values[i], 'g', -1, 64)
		}
		text = append(text, '\n')
	}
	return text
}
