-- +goose Up
CREATE INDEX execution_version ON execution (version_id, at);

-- +goose Down
DROP INDEX execution_version;
