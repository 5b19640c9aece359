-- +goose Up
CREATE INDEX configuration_label ON configuration (label) WHERE label IS NOT NULL;

-- +goose Down
DROP INDEX configuration_label;
