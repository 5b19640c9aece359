package series

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"track"
	"track/internal/gunzip"
	"track/internal/separated"
	"track/internal/sizes"
)

// limits bound what a file may hold. A compressed file of a few bytes can hold any number of values.
type limits struct {
	values  int        // of all columns together
	bytes   sizes.Size // of the file, unpacked
	columns int
	format  separated.Format
	leftOut func(columns []string) // hears which columns of text are left out; nil to refuse them
}

// limitsOf returns the limits of a file that holds so many bytes, as text or as numbers of 8 bytes.
func limitsOf(largest sizes.Size) limits {
	return limits{values: int(min(largest/8, math.MaxInt32)), bytes: largest, columns: 100_000}
}

// format is how a file is read, by its suffix.
type format struct {
	suffix string
	read   func(source, limits) ([]track.Series, error)
}

// source is an open file. Readers that need no random access take it as an [io.Reader].
type source struct {
	*os.File
	size int64
	name string // for a series without a name in the file: the name of the file without its suffix
}

func formats() []format {
	return []format{
		{".csv", func(s source, l limits) ([]track.Series, error) { return readCSV(s, l) }},
		{".csv.gz", readGzippedCSV},
		{".npy", func(s source, l limits) ([]track.Series, error) { return readNPY(s, s.size, s.name, l) }},
		{".npz", func(s source, l limits) ([]track.Series, error) { return readNPZ(s, s.size, l) }},
		{".json", func(s source, l limits) ([]track.Series, error) { return readJSON(s, s.name, l) }},
	}
}

// ReadFile reads the series of a file, whose suffix says what it is: .csv, .csv.gz, .npy, .npz or .json. The
// names of the series are those of its columns; an array without a name takes that of the file, and the columns of a
// two-dimensional one are name_0, name_1 and so on. It may hold largest bytes when it is unpacked. The error is a
// [*track.FieldError], or wraps [track.ErrNotFound].
func ReadFile(path string, largest sizes.Size) ([]track.Series, error) {
	return readNamed(path, limitsOf(largest))
}

func readNamed(path string, l limits) ([]track.Series, error) {
	list, err := readFile(path, l)
	if failure, ok := errors.AsType[*track.FieldError](err); ok {
		failure.File = path
	}
	return list, err
}

// Options say how files of series are read.
type Options struct {
	Largest sizes.Size // when a file is unpacked
	Format  separated.Format
	// LeftOut hears which columns of a CSV file are left out because they hold texts or dates. If it is nil,
	// such columns are refused.
	LeftOut func(file string, columns []string)
}

// ReadFiles reads several files. A series may be in one of them only.
func ReadFiles(paths []string, o Options) (all []track.Series, err error) {
	from := map[string]string{}
	for _, path := range paths {
		l := limitsOf(o.Largest)
		l.format = o.Format
		if o.LeftOut != nil {
			l.leftOut = func(columns []string) { o.LeftOut(path, columns) }
		}
		list, err := readNamed(path, l)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			if other, taken := from[s.Name]; taken {
				return nil, &track.FieldError{File: path, Field: s.Name, Message: "a series of this name is also in " + other}
			}
			from[s.Name] = path
			all = append(all, s)
		}
	}
	return all, nil
}

func readFile(path string, l limits) ([]track.Series, error) {
	f, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("series file %s: %w", path, track.ErrNotFound)
	}
	if err != nil {
		return nil, failure(0, "", "%v", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, failure(0, "", "%v", err)
	case info.IsDir():
		return nil, failure(0, "", "is a directory")
	}
	base := filepath.Base(path)
	list, err := f.read(source{file, info.Size(), base[:len(base)-len(f.suffix)]}, l)
	if err == nil {
		err = checkNames(list)
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

func formatOf(path string) (format, error) {
	var suffixes []string
	for _, f := range formats() {
		if strings.HasSuffix(strings.ToLower(path), f.suffix) {
			return f, nil
		}
		suffixes = append(suffixes, f.suffix)
	}
	if strings.HasSuffix(strings.ToLower(path), ".parquet") {
		return format{}, failure(0, "", "Parquet is not read: convert the file to CSV (read are %s)", strings.Join(suffixes, ", "))
	}
	return format{}, failure(0, "", "the suffix says no known format: use %s", strings.Join(suffixes, ", "))
}

// checkNames refuses names that no series may have.
func checkNames(list []track.Series) error {
	if len(list) == 0 {
		return failure(0, "", "no series in it")
	}
	seen := make(map[string]bool, len(list))
	for _, s := range list {
		if err := track.CheckName(s.Name); err != nil {
			return failure(0, "", "the name of a series %v", err)
		}
		if seen[s.Name] {
			return failure(0, s.Name, "is duplicated")
		}
		seen[s.Name] = true
	}
	return nil
}

func readGzippedCSV(s source, l limits) ([]track.Series, error) {
	unzipped, err := gunzip.NewReader(bufio.NewReader(s))
	if err != nil {
		return nil, failure(0, "", "%v", err)
	}
	return readCSV(l.bytes.Reader(unzipped), l)
}

// failure returns an error in a file. The name of the file is added later.
func failure(line int, field, message string, args ...any) *track.FieldError {
	return &track.FieldError{Line: line, Field: field, Message: fmt.Sprintf(message, args...)}
}

func tooManyValues(l limits) error { return l.bytes.Exceeded() }

func tooManyColumns(l limits) *track.FieldError {
	return failure(0, "", "more than %d columns, which is the limit for a file", l.columns)
}

// unreadable reports an error of the file system or of decompression.
func unreadable(line int, err error) *track.FieldError {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return failure(line, "", "the file ends too early")
	case errors.Is(err, gunzip.ErrTrailing):
		return failure(line, "", "%v", gunzip.ErrTrailing)
	}
	return failure(line, "", "cannot be read: %v", err)
}
