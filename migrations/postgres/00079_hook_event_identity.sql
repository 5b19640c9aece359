-- +goose Up
CREATE UNIQUE INDEX hook_event_identity ON hook_event (session, agent, name, key);

-- +goose Down
DROP INDEX hook_event_identity;
