package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"track/answer"
	"track/importer/lines"
	"track/store"
	"track/tracker/lineages"
	"track/tracker/names"
)

// ImportLineage records a lineage that was exported elsewhere. Its ledger must replay without a difference and begin
// with the entries that are stored; a ledger that diverges is a conflict. A file records nothing or everything, and a
// server the first entries of a long ledger if it is cut off.
func ImportLineage(ctx context.Context, st *store.Store, x lines.Lineage) (a answer.ImportedLineage, err error) {
	l := ledgerRecord{Lineage: x}
	if l.replayed, err = lineages.CheckExport(x); err != nil {
		return a, err
	}
	d := NewDoor(st, bringLedgers, names.New(names.Warn), false)
	err = d.putLedger(ctx, &l)
	r := l.result
	return answer.ImportedLineage{Lineage: r.Lineage, Created: r.Created, Entries: r.Entries, Known: r.Known, Head: r.Head, End: r.End,
		Suspicions: answer.Suspicions{NearNames: d.names.Found()}}, d.sync(err)
}

// ReadLineage reads a lineage that was exported, and imports it into the database that open opens. file names the
// source in errors.
func ReadLineage(ctx context.Context, file string, in io.Reader, open func() (*store.Store, error)) (a answer.ImportedLineage, err error) {
	x, err := lines.ReadLineage(file, in)
	if err != nil {
		return a, err
	}
	st, err := open()
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if a, err = ImportLineage(ctx, st, x); err != nil {
		return a, fmt.Errorf("import %s: %w", file, err)
	}
	return a, nil
}

// ExportLineage returns a lineage as the lines that [ReadLineage] reads, or its manifest. An empty name stands for
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
