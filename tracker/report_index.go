package tracker

import (
	"context"
	"errors"

	"track/scoring"
	"track/scoring/rubric"
	"track/scoring/stats"
	"track/store"
	"track/tracker/agents"
)

// AgentFacts are what an index tells of a lineage without a ledger: an agent that runs, and is not evolved.
type AgentFacts struct {
	Name        string
	NExecutions int
	NFailed     int
	Success     stats.Proportion      // of the executions; zero where there are none
	Tasks       []TaskFacts           // by name
	Newest      string                // the version that was executed last
	Fitness     *agents.FitnessReport // of that version; nil where no execution of it has a score
}

// TaskFacts are the executions of an agent at one task.
type TaskFacts struct {
	store.TaskSummary
	Success stats.Proportion
}

// LoadAgentFacts collects what an index tells of the executions of a lineage.
func LoadAgentFacts(ctx context.Context, st *store.Reader, lineage string) (a AgentFacts, err error) {
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
			a.Tasks = append(a.Tasks, TaskFacts{t, success})
			a.NExecutions, a.NFailed = a.NExecutions+t.NExecutions, a.NFailed+t.NFailed
		}
		if a.Success, err = stats.Wilson(a.NExecutions-a.NFailed, a.NExecutions, scoring.DefaultConfidence); err != nil {
			return err
		}
		if a.Newest, err = st.NewestVersion(ctx, lineage); err != nil {
			return err
		}
		fitness, err := agents.Fitness(ctx, st, lineage, a.Newest, "", rubric.FitnessOptions{})
		if errors.Is(err, rubric.ErrNoScores) {
			return nil
		}
		a.Fitness = &fitness
		return err
	})
	return a, err
}
