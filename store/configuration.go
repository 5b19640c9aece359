package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// Configuration is a configuration as it is stored.
type Configuration struct {
	track.RecordedConfiguration
	ID        int64
	CreatedAt time.Time
}

type configurationRow struct {
	ID        int64  `db:"id"`
	Hash      string `db:"hash"`
	Label     string `db:"label"`
	Params    string `db:"params"`
	Commit    string `db:"commit_id"`
	Dirty     bool   `db:"dirty"`
	DiffHash  string `db:"diff_hash"`
	FilesHash string `db:"files_hash"`
	Unknown   string `db:"state_unknown"`
	CreatedAt int64  `db:"created_at"`
}

func (r configurationRow) configuration() Configuration {
	params := track.Params(r.Params)
	if r.Params == "{}" {
		params = ""
	}
	return Configuration{
		RecordedConfiguration: track.RecordedConfiguration{Hash: r.Hash, Configuration: track.Configuration{
			Label: r.Label, Params: params, Revision: track.Revision{Commit: r.Commit, Dirty: r.Dirty, DiffHash: r.DiffHash, FilesHash: r.FilesHash, Unknown: r.Unknown},
		}},
		ID: r.ID, CreatedAt: fromMicros(r.CreatedAt),
	}
}

func (r configurationRow) hasParams() bool {
	value := jsontext.Value(r.Params)
	return value.IsValid() && value.Kind() == '{'
}

// check returns an error of damage if the parameters of a configuration cannot be decoded.
func (r configurationRow) check() error {
	if !r.hasParams() {
		return fmt.Errorf("%w: the params of configuration %s are no JSON object: %.40q", track.ErrDamaged, track.ShortHash(r.Hash), r.Params)
	}
	return nil
}

// isSound reports whether a configuration has its hash.
func (r configurationRow) isSound() bool { return r.configuration().Configuration.Hash() == r.Hash }

const configurationColumns = `
	configuration.id, configuration.hash, coalesce(configuration.label, '') AS label, configuration.params,
	coalesce(configuration.commit_id, '') AS commit_id, configuration.dirty, coalesce(configuration.diff_hash, '') AS diff_hash,
	coalesce(configuration.files_hash, '') AS files_hash, coalesce(configuration.state_unknown, '') AS state_unknown, configuration.created_at`

const (
	getNewestConfiguration = `
	SELECT ` + configurationColumns + `
	  FROM seed JOIN configuration ON configuration.id = seed.configuration_id
	 WHERE seed.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND seed.superseded_at IS NULL
	 ORDER BY seed.recorded_at DESC, seed.id DESC LIMIT 1`
	listConfigurations = `
	SELECT ` + configurationColumns + `
	  FROM scenario_configuration JOIN configuration ON configuration.id = scenario_configuration.configuration_id
	 WHERE scenario_configuration.scenario_id = (SELECT id FROM scenario WHERE name = $1) `
	withSeeds                = ` AND {has_seeds}` // not so if all of them were withdrawn
	newestFirst              = ` ORDER BY scenario_configuration.id DESC`
	listNewestConfigurations = listConfigurations + withSeeds + newestFirst + ` LIMIT $2`
	countConfigurations      = `
	SELECT count(*) FROM scenario_configuration WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1) AND {has_seeds}`
	listScenarios = `SELECT name FROM scenario ORDER BY name`
)

// Scenarios returns the names of all scenarios, sorted.
func (r *Reader) Scenarios(ctx context.Context) (names []string, err error) {
	return names, explain(r.read().SelectContext(ctx, &names, listScenarios))
}

// NewestConfiguration returns the configuration of the seed of a scenario that was recorded last.
func (r *Reader) NewestConfiguration(ctx context.Context, scenario string) (Configuration, error) {
	var row configurationRow
	err := r.read().GetContext(ctx, &row, getNewestConfiguration, scenario)
	if errors.Is(err, sql.ErrNoRows) {
		return Configuration{}, r.noSeeds(ctx, scenario)
	}
	if err == nil {
		err = row.check()
	}
	return row.configuration(), explain(err)
}

// noSeeds returns the error for a scenario without seeds, or for an unknown scenario.
func (r *Reader) noSeeds(ctx context.Context, scenario string) error {
	names, err := r.Scenarios(ctx)
	if err != nil {
		return err
	}
	known := "there is no scenario yet"
	for _, name := range names {
		if name == scenario {
			hint := track.NewHint("record one", "record seed").With("scenario", scenario).With("seed", "0").With("", "values.json")
			return track.WithHint(fmt.Errorf("scenario %s has no seeds: %w", scenario, track.ErrNotFound), hint)
		}
	}
	if len(names) > 0 {
		known = "the scenarios are: " + strings.Join(names, ", ")
	}
	return track.WithHint(fmt.Errorf("scenario %s: %w", scenario, track.ErrNotFound), nearestOf(scenario, names, track.Hint{Text: known}))
}

// Configurations returns the newest configurations that a scenario has seeds of, by their first seed, and how many
// there are.
func (r *Reader) Configurations(ctx context.Context, scenario string, limit int) (newest []Configuration, total int, err error) {
	if err := r.read().GetContext(ctx, &total, countConfigurations, scenario); err != nil {
		return nil, 0, explain(err)
	}
	newest, err = r.configurations(ctx, listNewestConfigurations, scenario, limit)
	if err == nil && len(newest) == 0 {
		err = r.noSeeds(ctx, scenario)
	}
	return newest, total, err
}

func (r *Reader) configurations(ctx context.Context, query string, args ...any) ([]Configuration, error) {
	var rows []configurationRow
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	list := make([]Configuration, len(rows))
	for i, row := range rows {
		if err := row.check(); err != nil {
			return nil, err
		}
		list[i] = row.configuration()
	}
	return list, nil
}
