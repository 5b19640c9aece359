package store

// referenceChecks returns the checks of what the tables of a server refer to without foreign keys. NULL NOT IN is true
// for a table without rows.
func referenceChecks() []rowCheck {
	return []rowCheck{
		{"seed", "its scenario does not exist", `SELECT 'seed ' || ulid FROM seed WHERE scenario_id NOT IN (SELECT id FROM scenario)`},
		{"seed", "its configuration does not exist", `SELECT 'seed ' || ulid FROM seed WHERE configuration_id NOT IN (SELECT id FROM configuration)`},
		{"seed", "its environment does not exist", `SELECT 'seed ' || ulid FROM seed WHERE environment_id IS NOT NULL AND environment_id NOT IN (SELECT id FROM environment)`},
		{"seed", "its actor does not exist", `SELECT 'seed ' || ulid FROM seed WHERE actor_id IS NOT NULL AND actor_id NOT IN (SELECT id FROM actor)`},
		{"assessment", "its spec does not exist", `SELECT 'row ' || spec_id || ' of spec' FROM assessment WHERE spec_id NOT IN (SELECT id FROM spec)`},
	}
}
