-- +goose Up
-- What a process is working on, so that others take something else. A file of SQLite has locks in a file for that.
CREATE TABLE claim (
    place      bigint           PRIMARY KEY,
    holder     text COLLATE "C" NOT NULL,
    expires_at timestamptz      NOT NULL -- by the clock of the server
);

-- +goose Down
DROP TABLE claim;
