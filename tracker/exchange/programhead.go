package exchange

import (
	"context"

	"track/evolution"
	"track/importer"
	"track/tracker/lineages"
)

// isMinimized reports whether less is better, as the lineage says if it exists.
func (w *programsWriter) isMinimized() bool {
	if w.End.Number > 0 {
		return w.Settings.Scale != nil && w.Settings.Scale.Minimize
	}
	return w.options.Minimize
}

// bestProgram returns the program that the source calls the best, or the one with the best score; nil if no program
// has a score. A program that failed is never the best. All sources take more for better, so what they call the best
// says nothing where less is better.
func (w *programsWriter) bestProgram() (best *importer.Program) {
	minimize := w.isMinimized()
	for i := range w.run.Programs {
		p := &w.run.Programs[i]
		switch {
		case p.Score == nil:
		case p.Best && !minimize:
			return p
		case best == nil, *p.Score > *best.Score != minimize && *p.Score != *best.Score:
			best = p
		}
	}
	return best
}

// follow makes the best program active if a run has a better one than when it was imported before, and nothing but
// imports ever chose the active version. Else the answer names the best program.
func (w *programsWriter) follow(ctx context.Context) error {
	best := w.bestProgram()
	if w.summary.Created || best == nil {
		return nil
	}
	label := w.labels[best.ID]
	better, err := w.isBetterThanHead(ctx, best, label)
	if err != nil || !better {
		return err
	}
	alone, err := lineages.IsLedByImports(ctx, w.tx.Reader, w.Lineage)
	if err != nil {
		return err
	}
	if !alone {
		w.summary.Better = label
		return nil
	}
	adoption := evolution.Adoption{Source: w.options.Source, Score: best.Score}
	if adoption.Version, err = lineages.VersionRef(ctx, w.tx.Reader, w.Lineage, label); err != nil {
		return err
	}
	if w.births[best.ID] != "" {
		adoption.VersionMutation = best.ID
	}
	w.summary.HeadBefore = w.Head
	return lineages.Adopt(w.tx, &w.Lineage, adoption, w.options.At)
}

// isBetterThanHead reports whether the best program of the run is better than the active version. If the run has the
// active version no longer, or not yet, the scores decide.
func (w *programsWriter) isBetterThanHead(ctx context.Context, best *importer.Program, label string) (bool, error) {
	if label == w.Head {
		return false, nil
	}
	if w.Head == "" || w.seen[w.Head] {
		return true, nil
	}
	head, err := w.tx.VersionState(ctx, w.Name, w.Head)
	if err != nil || head.SourceScore == nil {
		return false, err
	}
	return *best.Score > *head.SourceScore != w.isMinimized() && *best.Score != *head.SourceScore, nil
}
