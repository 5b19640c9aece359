package seeds

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/store"
)

// ListArtifacts lists the files that were kept of the seeds of a configuration.
func ListArtifacts(ctx context.Context, r *store.Reader, q answer.ArtifactsQuestion) (a answer.Artifacts, err error) {
	choice, err := Choose(ctx, r, q.Of, false)
	if err != nil {
		return a, err
	}
	a.Side, a.Items = choice.side(), []answer.ListedArtifact{}
	if a.Annotations, err = annotationsOf(ctx, r, choice); err != nil {
		return a, err
	}
	list, err := r.Artifacts(ctx, store.Selection{Scenario: choice.Scenario, Configurations: []int64{choice.Configurations[0].ID}, Seeds: q.Seeds})
	for _, f := range list {
		a.Items = append(a.Items, answer.ListedArtifact{Seed: f.Seed, Outcome: f.Outcome, SeedArtifact: seedArtifact(f)})
	}
	return a, err
}

// failingArtifacts returns the files of the failing seeds among those of a selection.
func failingArtifacts(ctx context.Context, r *store.Reader, sel store.Selection, failing []track.FailingSeed) (files []answer.ListedArtifact, err error) {
	if len(failing) == 0 {
		return nil, nil
	}
	failed := map[track.SeedNumber]bool{}
	for _, seed := range failing {
		failed[seed.Number] = true
	}
	list, err := r.Artifacts(ctx, sel)
	for _, f := range list {
		if failed[f.Seed] {
			files = append(files, answer.ListedArtifact{Seed: f.Seed, Outcome: f.Outcome, SeedArtifact: seedArtifact(f)})
		}
	}
	return files, err
}

func seedArtifact(f store.Artifact) answer.SeedArtifact {
	return answer.SeedArtifact{Name: f.Name, Bytes: f.NBytes, Hash: f.Hash, LeftOut: f.LeftOut, PrunedAt: f.PrunedAt}
}

// artifactsOf returns the files that were kept of the seed with this ULID.
func artifactsOf(ctx context.Context, r *store.Reader, ulid string) (files []answer.SeedArtifact, err error) {
	list, err := r.ArtifactsOf(ctx, ulid)
	for _, f := range list {
		files = append(files, seedArtifact(f))
	}
	return files, err
}

// ArtifactFile is a file of a seed with its content.
type ArtifactFile struct {
	answer.SeedArtifact
	Content string
}

// ArtifactFiles returns files of a seed with their contents: the one of this name, which must be there, or all of them
// if the name is empty, those without a content included.
func ArtifactFiles(ctx context.Context, r *store.Reader, of answer.Selector, number track.SeedNumber, name string) (ref answer.SeedRef, files []ArtifactFile, err error) {
	seed, ref, err := findSeedRef(ctx, r, of, number)
	if err != nil {
		return ref, nil, err
	}
	list, err := artifactsOf(ctx, r, seed.ID)
	if err != nil {
		return ref, nil, err
	}
	if name != "" {
		at := slices.IndexFunc(list, func(f answer.SeedArtifact) bool { return f.Name == name })
		if at < 0 {
			return ref, nil, noArtifact(name, list)
		}
		list = list[at : at+1]
	}
	for _, f := range list {
		file := ArtifactFile{SeedArtifact: f}
		if f.LeftOut == "" && f.PrunedAt.IsZero() {
			if file.Content, err = r.ArtifactContent(ctx, seed.ID, f.Name); err != nil {
				return ref, nil, err
			}
		} else if name != "" {
			return ref, nil, withoutContent(f)
		}
		files = append(files, file)
	}
	return ref, files, nil
}

// noArtifact returns the error for a file that a seed does not have.
func noArtifact(name string, list []answer.SeedArtifact) error {
	err := fmt.Errorf("file %s: %w", name, track.ErrNotFound)
	if len(list) == 0 {
		return track.WithHint(err, track.Hint{Text: "no files were kept of the seed"})
	}
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
	}
	return track.WithHint(err, track.Hint{Text: "the files of the seed are: " + strings.Join(names, ", ")})
}

