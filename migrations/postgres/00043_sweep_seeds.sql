-- +goose Up
-- The planned seeds of a configuration, the denominator of every share: one row a range.
CREATE TABLE sweep_seeds (
    sweep_id         bigint NOT NULL,
    configuration_id bigint NOT NULL,
    first            bigint NOT NULL, -- the bits of an unsigned number, as seed.number
    last             bigint NOT NULL, -- on the same side of 2^63 as first
    CHECK ((first < 0) = (last < 0) AND first <= last),
    PRIMARY KEY (sweep_id, configuration_id, first),
    FOREIGN KEY (sweep_id, configuration_id) REFERENCES sweep_configuration
);

-- +goose Down
DROP TABLE sweep_seeds;
