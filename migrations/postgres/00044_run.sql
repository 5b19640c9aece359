-- +goose Up
-- How an attempt to run a seed ended. Only the last attempt is kept today.
CREATE TABLE run (
    seed_id          bigint           NOT NULL,
    configuration_id bigint           NOT NULL, -- of the seed
    attempt          bigint           NOT NULL, -- from 1
    sweep_id         bigint           NOT NULL REFERENCES sweep,
    exit_code        bigint, -- NULL if a signal ended it
    signal           text COLLATE "C", -- as SIGKILL; NULL if none ended it
    stderr_id        bigint, -- the end of it, masked
    cpu_us           bigint, -- user and system, of the command and of its children that it waited for
    rss_bytes        bigint, -- the most memory that one of these processes held
    PRIMARY KEY (seed_id, attempt, configuration_id)
);

-- +goose Down
DROP TABLE run;
