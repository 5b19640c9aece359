-- +goose Up
CREATE INDEX text_index_words ON text_index USING gin (words);

-- +goose Down
DROP INDEX text_index_words;
