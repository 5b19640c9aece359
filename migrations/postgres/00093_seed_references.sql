-- +goose Up
-- A foreign key is looked up for each row, and locks the row that it finds: those who record seeds of a configuration
-- would all write to it. The rows are never removed, and track check finds what refers to nothing.
ALTER TABLE seed
    DROP CONSTRAINT IF EXISTS seed_scenario_id_fkey,
    DROP CONSTRAINT IF EXISTS seed_configuration_id_fkey,
    DROP CONSTRAINT IF EXISTS seed_environment_id_fkey,
    DROP CONSTRAINT IF EXISTS seed_actor_id_fkey;

-- +goose Down
ALTER TABLE seed
    ADD FOREIGN KEY (scenario_id) REFERENCES scenario,
    ADD FOREIGN KEY (configuration_id) REFERENCES configuration,
    ADD FOREIGN KEY (environment_id) REFERENCES environment,
    ADD FOREIGN KEY (actor_id) REFERENCES actor;
