package lines

import (
	"io"
	"iter"

	"track/importer"
)

// ReadExecutions reads lines of kind execution. file names the source. A bad line becomes a Skip with its field.
func ReadExecutions(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return importer.ReadLines(importer.JSONL, file, r, decoder{})
}

type decoder struct{}

// DecodeLine implements [importer.LineDecoder].
func (decoder) DecodeLine(number int, text []byte) ([]importer.Item, error) {
	execution, failure := parseExecution(text)
	if failure != nil {
		return []importer.Item{{Line: number, Skip: &importer.Skip{Line: number, Field: failure.Field, Reason: failure.Message}}}, nil
	}
	return []importer.Item{{Line: number, Execution: &execution}}, nil
}

// End implements [importer.LineDecoder].
func (decoder) End() []importer.Item { return nil }
