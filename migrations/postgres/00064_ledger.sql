-- +goose Up
-- What happened to a lineage, in a chain: package evolution says how an entry is hashed, and what follows from it.
CREATE TABLE ledger (
    lineage_id  bigint           NOT NULL REFERENCES lineage,
    number      bigint           NOT NULL, -- from 1, without gaps
    kind        text COLLATE "C" NOT NULL,
    mutation    text COLLATE "C", -- key of the mutation that it is about
    attempt     bigint, -- of a decision, from 0
    at          bigint           NOT NULL,
    head_before text COLLATE "C", -- name of the active version
    head_after  text COLLATE "C",
    body        json             NOT NULL, -- canonical JSON, by the kind
    prev        text COLLATE "C", -- hash of the entry before
    hash        text COLLATE "C" NOT NULL,
    PRIMARY KEY (lineage_id, number)
);

-- +goose Down
DROP TABLE ledger;
