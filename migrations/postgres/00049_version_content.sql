-- +goose Up
CREATE INDEX version_content ON version (lineage_id, content_digest) WHERE content_digest IS NOT NULL;

-- +goose Down
DROP INDEX version_content;
