-- +goose Up
-- Damage in logs that an import reported: a later import of the same file into the same lineage only counts it.
CREATE TABLE damage (
    digest bytea PRIMARY KEY -- SHA-256 of the lineage, the path of the file, the line, what stands there, and the reason
);

-- +goose Down
DROP TABLE damage;
