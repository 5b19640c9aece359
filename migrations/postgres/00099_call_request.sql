-- +goose Up
ALTER TABLE call ADD COLUMN request bigint; -- number of the request that asked for it; NULL if unknown

-- +goose Down
ALTER TABLE call DROP COLUMN request CASCADE; -- with the view that reads it
