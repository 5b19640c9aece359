-- +goose Up
CREATE INDEX hook_event_at ON hook_event (session, agent, at);

-- +goose Down
DROP INDEX hook_event_at;
