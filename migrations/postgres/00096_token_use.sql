-- +goose Up
-- What was recorded with tokens that have a quota. Changed in the transaction that records. Each start of a server has
-- rows of its own, so that several servers never change the same row.
CREATE TABLE token_use (
    token_id bigint           NOT NULL REFERENCES token,
    day      bigint           NOT NULL, -- number of the day from 1970-01-01
    writer   text COLLATE "C" NOT NULL, -- the start of a server
    records  bigint           NOT NULL,
    bytes    bigint           NOT NULL, -- of the lines of these records, with the blobs that they name
    PRIMARY KEY (token_id, day, writer)
);

-- +goose Down
DROP TABLE token_use;
