-- +goose Up
CREATE TABLE mutation_parent (
    mutation_id bigint NOT NULL REFERENCES mutation,
    position    bigint NOT NULL, -- from 0, which is the one that the child is compared with
    version_id  bigint NOT NULL,
    PRIMARY KEY (mutation_id, position)
);

-- +goose Down
DROP TABLE mutation_parent;
