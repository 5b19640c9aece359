// Package formats finds the reader of a format.
package formats

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"track"
	"track/importer"
	"track/importer/atif"
	"track/importer/claudecode"
	"track/importer/claudehooks"
	"track/importer/codex"
	"track/importer/inspect"
	"track/importer/lines"
	"track/importer/messages"
	"track/importer/openhands"
	"track/importer/otlp"
	"track/importer/sepa"
	"track/importer/sweagent"
	"track/importer/taubench"
)

// reader reads a log. file stands in items and errors.
type reader func(file string, r io.Reader) iter.Seq2[importer.Item, error]

var readers = map[string]reader{
	importer.ClaudeCode:  claudecode.Read,
	importer.ClaudeHooks: claudehooks.Read,
	importer.Codex:       codex.Read,
	importer.TauBench:    taubench.Read,
	importer.Inspect:     inspect.Read,
	importer.SEPA:        sepa.Read,
	importer.JSONL:       lines.ReadExecutions,
	importer.ATIF:        atif.Read,
	importer.SWEAgent:    sweagent.Read,
	importer.OpenHands:   openhands.Read,
	importer.Messages:    messages.Read,
	importer.OTLP:        otlp.Read,
}

// read reads a stream in the format that is named, or, where the name is empty, in the one that it begins like.
func read(format, file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		unzipped, err := importer.Decompress(r)
		if err != nil {
			yield(importer.Item{File: file}, fmt.Errorf("read %s: %w", file, err))
			return
		}
		head, _ := unzipped.Peek(64 << 10) // an error comes again with the first read
		if len(head) == 0 && format == "" {
			format = importer.JSONL // nothing to read, in any format
		}
		reader, err := readerOf(format, file, head)
		if err != nil {
			yield(importer.Item{File: file}, err)
			return
		}
		reader(file, unzipped)(yield)
	}
}

func readerOf(format, file string, head []byte) (reader, error) {
	if reader := readers[format]; reader != nil {
		return reader, nil
	}
	if format != "" {
		return nil, unknown(file, fmt.Sprintf("track reads no format %q", format))
	}
	detected := importer.Detect(file, head)
	if detected == "" {
		return nil, unknown(file, "does not look like any log that track reads")
	}
	return readers[detected], nil
}

// ReadPath is [read] of a file, or of the folder of a SEPA.
func ReadPath(format, path string) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(importer.Item{File: path}, notFound(path, err))
			return
		}
		defer file.Close()
		info, err := file.Stat()
		switch {
		case err != nil:
			yield(importer.Item{File: path}, fmt.Errorf("read %s: %w", path, err))
		case info.IsDir() && (format == importer.SEPA || format == ""):
			sepa.ReadDir(path, os.DirFS(path))(yield)
		case info.IsDir():
			err := &track.FieldError{File: path, Message: "is a folder"}
			yield(importer.Item{File: path}, track.WithHint(err, track.NewHint("name the files in it, or import it as the folder of a SEPA", "import sepa")))
		case isZip(file) && (format == importer.Inspect || format == ""):
			inspect.ReadZip(path, file, info.Size())(yield)
		default:
			read(format, path, file)(yield)
		}
	}
}

func isZip(file io.ReaderAt) bool {
	magic := make([]byte, 4)
	_, err := file.ReadAt(magic, 0)
	return err == nil && string(magic) == "PK\x03\x04"
}

func notFound(path string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, track.ErrNotFound)
	}
	return err
}

func unknown(file, message string) error {
	return track.WithHint(&track.FieldError{File: file, Message: message}, track.Hint{Text: "formats: " + strings.Join(Names(), ", ")})
}

// Names returns the names of the formats.
func Names() (names []string) {
	for _, format := range importer.Formats() {
		names = append(names, format.Name)
	}
	return names
}
