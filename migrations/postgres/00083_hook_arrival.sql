-- +goose Up
-- How many events of each name arrived, to see whether any do.
CREATE TABLE hook_arrival (
    name    text COLLATE "C" PRIMARY KEY,
    n       bigint           NOT NULL,
    last_at bigint           NOT NULL
);

-- +goose Down
DROP TABLE hook_arrival;
