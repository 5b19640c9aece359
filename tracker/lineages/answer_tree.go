package lineages

import (
	"context"
	"slices"

	"track/answer"
	"track/evolution"
	"track/store"
)

// ShowTree answers a [answer.LineageQuestion] with all versions and what each was made from.
func ShowTree(ctx context.Context, r *store.Reader, q answer.LineageQuestion) (a answer.LineageTree, err error) {
	if a.Lineage, err = Resolve(ctx, r, q.Lineage); err != nil {
		return a, err
	}
	l, err := Load(ctx, r, a.Lineage)
	if err != nil {
		return a, err
	}
	a.Head, a.Scale, a.ScoreFrom = l.Head, l.Settings.Scale, l.Settings.ScoreFrom
	versions, err := loadVersions(ctx, r, l)
	if err != nil {
		return a, err
	}
	mutations, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{})
	if err != nil {
		return a, err
	}
	origins, err := loadOrigins(ctx, r, l)
	if err != nil {
		return a, err
	}
	slices.Reverse(versions)
	root, err := rootOf(l)
	if err != nil {
		return a, err
	}
	a.Items = treeVersions(versions, mutations, origins)
	markRoots(a.Items, root)
	markPath(a.Items, a.Head)
	return a, nil
}

// treeOrigin is what another evolver says of a mutation, and whether its parents were inferred.
type treeOrigin struct {
	*evolution.Origin
	inferred bool
}

// loadOrigins returns the origins of mutations, by their keys; nothing of a lineage that began here.
func loadOrigins(ctx context.Context, r *store.Reader, l Lineage) (map[string]treeOrigin, error) {
	origins := map[string]treeOrigin{}
	if !l.isRun {
		return origins, nil
	}
	entries, err := r.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindProposal, evolution.KindRefusal}})
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		var p evolution.Proposal
		if err := e.Decode(&p); err != nil {
			return nil, err
		}
		origins[e.Mutation] = treeOrigin{p.Origin, p.Inferred}
	}
	return origins, nil
}

// treeVersions returns versions, the oldest first, with the mutations that made them.
func treeVersions(versions []VersionEntry, mutations []store.Mutation, origins map[string]treeOrigin) []answer.TreeVersion {
	made := makers(mutations)
	contents := map[string]string{}
	list := make([]answer.TreeVersion, len(versions))
	for i, v := range versions {
		contents[v.Name] = v.ContentID
		t := answer.TreeVersion{
			Number: i + 1, Version: v.Name, Parents: []string{}, Operator: v.Operator, Place: v.State, Fitness: v.Fitness, N: v.N, NFailed: v.NFailed, CreatedAt: v.CreatedAt,
		}
		if v.Parent != "" {
			t.Parents = []string{v.Parent}
		}
		if m, found := made[v.Name]; found {
			t.Mutation, t.State, t.Operator, t.Parents, t.Delta = m.Key, m.State, m.Operator, m.Parents, m.Delta
			o := origins[m.Key]
			if t.Inferred = o.inferred; o.Origin != nil {
				t.Generation, t.Island = o.Generation, o.Island
			}
		}
		list[i] = t
	}
	for i, v := range list {
		list[i].Unchanged = len(v.Parents) > 0 && contents[v.Version] != "" && contents[v.Version] == contents[v.Parents[0]]
	}
	return list
}

// makers returns the mutation that made each version. Of several it is the one that was accepted, else the first that
// was not refused.
func makers(mutations []store.Mutation) map[string]store.Mutation {
	made := map[string]store.Mutation{}
	for _, m := range mutations {
		known, found := made[m.Child]
		if !found || known.State != evolution.MutationAccepted && m.State == evolution.MutationAccepted || known.State == evolution.MutationRefused && m.State != evolution.MutationRefused {
			made[m.Child] = m
		}
	}
	return made
}

// rootOf returns the version that a lineage began with; empty if the ledger began without one, or is of another evolver.
func rootOf(l Lineage) (string, error) {
	var creation evolution.Creation
	if first, found := l.newest[evolution.KindCreation]; found && !l.isRun {
		if err := first.Decode(&creation); err != nil {
			return "", err
		}
	}
	if creation.Root == nil {
		return "", nil
	}
	return creation.Root.Label, nil
}

// markRoots marks the version that the lineage began with; if none is known, those without a parent.
func markRoots(list []answer.TreeVersion, root string) {
	for i, v := range list {
		list[i].Root = v.State == "" && (v.Version == root || root == "" && len(v.Parents) == 0)
	}
}

// markPath marks a version, and those that led to it from the root by their first parents.
func markPath(list []answer.TreeVersion, to string) {
	at := map[string]int{}
	for i, v := range list {
		at[v.Version] = i
	}
	for {
		i, found := at[to]
		if !found || list[i].OnPath { // a version can be made again from what came of it
			return
		}
		if list[i].OnPath = true; list[i].Root || len(list[i].Parents) == 0 {
			return
		}
		to = list[i].Parents[0]
	}
}
