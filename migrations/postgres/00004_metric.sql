-- +goose Up
CREATE TABLE metric (
    id   bigint           PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
);

-- +goose Down
DROP TABLE metric;
