package sweeps

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
	"track/store"
	"track/tracker/seeds"
)

// List returns recorded sweeps, the newest first.
func List(ctx context.Context, r *store.Reader, q answer.SweepsQuestion) (a answer.Sweeps, err error) {
	limit := q.Page.PageLimit()
	filter := store.SweepFilter{Scenario: q.Scenario, After: q.Page.After, Limit: limit + 1} // one more says whether there is another page
	if q.Scenario != "" {
		if _, err := r.NewestConfiguration(ctx, q.Scenario); err != nil {
			return a, err
		}
	}
	if q.Page.After != "" { // an unknown position must not look like the end of the list
		last, err := r.Sweeps(ctx, store.SweepFilter{ID: q.Page.After})
		if err != nil {
			return a, err
		}
		if len(last) != 1 || last[0].ID != q.Page.After {
			return a, q.Page.UnknownCursor()
		}
	}
	list, err := r.Sweeps(ctx, filter)
	if err != nil {
		return a, err
	}
	if len(list) > limit {
		list = list[:limit]
		a.Next = list[limit-1].ID
	}
	a.Items = make([]answer.RecordedSweep, len(list))
	running, err := r.Running(ctx)
	for i, s := range list {
		a.Items[i] = newRecordedSweep(s, running)
	}
	return a, err
}

func newRecordedSweep(s store.SweepSummary, running store.Running) answer.RecordedSweep {
	r := answer.RecordedSweep{
		ID: s.ID, Scenario: s.Scenario, Command: []string{}, Shard: s.Shard, NShards: s.NShards, StartedAt: s.StartedAt, EndedAt: s.EndedAt,
		Ending: s.Ending, CodeChanged: s.CodeChanged, Withdrawn: s.Withdrawn, NRuns: s.NRuns, NFailed: s.NFailed, NWithdrawn: s.NWithdrawn,
		IsRunning: s.Ending == "" && running.HasSweep(s.ID), Configurations: make([]answer.PlannedConfiguration, len(s.Planned)),
	}
	var plan struct {
		Command []string `json:"command"`
	}
	if err := json.Unmarshal([]byte(s.Plan), &plan); err == nil { // the plan may be of a newer program
		r.Command = plan.Command
	}
	for i, planned := range s.Planned {
		r.Configurations[i] = newPlannedConfiguration(planned.Configuration, planned.Seeds)
	}
	return r
}

func newPlannedConfiguration(c track.Configuration, seeds track.SeedRanges) answer.PlannedConfiguration {
	return answer.PlannedConfiguration{
		RecordedConfiguration: track.RecordedConfiguration{Hash: c.Hash(), Configuration: c}, Planned: seeds.String(), NPlanned: seeds.Len(),
	}
}

// Show returns a sweep with its provenance.
func Show(ctx context.Context, r *store.Reader, q answer.SweepQuestion) (a answer.Sweep, err error) {
	s, err := seeds.FindSweep(ctx, r, q.ID)
	if err != nil {
		return a, err
	}
	running, err := r.Running(ctx)
	if err != nil {
		return a, err
	}
	a = answer.Sweep{
		RecordedSweep: newRecordedSweep(s, running), Environment: s.Environment, Plan: jsontext.Value(s.Plan), Changes: s.Changes, Libraries: s.Libraries,
	}
	if a.Progress, err = progressOf(ctx, r, s); err == nil && a.IsRunning {
		addRunning(&a.Progress, s, running)
	}
	return a, err
}
