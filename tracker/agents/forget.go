package agents

import (
	"context"

	"track/answer"
	"track/store"
)

// ForgetExecutions removes the texts of executions. Their scores, counts and digests stay.
func ForgetExecutions(ctx context.Context, st *store.Store, q answer.ForgetExecutionQuestion) (a answer.ForgottenExecutions, err error) {
	for _, id := range q.IDs {
		execution, err := st.Execution(ctx, id)
		if err != nil {
			return a, err
		}
		a.Forgotten = append(a.Forgotten, execution.ID)
	}
	return a, st.Forget(ctx, a.Forgotten...)
}
