-- +goose Up
CREATE INDEX sweep_configuration_of ON sweep_configuration (configuration_id);

-- +goose Down
DROP INDEX sweep_configuration_of;
