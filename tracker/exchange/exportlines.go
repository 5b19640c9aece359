package exchange

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"

	"track/answer"
	"track/importer/lines"
	"track/store"
	"track/tracker/lineages"
)

// ExportLines writes a database, or parts of it, as lines, from which [MergeFiles] makes the same database.
func ExportLines(ctx context.Context, from *store.Store, parts Parts, compress bool, create func(name string) (io.Writer, error)) (a answer.LinesExported, err error) {
	a.Kinds = []answer.SentRecords{}
	name := "database.jsonl"
	if compress {
		name += ".gz"
	}
	var out *bufio.Writer
	var zipped *gzip.Writer
	var text []byte
	for record, err := range DatabaseLines(ctx, from, parts) {
		if err != nil {
			return a, err
		}
		if out == nil { // an error of the first record makes no file
			to, err := create(name)
			if err != nil {
				return a, err
			}
			if compress {
				zipped = gzip.NewWriter(to)
				to = zipped
			}
			out = bufio.NewWriterSize(to, 1<<16)
		}
		if text, err = lines.Append(text[:0], record); err == nil {
			_, err = out.Write(text)
		}
		if err != nil {
			return a, err
		}
		if record.Export == nil {
			a.Kinds = counted(a.Kinds, answer.SentRecords{Kind: record.Kind(), N: 1})
		}
	}
	err = out.Flush()
	if zipped != nil {
		err = errors.Join(err, zipped.Close())
	}
	return a, err
}

// ExportLineage returns a lineage as the lines that [MergeFiles] reads, or its manifest. An empty name stands for
// the only lineage.
func ExportLineage(ctx context.Context, r *store.Reader, name string, manifest bool) ([]byte, error) {
	name, err := lineages.Resolve(ctx, r, name)
	if err != nil {
		return nil, err
	}
	x, err := lineages.Export(ctx, r, name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	write := lines.WriteLineage
	if manifest {
		write = lines.WriteManifest
	}
	err = write(&b, x)
	return b.Bytes(), err
}

// counted adds records to those of their kind.
func counted(list []answer.SentRecords, more answer.SentRecords) []answer.SentRecords {
	for i := range list {
		if list[i].Kind == more.Kind && list[i].Reason == more.Reason {
			list[i].N += more.N
			return list
		}
	}
	return append(list, more)
}
