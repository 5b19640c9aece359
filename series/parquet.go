package series

import (
	"errors"
	"io"

	"track"
	"track/series/parquet"
)

func readParquet(r io.ReaderAt, size int64, l limits) ([]track.Series, error) {
	list, err := parquet.Read(r, size, parquet.Limits{Columns: l.columns, Values: l.values, LeftOut: l.leftOut})
	if errors.Is(err, parquet.ErrTooMany) {
		return nil, tooManyValues(l)
	}
	if err != nil {
		column, message := "", err
		if e, ok := errors.AsType[*parquet.Error](err); ok {
			column, message = abbreviateName(e.Column), e.Err
		}
		return nil, failure(0, column, "%v", message)
	}
	return list, nil
}

// WriteParquet writes a column of doubles for each series. A series that is shorter than others ends in nulls.
// [ReadFile] reads the same values, bit by bit.
func WriteParquet(w io.Writer, list []track.Series) error { return parquet.Write(w, list) }
