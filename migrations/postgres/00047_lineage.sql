-- +goose Up
-- A lineage that evolves has a ledger and a seed. One that was only recorded has neither.
CREATE TABLE lineage (
    id               bigint           PRIMARY KEY,
    name             text COLLATE "C" NOT NULL UNIQUE,
    keep_text        smallint         NOT NULL DEFAULT 0 CHECK (keep_text IN (0, 1)), -- keep inputs and outputs, masked, and not their digests alone
    seed             bigint, -- of all draws: the bits of an unsigned number
    subject          text COLLATE "C" NOT NULL DEFAULT 'agent', -- agent, or scenario:NAME
    head_id          bigint, -- the active version
    n_entries        bigint           NOT NULL DEFAULT 0, -- of the ledger
    last_hash        text COLLATE "C", -- of the last entry: if that entry is missing, this shows it
    trials_elsewhere bigint           NOT NULL DEFAULT 0, -- trials that the ledger counts and that were never recorded here
    created_at       bigint           NOT NULL,
    checksum         bigint           NOT NULL -- of name, keep_text, seed, subject, trials_elsewhere and created_at; the rest follows from the ledger
);

-- +goose Down
DROP TABLE lineage;
