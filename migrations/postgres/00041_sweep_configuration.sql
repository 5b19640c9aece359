-- +goose Up
CREATE TABLE sweep_configuration (
    sweep_id         bigint NOT NULL REFERENCES sweep,
    configuration_id bigint NOT NULL REFERENCES configuration,
    position         bigint NOT NULL, -- from 0, in the order of the grid
    PRIMARY KEY (sweep_id, configuration_id)
);

-- +goose Down
DROP TABLE sweep_configuration;
