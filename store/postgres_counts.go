package store

const (
	hasPair    = `SELECT EXISTS (SELECT 1 FROM scenario_configuration WHERE scenario_id = $1 AND configuration_id = $2)`
	insertPair = `
	INSERT INTO scenario_configuration (scenario_id, configuration_id) VALUES ($1, $2) ON CONFLICT (scenario_id, configuration_id) DO NOTHING`
)

// count implements [engine]. No number is kept: all writers of a configuration would wait for each other at its row.
func (postgresSchema) count(t *Tx, p pair, _ int64) error {
	if t.ids.pairs[p] {
		return nil
	}
	isThere := false
	err := t.get(&isThere, hasPair, p.scenario, p.configuration)
	if err == nil && !isThere {
		_, err = t.exec(insertPair, p.scenario, p.configuration)
	}
	if err == nil {
		t.ids.pairs[p] = true
	}
	return err
}
