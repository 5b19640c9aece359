// Package parquet reads and writes flat Parquet files of numbers: the part of the format that data frames of numbers
// use.
//
// It reads columns of the types BOOLEAN, INT32, INT64, FLOAT and DOUBLE, required or optional, in data pages of both
// versions, with the encodings PLAIN, RLE, dictionary, DELTA_BINARY_PACKED and BYTE_STREAM_SPLIT, uncompressed or with
// Snappy, gzip or zstd. It refuses everything else: nested and repeated columns, texts, times, decimals, encryption. It
// writes DOUBLE columns, PLAIN and zstd.
//
// The general libraries for Parquet take more megabytes in a program, and more time at its start, than the rest of this
// one.
//
// The format: https://github.com/apache/parquet-format (parquet.thrift, Encodings.md).
package parquet
