-- +goose Up
-- Events of hooks that are not part of a final execution yet. They are removed some minutes after their execution is
-- final.
CREATE TABLE hook_event (
    id          INTEGER PRIMARY KEY,
    session     TEXT    NOT NULL,
    agent       TEXT    NOT NULL, -- of a subagent; empty for the main one
    name        TEXT    NOT NULL,
    key         TEXT    NOT NULL, -- identity within the session, such as a tool_use_id
    at          INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    lineage     TEXT    NOT NULL,
    version     TEXT,
    execution   TEXT,             -- ULID of the execution that it is part of
    settled_at  INTEGER,          -- when its execution became final
    body        TEXT    NOT NULL  -- JSON: what an execution is made of, masked and reduced
) STRICT;

CREATE UNIQUE INDEX hook_event_identity ON hook_event (session, agent, name, key);
CREATE INDEX hook_event_at ON hook_event (session, agent, at);
CREATE INDEX hook_event_settled ON hook_event (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX hook_event_open ON hook_event (session, agent, received_at) WHERE settled_at IS NULL;

-- How many events of each name arrived, to see whether any do.
CREATE TABLE hook_arrival (
    name    TEXT    PRIMARY KEY,
    n       INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE hook_arrival;
DROP TABLE hook_event;
