package lineages

import (
	"context"
	"fmt"
	"strings"

	"track"
	"track/answer/param"
	"track/store"
)

// Resolve returns the given name, or the name of the only lineage with a ledger.
func Resolve(ctx context.Context, r *store.Reader, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	names, err := r.EvolvingNames(ctx)
	if err != nil {
		return "", err
	}
	switch len(names) {
	case 0:
		err := fmt.Errorf("lineage with a ledger: %w", track.ErrNotFound)
		return "", track.WithHint(err, track.NewHint("begin one", "lineage new", "NAME").With("root", "FILE"))
	case 1:
		return names[0], nil
	}
	return "", &param.Error{Param: "lineage", Message: "name one of " + strings.Join(names, ", ")}
}

// resolveMutation returns the lineage that was named, or the only one that has the mutation.
func resolveMutation(ctx context.Context, r *store.Reader, lineage, mutation string) (string, error) {
	if lineage != "" {
		return lineage, nil
	}
	return r.MutationLineage(ctx, mutation)
}
