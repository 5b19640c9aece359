package lineages

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"track"
	"track/evolution"
	"track/store"
)

// VersionTrials are the trials of a version, and what of it is no evidence.
type VersionTrials struct {
	Trials   []evolution.Trial // oldest first
	Open     int               // executions that may still go on: left out
	Unscored int               // executions that ended well, but in which nothing could be scored: left out
	Unjudged int               // seeds that ran well and were never judged under the spec in force: left out
	Others   int               // seeds of the same parameters under another revision of the code: left out
}

func (v VersionTrials) leftOut() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{v.Open, "executions that may still go on"}, {v.Unscored, "executions without a score"},
		{v.Unjudged, "seeds that were never judged under the spec in force (track rescore judges them)"}, {v.Others, "seeds under another revision of the code"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

// trials are the trials of one version, whatever they are compared with.
func (l Lineage) trials(ctx context.Context, st *store.Reader, version string) (VersionTrials, error) {
	if l.Scenario() == "" {
		return l.executionTrials(ctx, st, version)
	}
	_, sides, err := l.seedTrials(ctx, st, version)
	if err != nil {
		return VersionTrials{}, err
	}
	return sides[0], nil
}

// evidence are the trials of a child and of the parent that it is compared with.
func (l Lineage) evidence(ctx context.Context, st *store.Reader, child, parent string, step int) (e evolution.Evidence, sides [2]VersionTrials, err error) {
	if l.Scenario() != "" {
		_, list, err := l.seedTrials(ctx, st, child, parent)
		if err != nil {
			return e, sides, err
		}
		sides = [2]VersionTrials{list[0], list[1]}
	} else {
		for i, version := range [...]string{child, parent} {
			if sides[i], err = l.executionTrials(ctx, st, version); err != nil {
				return e, sides, err
			}
		}
	}
	return evolution.Evidence{Child: sides[0].Trials, Parent: sides[1].Trials, Step: step}, sides, nil
}

// executionTrials are the executions of a version.
func (l Lineage) executionTrials(ctx context.Context, st *store.Reader, version string) (v VersionTrials, err error) {
	if version == "" {
		return v, nil
	}
	list, err := st.ExecutionTrials(ctx, l.Name, version, l.Settings.Rubric)
	return trialsOfExecutions(list), err
}

// trialsOfExecutions are executions as evidence. What names a trial is what the caller named it, so that equal runs have equal evidence.
func trialsOfExecutions(list []store.ExecutionTrial) (v VersionTrials) {
	for _, e := range list {
		t := evolution.Trial{ID: e.Key, Key: e.Task, At: e.At, Score: e.Score, Under: e.Rubric}
		if e.Source != "" {
			t.ID = e.Source + ":" + e.Key
		}
		switch {
		case e.Open:
			v.Open++
			continue
		case e.Status != track.ExecutionOK:
			t.Failed, t.Score, t.Under = string(e.Status), nil, ""
		case e.Score == nil:
			v.Unscored++
			continue
		}
		v.Trials = append(v.Trials, t)
	}
	return v
}

// trialsOf are the trials of several versions, by name.
func (l Lineage) trialsOf(ctx context.Context, st *store.Reader, versions []string) (map[string]VersionTrials, error) {
	trials := make(map[string]VersionTrials, len(versions))
	if l.Scenario() == "" {
		all, err := st.LineageTrials(ctx, l.Evolving, l.Settings.Rubric)
		for _, version := range versions {
			trials[version] = trialsOfExecutions(all[version])
		}
		return trials, err
	}
	for _, version := range versions {
		v, err := l.trials(ctx, st, version)
		if err != nil {
			return nil, err
		}
		trials[version] = v
	}
	return trials, nil
}

// seedTrials are the seeds of the scenario under the parameters of versions, and the revision of the code that all have in common: results of
// different code are not compared. Of several common revisions it is the one recorded to last; where there is none, each version's last.
func (l Lineage) seedTrials(ctx context.Context, st *store.Reader, versions ...string) (track.Revision, []VersionTrials, error) {
	scenario := l.Scenario()
	spec, err := st.Spec(ctx, scenario, 0)
	if err != nil {
		return track.Revision{}, nil, err
	}
	seeds := make([][]store.SeedTrial, len(versions))
	for i, version := range versions {
		params, err := l.params(ctx, st, version)
		if err != nil {
			return track.Revision{}, nil, err
		}
		if seeds[i], err = st.SeedTrials(ctx, scenario, spec.ID, params); err != nil {
			return track.Revision{}, nil, err
		}
	}
	revision, common := commonRevision(seeds)
	list := make([]VersionTrials, len(versions))
	for i := range versions {
		chosen := revision
		if n := len(seeds[i]); !common && n > 0 {
			chosen = seeds[i][n-1].Configuration.Revision
		}
		list[i] = trialsOfRevision(seeds[i], chosen, spec.Hash)
	}
	return revision, list, nil
}

// commonRevision is the newest revision under which every version that has seeds has some. The seeds stand in the order of their configurations.
func commonRevision(seeds [][]store.SeedTrial) (revision track.Revision, ok bool) {
	count, position := map[track.Revision]int{}, map[track.Revision]int64{}
	versions := 0
	for _, list := range seeds {
		own := map[track.Revision]bool{}
		for _, s := range list {
			own[s.Configuration.Revision] = true
			position[s.Configuration.Revision] = max(position[s.Configuration.Revision], s.Configuration.ID)
		}
		if len(own) > 0 {
			versions++
		}
		for r := range own {
			count[r]++
		}
	}
	newest := int64(-1)
	for r, n := range count {
		if n == versions && position[r] > newest {
			revision, newest, ok = r, position[r], true
		}
	}
	return revision, ok
}

func trialsOfRevision(seeds []store.SeedTrial, revision track.Revision, spec string) (v VersionTrials) {
	for _, s := range seeds {
		t := evolution.Trial{ID: track.ShortHash(s.Configuration.Hash) + "/" + s.Number.String(), Key: s.Number.String(), At: s.At, Under: track.ShortHash(spec)}
		switch {
		case s.Configuration.Revision != revision:
			v.Others++
			continue
		case s.Outcome != track.OutcomeOK:
			t.Failed, t.Under = string(s.Outcome), ""
		case !s.Assessed:
			v.Unjudged++
			continue
		case s.TotalScore == nil:
			t.Failed, t.Under = "incomplete", ""
		default:
			score := 100 * *s.TotalScore
			t.Score = &score
		}
		v.Trials = append(v.Trials, t)
	}
	return v
}

// params are the parameters that a version of a simulation stands for, as canonical JSON.
func (l Lineage) params(ctx context.Context, st *store.Reader, version string) (string, error) {
	content, err := st.Content(ctx, l.Name, version)
	if err != nil {
		return "", err
	}
	if content == nil {
		return "", fmt.Errorf("%w: version %s of lineage %s has no content, so that its parameters are not known", track.ErrInvalid, version, l.Name)
	}
	params, err := track.NewParams([]byte(*content))
	return string(params.JSON()), err
}

// fitness is the fitness of a version from all its trials; nil where none has a score.
func (l Lineage) fitness(v VersionTrials) (*float64, error) {
	value, ok, err := evolution.Fitness(v.Trials)
	if err != nil || !ok {
		return nil, l.explainEvidence(err)
	}
	return &value, nil
}

// explainEvidence adds the way out to what is wrong with evidence.
func (l Lineage) explainEvidence(err error) error {
	if !errors.Is(err, evolution.ErrEvidence) {
		return err
	}
	err = fmt.Errorf("%w: %w", track.ErrInvalid, err)
	if l.Scenario() == "" && strings.Contains(err.Error(), "under:") {
		return track.WithHint(err, track.Hint{Text: "say which scores count with track lineage set " + l.Name + " rubric=rubric/2 (or own); track rescore --rubric scores executions under another"})
	}
	return err
}

// countTrials counts the executions of a lineage, of a scenario its seeds, recorded so far, here and where the ledger was imported from.
func (l Lineage) countTrials(ctx context.Context, st *store.Reader) (int, error) {
	n, err := l.countTrialsHere(ctx, st)
	return n + l.TrialsElsewhere, err
}

func (l Lineage) countTrialsHere(ctx context.Context, st *store.Reader) (int, error) {
	if scenario := l.Scenario(); scenario != "" {
		return st.CountSeeds(ctx, scenario)
	}
	return st.CountExecutions(ctx, l.Evolving)
}