// withoutContent returns the error for a file whose content is not kept.
func withoutContent(f answer.SeedArtifact) error {
	if f.LeftOut != "" {
		err := fmt.Errorf("file %s: its content is %w: %s", f.Name, track.ErrNotFound, f.LeftOut)
		return track.WithHint(err, track.Hint{Text: "record the seed with a larger limit"}.With("max-file-size", "SIZE"))
	}
	return fmt.Errorf("file %s: its content is %w: it was pruned on %s", f.Name, track.ErrNotFound, f.PrunedAt.Format("2006-01-02"))
}

// Query returns the rows of a reading SQL statement.
func Query(ctx context.Context, r *store.Reader, q answer.QueryQuestion) (whole answer.Query, err error) {
	err = QueryPages(ctx, r, q, func(page answer.Query) error {
		whole.Columns = page.Columns
		whole.AppendPage(page)
		whole.LimitedTo, whole.Bounded = page.LimitedTo, page.Bounded
		return nil
	})
	return whole, err
}

// errLimited ends a query that has more rows than are asked for.
var errLimited = errors.New("more rows than are asked for")

// QueryPages gives the rows of a reading SQL statement in pages, of which there is at least one. A page ends after
// 10,000 rows or 4 MiB. The last one says if there are more rows than the limit.
func QueryPages(ctx context.Context, r *store.Reader, q answer.QueryQuestion, page func(answer.Query) error) error {
	const mostRows, mostBytes = 10_000, 4 << 20
	var next answer.Query
	n, nRows, nBytes, given := 0, 0, int64(0), false
	columns, err := r.QueryViews(ctx, q.SQL, func(columns []string, row []any) error {
		if q.IsEnough(nRows, nBytes) {
			return errLimited
		}
		nRows++
		for i, cell := range row {
			if raw, isBytes := cell.([]byte); isBytes {
				row[i] = hex.EncodeToString(raw)
			}
		}
		item, err := answer.NewQueryRow(columns, row)
		if err != nil {
			return err
		}
		next.Items, n, nBytes = append(next.Items, item), n+len(item), nBytes+int64(len(item))
		if len(next.Items) < mostRows && n < mostBytes || q.IsEnough(nRows, nBytes) {
			return nil
		}
		next.Columns = columns
		err = page(next)
		next, n, given = answer.Query{}, 0, true
		return err
	})
	switch {
	case errors.Is(err, errLimited):
		next.LimitedTo, next.Bounded = nRows, nRows != q.Limit
	case err != nil || given && len(next.Items) == 0:
		return err
	}
	next.Columns = columns
	return page(next)
}

// PruneSeries deletes the numbers of old series.
func PruneSeries(ctx context.Context, st *store.Store, q answer.PruneSeriesQuestion) (answer.PrunedSeries, error) {
	pruned, err := st.PruneSeries(ctx, pruneRule(st, q.Pruning), q.DryRun)
	return prunedContents(pruned, q.DryRun), err
}

// PruneArtifacts deletes the contents of the files of old seeds.
func PruneArtifacts(ctx context.Context, st *store.Store, q answer.PruneArtifactsQuestion) (answer.PrunedArtifacts, error) {
	pruned, err := st.PruneArtifacts(ctx, pruneRule(st, q.Pruning), q.DryRun)
	return answer.PrunedArtifacts{PrunedSeries: prunedContents(pruned, q.DryRun)}, err
}

func pruneRule(st *store.Store, q answer.Pruning) store.PruneRule {
	rule := store.PruneRule{Keep: q.Keep}
	if q.OlderThan > 0 {
		rule.Before = st.Now().Add(-q.OlderThan)
	}
	return rule
}

func prunedContents(p store.Pruned, dryRun bool) answer.PrunedSeries {
	return answer.PrunedSeries{DryRun: dryRun, NSeeds: p.Seeds, NContents: p.Contents, Bytes: p.Bytes}
}
