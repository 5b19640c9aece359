-- +goose Up
-- What tells this database from a copy of it. One row, made when it is first asked for.
CREATE TABLE epoch (
    id      bigint           PRIMARY KEY, -- 1
    name    text COLLATE "C" NOT NULL,
    made_at bigint           NOT NULL
);

-- +goose Down
DROP TABLE epoch;
