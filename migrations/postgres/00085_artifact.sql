-- +goose Up
CREATE TABLE artifact (
    seed_id             bigint           NOT NULL,
    configuration_id    bigint           NOT NULL, -- of the seed
    name                text COLLATE "C" NOT NULL, -- relative path with slashes
    artifact_content_id bigint,
    left_out            text COLLATE "C", -- why the content was not kept
    CHECK ((artifact_content_id IS NULL) = (left_out IS NOT NULL)),
    PRIMARY KEY (seed_id, name, configuration_id)
);

-- +goose Down
DROP TABLE artifact;
