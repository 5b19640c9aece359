package series

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/internal/gunzip"
	"track/internal/jsonio"
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

// ParseJSON reads a JSON object of arrays of numbers, as a line of a batch carries it. The error names the series and,
// from 0, the position in it.
func ParseJSON(object jsontext.Value) ([]track.Series, *track.FieldError) {
	list, err := readJSON(bytes.NewReader(object), "", limitsOf(sizes.Unpacked))
	if err == nil && len(list) > 0 {
		err = checkNames(list)
	}
	if err == nil {
		return list, nil
	}
	refused, _ := errors.AsType[*track.FieldError](err)
	return nil, refused
}

// readJSON reads an object of arrays of numbers, or one array, which is called name; without a name it is refused.
func readJSON(r io.Reader, name string, l limits) ([]track.Series, error) {
	j := &jsonReader{decoder: jsontext.NewDecoder(jsonio.QuoteNonFinite(r)), limits: l}
	list, err := j.document(name)
	if err != nil {
		return nil, err
	}
	switch _, err := j.decoder.ReadToken(); {
	case err == nil:
		return nil, failure(0, "", "a second value follows the first")
	case !errors.Is(err, io.EOF):
		return nil, j.problem("", err)
	}
	return list, nil
}

type jsonReader struct {
	decoder *jsontext.Decoder
	limits  limits
	values  int // read so far
}

func (j *jsonReader) document(name string) ([]track.Series, error) {
	switch kind := j.decoder.PeekKind(); {
	case kind == '{':
		return j.object()
	case kind == '[' && name != "":
		values, err := j.array(name)
		return []track.Series{{Name: name, Values: values}}, err
	}
	if _, err := j.decoder.ReadValue(); err != nil {
		return nil, j.problem("", err)
	}
	return nil, failure(0, "", `not an object of series: {"name": [1, 2.5, "NaN"]}`)
}

func (j *jsonReader) object() ([]track.Series, error) {
	if _, err := j.decoder.ReadToken(); err != nil {
		return nil, j.problem("", err)
	}
	var list []track.Series
	for j.decoder.PeekKind() != '}' {
		token, err := j.decoder.ReadToken()
		if err != nil {
			return nil, j.problem("", err)
		}
		name := token.String()
		if len(list) == j.limits.columns {
			return nil, tooManyColumns(j.limits)
		}
		values, err := j.array(abbreviateName(name))
		if err != nil {
			return nil, err
		}
		list = append(list, track.Series{Name: name, Values: values})
	}
	_, err := j.decoder.ReadToken()
	if err != nil {
		return nil, j.problem("", err)
	}
	return list, nil
}

func (j *jsonReader) array(name string) ([]float64, error) {
	if kind := j.decoder.PeekKind(); kind != '[' {
		value, err := j.decoder.ReadValue()
		if err != nil {
			return nil, j.problem(name, err)
		}
		return nil, failure(0, name, "%s is not an array of numbers", jsonio.Abbreviate(value))
	}
	if _, err := j.decoder.ReadToken(); err != nil {
		return nil, j.problem(name, err)
	}
	values := []float64{}
	for j.decoder.PeekKind() != ']' {
		value, err := j.decoder.ReadValue()
		if err != nil {
			return nil, j.problem(fmt.Sprintf("%s[%d]", name, len(values)), err)
		}
		x, err := jsonio.Number(value)
		if err != nil {
			return nil, failure(0, fmt.Sprintf("%s[%d]", name, len(values)), "%v", err)
		}
		if j.values++; j.values > j.limits.values {
			return nil, tooManyValues(j.limits)
		}
		values = append(values, x)
	}
	_, err := j.decoder.ReadToken()
	if err != nil {
		return nil, j.problem(name, err)
	}
	return values, nil
}

// problem puts an error of the decoder at a field into the words of a user.
func (j *jsonReader) problem(field string, err error) *track.FieldError {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.EOF) && !ok:
		return failure(0, field, "empty: expected a JSON object of arrays")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return failure(0, field, "the file ends too early")
	case !ok:
		return unreadable(0, err)
	case errors.Is(err, jsontext.ErrDuplicateName):
		return failure(0, syntactic.JSONPointer.LastToken(), "is duplicated")
	}
	return failure(0, field, "not JSON: %s", strings.TrimPrefix(syntactic.Err.Error(), "jsontext: "))
}

// abbreviateName shortens a name that is too long for a series. It is refused later, but messages before that contain
// it.
func abbreviateName(name string) string {
	const longest = 1000
	if len(name) <= longest {
		return name
	}
	return strings.ToValidUTF8(name[:longest], "")
}

