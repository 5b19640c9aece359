// Package series reads, writes and compresses the series of a seed: its time series, one point a period, and its
// distributions, such as one point per firm in the last period. A series is a name and float64 values; it has no
// times of its own.
//
// [ReadFile] takes the formats that simulations write: CSV, NumPy and JSON. All of them yield columns of
// numbers that may differ in length:
//
//   - An empty cell ends a column, so columns of different length are padded with empty cells.
//   - Empty cells at the beginning are NaN: growth rates begin in the second period, and their points must stay in line
//     with other series.
//   - An empty cell in the middle of a CSV file is refused.
//   - Numbers are read as the nearest float64. NaN, infinities and -0 are kept; the sign and payload of a NaN are not.
//
// An error in a file is a [*track.FieldError] with file, line and column. No reader takes more memory than the values
// that the file holds, up to a limit that a simulation does not reach; the compressed formats can hold many values in
// few bytes.
//
// [Encode] compresses values without loss into chunks that decode one by one.
package series
