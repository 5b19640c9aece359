package lineages

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"track/answer"
	"track/internal/textdiff"
	"track/store"
)

// ListVersions answers which versions a lineage has.
func ListVersions(ctx context.Context, r *store.Reader, q answer.OptionalLineageQuestion) (a answer.Versions, err error) {
	if a.Lineage, err = Resolve(ctx, r, q.Lineage); err != nil {
		return a, err
	}
	list, settings, err := listVersions(ctx, r, a.Lineage)
	a.Items, a.Scale = versionAnswers(list), settings.Scale
	return a, err
}

func versionAnswers(list []VersionEntry) []answer.Version {
	items := make([]answer.Version, len(list))
	for i, v := range list {
		items[i] = versionAnswer(v)
	}
	return items
}

func versionAnswer(v VersionEntry) answer.Version {
	return answer.Version{
		Version: v.Name, Place: v.State, Best: v.Best, Parent: v.Parent, Operator: v.Operator, Fitness: v.Fitness, Measure: v.Measure, NTasks: v.NTasks, N: v.N, NFailed: v.NFailed,
		ContentSHA256: v.ContentID, Problem: v.Problem, Status: v.Status, SourceScore: v.SourceScore, CreatedAt: v.CreatedAt,
	}
}

func ShowVersion(ctx context.Context, r *store.Reader, q answer.VersionQuestion) (a answer.VersionDetail, err error) {
	v, err := loadVersion(ctx, r, q.Of.Lineage, q.Of.Version)
	if err != nil {
		return a, err
	}
	a.Lineage, a.Version = q.Of.Lineage, versionAnswer(v)
	if l, err := Load(ctx, r, q.Of.Lineage); err == nil { // it may have no ledger
		a.Scale = l.Settings.Scale
		made, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{Child: q.Of.Version})
		if err != nil {
			return a, err
		}
		for _, m := range made {
			a.Mutations = append(a.Mutations, m.Key)
		}
	}
	a.Content, err = r.Content(ctx, q.Of.Lineage, q.Of.Version)
	return a, err
}

// ShowContent answers a [answer.VersionQuestion] with the content.
func ShowContent(ctx context.Context, r *store.Reader, q answer.VersionQuestion) (answer.VersionContent, error) {
	content, err := recordedContent(ctx, r, q.Of.Lineage, q.Of.Version)
	return answer.VersionContent{Lineage: q.Of.Lineage, Version: q.Of.Version, Content: content}, err
}

func DiffVersions(ctx context.Context, r *store.Reader, q answer.VersionDiffQuestion) (a answer.VersionDiff, err error) {
	if q.To != "" {
		to, err := answer.VersionName(q.Of.Lineage, q.To)
		if err != nil {
			return a, err
		}
		return diffVersions(ctx, r, q.Of.Lineage, q.Of.Version, to)
	}
	v, err := r.VersionState(ctx, q.Of.Lineage, q.Of.Version)
	if err != nil {
		return a, err
	}
	return diffVersions(ctx, r, q.Of.Lineage, v.Parent, q.Of.Version)
}

// diffVersions returns the difference of two versions. If from is empty, all of the other is added.
func diffVersions(ctx context.Context, r *store.Reader, lineage, from, to string) (a answer.VersionDiff, err error) {
	a = answer.VersionDiff{Lineage: lineage, From: from, To: to}
	before, after, name := "", "", "no version"
	if from != "" {
		name = from
		if before, err = recordedContent(ctx, r, lineage, from); err != nil {
			return a, err
		}
	}
	if after, err = recordedContent(ctx, r, lineage, to); err != nil {
		return a, err
	}
	if l, err := r.Evolving(ctx, lineage); err == nil && l.Subject != SubjectAgent {
		before, after = membersOnLines(before), membersOnLines(after)
	}
	a.Diff, a.Added, a.Removed = textdiff.Unified(name, before, to, after)
	return a, nil
}

// recordedContent returns the content of a version, or an error that says why it is not recorded.
func recordedContent(ctx context.Context, r *store.Reader, lineage, version string) (string, error) {
	content, err := r.Content(ctx, lineage, version)
	if err == nil && content == nil {
		err = answer.NoContent(answer.VersionSelector{Lineage: lineage, Version: version})
	}
	if err != nil {
		return "", err
	}
	return *content, nil
}

// membersOnLines writes each parameter of a simulation on a line of its own, by name.
func membersOnLines(object string) string {
	v := jsontext.Value(object)
	if object == "" || v.Canonicalize() != nil || v.Indent(jsontext.WithIndent("  ")) != nil {
		return object
	}
	return string(v) + "\n"
}