// Outline returns at most n numbers that show the course of a series: the means of the finite values in n equal
// parts, NaN for a part without any. A series of no more than n values is its own outline.
func Outline(values []float64, n int) []float64 {
	if len(values) <= n {
		return values
	}
	out := make([]float64, n)
	for i := range out {
		sum, count := 0.0, 0
		for _, v := range values[i*len(values)/n : (i+1)*len(values)/n] {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				sum += v
				count++
			}
		}
		out[i] = sum / float64(count) // 0/0 is NaN
	}
	return out
}

// canonicalNaN is what every NaN is stored as.
const canonicalNaN = 0x7FF8000000000001 // the bits of math.NaN()

// canonicalBits are the bits of x, the same for every NaN.
func canonicalBits(x float64) uint64 {
	if x != x {
		return canonicalNaN
	}
	return math.Float64bits(x)
}

// appendWords appends the canonical bits of values.
func appendWords(words []uint64, values []float64) []uint64 {
	words = slices.Grow(words, len(values))
	for _, x := range values {
		words = append(words, canonicalBits(x))
	}
	return words
}

// Summary is what there is to say of a series at a glance. NaN counts in N and NNaN alone, but for Last.
type Summary struct {
	N, NNaN        int
	Min, Mean, Max float64 // NaN where no point is a number
	Last           float64 // the last point; NaN if there is none
}

// Summarize computes the summary of values in one pass.
func Summarize(values []float64) Summary {
	s := Summary{N: len(values), Min: math.NaN(), Mean: math.NaN(), Max: math.NaN(), Last: math.NaN()}
	if s.N == 0 {
		return s
	}
	s.Last = values[s.N-1]
	low, high := math.Inf(1), math.Inf(-1)
	sum, lost := 0.0, 0.0 // compensated (Neumaier 1974): the error does not grow with N
	for _, x := range values {
		if x != x {
			s.NNaN++
			continue
		}
		low, high = min(low, x), max(high, x)
		next := sum + x
		if math.Abs(sum) >= math.Abs(x) {
			lost += (sum - next) + x
		} else {
			lost += (x - next) + sum
		}
		sum = next
	}
	if s.NNaN == s.N {
		return s
	}
	if lost-lost == 0 { // not where infinities or an overflow are in it
		sum += lost
	}
	s.Min, s.Mean, s.Max = low, sum/float64(s.N-s.NNaN), high
	return s
}

// WriteCSV writes a header and a row for each point; a series that is shorter than others ends in empty cells.
// [ReadFile] reads the same values back, to the last bit.
func WriteCSV(w io.Writer, list []track.Series) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	rows := 0
	for i, s := range list {
		rows = max(rows, len(s.Values))
		if i > 0 {
			buffered.WriteByte(',')
		}
		buffered.WriteString(quoted(s.Name))
	}
	buffered.WriteByte('\n')
	var text []byte
	for row := range rows {
		text = text[:0]
		for i, s := range list {
			if i > 0 {
				text = append(text, ',')
			}
			if row < len(s.Values) {
				text = appendNumber(text, s.Values[row])
			}
		}
		if _, err := buffered.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return buffered.Flush() // with the first error, if there was one
}

// quoted puts a name into quotes where a bare one might be read as something else.
func quoted(name string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.- ", r)
	}
	if !strings.ContainsFunc(name, special) && !isNumber(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// WriteJSON writes an object of arrays; NaN and infinities are the strings "NaN", "Infinity" and "-Infinity".
func WriteJSON(w io.Writer, list []track.Series) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	buffered.WriteByte('{')
	var text []byte
	for i, s := range list {
		if i > 0 {
			buffered.WriteString(",\n")
		}
		name, err := jsontext.AppendQuote(text[:0], s.Name)
		if err != nil {
			return err
		}
		buffered.Write(name)
		buffered.WriteByte(':')
		separator := byte('[')
		for _, x := range s.Values {
			text = append(text[:0], separator)
			if x-x == 0 {
				text = appendNumber(text, x)
			} else {
				text = append(appendNumber(append(text, '"'), x), '"')
			}
			if _, err := buffered.Write(text); err != nil {
				return err
			}
			separator = ','
		}
		if len(s.Values) == 0 {
			buffered.WriteByte('[')
		}
		buffered.WriteByte(']')
	}
	buffered.WriteString("}\n")
	return buffered.Flush() // with the first error, if there was one
}

// appendNumber writes the shortest text that reads back as x: 0.05, 1e-07, NaN, -Infinity, -0.
func appendNumber(text []byte, x float64) []byte {
	switch {
	case x != x:
		return append(text, "NaN"...)
	case x > math.MaxFloat64:
		return append(text, "Infinity"...)
	case x < -math.MaxFloat64:
		return append(text, "-Infinity"...)
	}
	if size := math.Abs(x); size == 0 || 1e-6 <= size && size < 1e21 {
		return strconv.AppendFloat(text, x, 'f', -1, 64)
	}
	return strconv.AppendFloat(text, x, 'e', -1, 64)
}
