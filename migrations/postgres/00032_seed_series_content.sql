-- +goose Up
CREATE INDEX seed_series_content ON seed_series (content_id);

-- +goose Down
DROP INDEX seed_series_content;
