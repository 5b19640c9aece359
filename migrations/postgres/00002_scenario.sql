-- +goose Up
CREATE TABLE scenario (
    id         bigint           PRIMARY KEY,
    name       text COLLATE "C" NOT NULL UNIQUE,
    created_at bigint           NOT NULL
);

-- +goose Down
DROP TABLE scenario;
