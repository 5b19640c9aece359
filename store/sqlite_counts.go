package store

const countPair = `
	INSERT INTO scenario_configuration (scenario_id, configuration_id, n_seeds) VALUES ($1, $2, $3)
	ON CONFLICT (scenario_id, configuration_id) DO UPDATE SET n_seeds = scenario_configuration.n_seeds + excluded.n_seeds`

// count implements [engine]. The number shows when an index has lost seeds.
func (sqliteFile) count(t *Tx, p pair, n int64) error {
	_, err := t.exec(countPair, p.scenario, p.configuration, n)
	return err
}
