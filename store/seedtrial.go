package store

import (
	"context"
	"time"

	"track"
)

// SeedTrial is a seed of a configuration as evidence.
type SeedTrial struct {
	Configuration Configuration
	Number        track.SeedNumber
	At            time.Time // started, or recorded if the start is unknown
	Outcome       track.Outcome
	Assessed      bool
	TotalScore    *float64 // 0 to 1; nil if a metric is missing
}

const (
	listSeedTrials = `
	SELECT ` + configurationColumns + `, seed.number, coalesce(seed.started_at, seed.recorded_at) AS at, seed.outcome,
	       assessment.seed_id IS NOT NULL AS assessed, assessment.total_score
	  FROM scenario_configuration
	 ORDERED JOIN configuration ON configuration.id = scenario_configuration.configuration_id
	 ORDERED JOIN seed ON seed.scenario_id = scenario_configuration.scenario_id AND seed.configuration_id = configuration.id AND seed.superseded_at IS NULL
	  LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 WHERE scenario_configuration.scenario_id = (SELECT id FROM scenario WHERE name = $2)`
	ofParams                = ` AND configuration.params IN ({list})`
	inOrderOfConfigurations = `
	 ORDER BY scenario_configuration.id, at, seed.id`
)

func seedTrialsQuery(specID int64, scenario string, params []string) (text string, args []any) {
	c := clauses{}
	c.add(listSeedTrials, specID, scenario)
	c.addList(ofParams, anys(params)...)
	c.add(inOrderOfConfigurations)
	return c.statement()
}

// SeedTrials returns the seeds of a scenario by the parameters of their configurations, which are canonical JSON:
// configuration by configuration, in the order in which these were first recorded.
func (r *Reader) SeedTrials(ctx context.Context, scenario string, specID int64, params ...string) (map[string][]SeedTrial, error) {
	trials := make(map[string][]SeedTrial, len(params))
	if len(params) == 0 {
		return trials, nil
	}
	var rows []struct {
		configurationRow
		Number     track.SeedNumber `db:"number"`
		At         int64            `db:"at"`
		Outcome    string           `db:"outcome"`
		Assessed   bool             `db:"assessed"`
		TotalScore *float64         `db:"total_score"`
	}
	text, args := seedTrialsQuery(specID, scenario, params)
	if err := r.read().SelectContext(ctx, &rows, text, args...); err != nil {
		return nil, explain(err)
	}
	var checked int64
	for _, row := range rows {
		if row.ID != checked {
			if err := row.check(); err != nil {
				return nil, err
			}
			checked = row.ID
		}
		trial := SeedTrial{row.configuration(), row.Number, fromMicros(row.At), track.Outcome(row.Outcome), row.Assessed, row.TotalScore}
		trials[row.Params] = append(trials[row.Params], trial)
	}
	return trials, nil
}
