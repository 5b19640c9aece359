package series

import (
	"errors"
	"io"

	"track/series/parquet"
)

func readParquet(r io.ReaderAt, size int64, l limits) ([]Series, error) {
	columns, err := parquet.Read(r, size, parquet.Limits{Columns: l.columns, Values: l.values})
	if err != nil {
		column, message := "", err
		if e, ok := errors.AsType[*parquet.Error](err); ok {
			column, message = abbreviateName(e.Column), e.Err
		}
		return nil, failure(0, column, "%v", message)
	}
	list := make([]Series, len(columns))
	for i, c := range columns {
		list[i] = Series(c)
	}
	return list, nil
}

// WriteParquet writes a column of doubles for each series; one that is shorter than others ends in nulls. [ReadFile] reads the
// same values back, to the last bit.
func WriteParquet(w io.Writer, list []Series) error {
	columns := make([]parquet.Column, len(list))
	for i, s := range list {
		columns[i] = parquet.Column(s)
	}
	return parquet.Write(w, columns)
}
