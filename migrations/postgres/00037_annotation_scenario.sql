-- +goose Up
CREATE INDEX annotation_scenario ON annotation (scenario_id, configuration_id);

-- +goose Down
DROP INDEX annotation_scenario;
