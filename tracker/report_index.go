package tracker

import (
	"context"
	"errors"

	"track/answer"
	"track/scoring"
	"track/scoring/rubric"
	"track/scoring/stats"
	"track/store"
	"track/tracker/agents"
)

// loadAgentReport returns what an index shows of a lineage without a ledger.
func loadAgentReport(ctx context.Context, st *store.Reader, lineage string) (a answer.AgentReport, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		a.Name = lineage
		tasks, err := st.Tasks(ctx, lineage)
		if err != nil || len(tasks) == 0 {
			return err
		}
		for _, t := range tasks {
			success, err := stats.Wilson(t.NExecutions-t.NFailed, t.NExecutions, scoring.DefaultConfidence)
			if err != nil {
				return err
			}
			a.Tasks = append(a.Tasks, answer.TaskSuccess{Name: t.Task, NExecutions: t.NExecutions, Success: success})
			a.NExecutions, a.NFailed = a.NExecutions+t.NExecutions, a.NFailed+t.NFailed
		}
		if a.Success, err = stats.Wilson(a.NExecutions-a.NFailed, a.NExecutions, scoring.DefaultConfidence); err != nil {
			return err
		}
		if a.Newest, err = st.NewestVersion(ctx, lineage); err != nil {
			return err
		}
		fitness, err := agents.Fitness(ctx, st, lineage, a.Newest, "", nil)
		if errors.Is(err, rubric.ErrNoScores) {
			return nil
		}
		a.Fitness = &answer.AgentFitness{Value: fitness.Value, Grade: string(fitness.Grade), NUsed: len(fitness.Used), Mean: fitness.Mean}
		return err
	})
	return a, err
}
