// Package retention deletes the large contents of old records, and keeps what others rest on.
package retention

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"track/answer"
	"track/evolution"
	"track/store"
	"track/tracker/lineages"
)

// reasonForgotten is what tombstones of executions say that were pruned.
const reasonForgotten = "pruned by age"

// The reasons for which executions keep their texts, besides those of seeds.
const (
	keptOpen = "open"
	keptHead = "head"
)

// Prune deletes the series and files of old seeds, and the texts of old executions. The records stay. It keeps what is
// recent, what sweeps and hooks are still adding to, what decisions rest on, and what the question names.
func Prune(ctx context.Context, st *store.Store, q answer.PruneQuestion) (a answer.Pruned, err error) {
	rule := store.PruneRule{Before: st.Now().Add(-q.OlderThan), Retain: store.RetainUsed}
	if slices.Contains(q.Keep, answer.RetainBaseline) {
		rule.Retain |= store.RetainBaselines
	}
	a = answer.Pruned{DryRun: q.DryRun, Before: rule.Before}
	var texts oldTexts
	err = st.Snapshot(ctx, func(r *store.Reader) error {
		kept, err := r.KeptSeeds(ctx, rule)
		if err != nil {
			return err
		}
		a.Kept = keptRecords("seeds", kept)
		texts, err = findTexts(ctx, r, rule.Before, slices.Contains(q.Keep, answer.RetainHead))
		a.Kept = append(a.Kept, keptRecords("executions", texts.kept)...)
		return err
	})
	if err != nil {
		return a, err
	}
	a.NExecutions = len(texts.old)
	series, err := st.PruneSeries(ctx, rule, q.DryRun)
	if err != nil {
		return a, err
	}
	artifacts, err := st.PruneArtifacts(ctx, rule, q.DryRun)
	if err != nil {
		return a, err
	}
	a.Series, a.Artifacts = prunedSeries(series, q.DryRun), prunedSeries(artifacts, q.DryRun)
	if !q.DryRun && len(texts.old) > 0 {
		err = st.ForgetFor(ctx, reasonForgotten, texts.old...)
	}
	return a, err
}

func prunedSeries(p store.Pruned, dryRun bool) answer.PrunedSeries {
	return answer.PrunedSeries{DryRun: dryRun, NSeeds: p.Seeds, NContents: p.Contents, Bytes: p.Bytes}
}

func keptRecords(kind string, byReason map[string]int) (list []answer.KeptRecord) {
	order := []string{store.KeptRecent, store.KeptSweep, keptOpen, store.KeptDecision, store.KeptBaseline, keptHead}
	for _, reason := range slices.SortedFunc(maps.Keys(byReason), func(a, b string) int { return cmp.Compare(slices.Index(order, a), slices.Index(order, b)) }) {
		list = append(list, answer.KeptRecord{Kind: kind, Reason: reason, N: byReason[reason]})
	}
	return list
}

// oldTexts are executions whose texts can go, and how many keep theirs, by reason.
type oldTexts struct {
	old  []string
	kept map[string]int
}

// findTexts finds the executions whose texts can go.
func findTexts(ctx context.Context, r *store.Reader, before time.Time, keepHeads bool) (texts oldTexts, err error) {
	uses, err := loadUses(ctx, r, keepHeads)
	if err != nil {
		return texts, err
	}
	texts.kept = map[string]int{}
	err = r.ExecutionTexts(ctx, func(e store.ExecutionTexts) {
		use := uses[e.Lineage]
		switch {
		case !e.RecordedAt.Before(before):
			texts.kept[store.KeptRecent]++
		case e.IsOpen:
			texts.kept[keptOpen]++
		case use.evidence[lineages.TrialID(e.Source, e.Key)]:
			texts.kept[store.KeptDecision]++
		case use.heads[e.Version]:
			texts.kept[keptHead]++
		default:
			texts.old = append(texts.old, e.ULID)
		}
	})
	return texts, err
}

// lineageUse says what of a lineage is in use.
type lineageUse struct {
	evidence map[string]bool // trials that a decision rests on
	heads    map[string]bool // the active version and its ancestors
}

func loadUses(ctx context.Context, r *store.Reader, keepHeads bool) (map[string]lineageUse, error) {
	uses := map[string]lineageUse{}
	names, err := r.EvolvingNames(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		lineage, err := r.Evolving(ctx, name)
		if err != nil {
			return nil, err
		}
		use := lineageUse{heads: map[string]bool{}}
		if use.evidence, err = loadEvidence(ctx, r, lineage); err == nil && keepHeads {
			use.heads, err = loadHeads(ctx, r, lineage)
		}
		if err != nil {
			return nil, err
		}
		uses[name] = use
	}
	return uses, nil
}

// loadEvidence returns the trials on which the decisions of a lineage rest.
func loadEvidence(ctx context.Context, r *store.Reader, lineage store.Evolving) (map[string]bool, error) {
	entries, err := r.Entries(ctx, lineage, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}})
	evidence := map[string]bool{}
	for _, e := range entries {
		var record evolution.Record
		if err := e.Decode(&record); err != nil {
			return nil, err
		}
		for _, t := range slices.Concat(record.Evidence.Child, record.Evidence.Parent) {
			evidence[t.ID] = true
		}
	}
	return evidence, err
}

// loadHeads returns the active version of a lineage and its ancestors.
func loadHeads(ctx context.Context, r *store.Reader, lineage store.Evolving) (map[string]bool, error) {
	mutations, err := r.Mutations(ctx, lineage, store.MutationFilter{})
	parents := map[string][]string{}
	for _, m := range mutations {
		parents[m.Child] = append(parents[m.Child], m.Parents...)
	}
	heads := map[string]bool{}
	for todo := []string{lineage.Head}; len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if name != "" && !heads[name] {
			heads[name] = true
			todo = append(todo, parents[name]...)
		}
	}
	return heads, err
}
