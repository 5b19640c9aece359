-- +goose Up
-- The versions that were ever active. position and entry follow from the ledger; the fitness follows from the executions,
-- and whatever changes these takes it away, until the next change of the lineage.
CREATE TABLE activation (
    lineage_id bigint           NOT NULL REFERENCES lineage,
    version_id bigint           NOT NULL,
    position   bigint           NOT NULL, -- in the order in which they were first active, from 1
    entry      bigint           NOT NULL, -- number of the entry that made it active first
    rubric     text COLLATE "C", -- of the settings, under which fitness was computed; NULL if it is not known
    fitness    double precision, -- 0..100; NULL if no execution has a score
    CHECK (rubric IS NOT NULL OR fitness IS NULL),
    PRIMARY KEY (lineage_id, version_id),
    UNIQUE (lineage_id, position)
);

-- +goose Down
DROP TABLE activation;
