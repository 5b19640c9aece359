-- +goose Up
-- How far the lines of each spool of a client are recorded. Changed in the transaction that records the lines.
CREATE TABLE spool (
    ulid       text COLLATE "C" PRIMARY KEY,
    through    bigint           NOT NULL, -- lines that the database has, or has refused
    refused    bigint           NOT NULL, -- of them, lines that are not recorded
    actor_id   bigint           REFERENCES actor, -- who sent the last of them
    changed_at bigint           NOT NULL
);

-- +goose Down
DROP TABLE spool;
