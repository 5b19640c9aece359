-- +goose Up
CREATE INDEX artifact_content_of ON artifact (artifact_content_id);

-- +goose Down
DROP INDEX artifact_content_of;
