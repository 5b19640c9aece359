package lineages

import (
	"context"
	"strconv"

	"track/answer"
	"track/store"
)

func ListMutations(ctx context.Context, r *store.Reader, q answer.MutationsQuestion) (a answer.Mutations, err error) {
	if a.Lineage, err = Resolve(ctx, r, q.Lineage); err != nil {
		return a, err
	}
	l, err := Load(ctx, r, a.Lineage)
	if err != nil {
		return a, err
	}
	a.Scale = l.Settings.Scale
	before := 0
	if q.Page.After != "" {
		if before, err = strconv.Atoi(q.Page.After); err != nil {
			return a, q.Page.UnknownCursor()
		}
	}
	limit := q.Page.PageLimit()
	list, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{State: q.State, Before: before, Newest: limit + 1})
	if err != nil {
		return a, err
	}
	if len(list) > limit {
		list = list[:limit]
		a.Next = strconv.Itoa(list[limit-1].Number)
	}
	a.Items = mutationAnswers(a.Lineage, list)
	return a, nil
}

func mutationAnswers(lineage string, list []store.Mutation) []answer.Mutation {
	items := make([]answer.Mutation, len(list))
	for i, m := range list {
		items[i] = mutationAnswer(lineage, m)
	}
	return items
}

func mutationAnswer(lineage string, m store.Mutation) answer.Mutation {
	return answer.Mutation{
		Lineage: lineage, ID: m.Key, Number: m.Number, State: m.State, Parents: m.Parents, Child: m.Child, Operator: m.Operator, Risk: m.Risk,
		NDecisions: m.NAttempts, Delta: m.Delta, CostUSD: m.CostUSD, Note: m.Note, Source: m.Source, ProposedAt: m.ProposedAt,
	}
}

func ShowMutation(ctx context.Context, r *store.Reader, q answer.MutationQuestion) (a answer.MutationDetail, err error) {
	lineage, err := resolveMutation(ctx, r, q.Lineage, q.Mutation)
	if err != nil {
		return a, err
	}
	h, err := loadMutationHistory(ctx, r, lineage, q.Mutation)
	if err != nil {
		return a, err
	}
	a = answer.MutationDetail{Mutation: mutationAnswer(lineage, h.Mutation), Scale: h.Scale, Refusals: h.Refusals, Inferred: h.Inferred, Origin: h.Origin, Withdrawn: h.Withdrawn, Tasks: h.Tasks}
	for _, d := range h.Decisions {
		a.Decisions = append(a.Decisions, decisionAnswer(d))
	}
	return a, nil
}

// DiffMutation answers a [answer.MutationQuestion] with what the mutation changes.
func DiffMutation(ctx context.Context, r *store.Reader, q answer.MutationQuestion) (a answer.VersionDiff, err error) {
	lineage, err := resolveMutation(ctx, r, q.Lineage, q.Mutation)
	if err != nil {
		return a, err
	}
	l, err := r.Evolving(ctx, lineage)
	if err != nil {
		return a, err
	}
	m, err := r.Mutation(ctx, l, q.Mutation)
	if err != nil {
		return a, err
	}
	parent := ""
	if len(m.Parents) > 0 {
		parent = m.Parents[0]
	}
	return diffVersions(ctx, r, lineage, parent, m.Child)
}

func ProposeMutation(ctx context.Context, st *store.Store, q answer.ProposeQuestion) (a answer.Proposed, err error) {
	lineage, err := Resolve(ctx, st.Reader, q.Lineage)
	if err != nil {
		return a, err
	}
	r, err := Propose(ctx, st, lineage, ProposeOptions{
		Child: *q.Child, Parents: q.Parents, Operator: q.Operator, Risk: q.Risk, Note: q.Note, CostUSD: q.CostUSD, ID: q.ID, KeepSecrets: q.KeepSecrets, At: q.At,
	})
	if err != nil {
		return a, err
	}
	return answer.Proposed{Mutation: mutationAnswer(lineage, r.Mutation), Known: r.Known, Refusals: r.Refusals, Warnings: r.Warnings}, nil
}

func WithdrawMutation(ctx context.Context, st *store.Store, q answer.WithdrawQuestion) (a answer.Withdrawn, err error) {
	lineage, err := resolveMutation(ctx, st.Reader, q.Lineage, q.Mutation)
	if err != nil {
		return a, err
	}
	m, err := withdraw(ctx, st, lineage, q.Mutation, q.Reason, q.At)
	return answer.Withdrawn{Mutation: mutationAnswer(lineage, m)}, err
}
