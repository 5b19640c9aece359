-- +goose Up
CREATE INDEX hook_event_open ON hook_event (session, agent, received_at) WHERE settled_at IS NULL;

-- +goose Down
DROP INDEX hook_event_open;
