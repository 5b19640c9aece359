-- +goose Up
CREATE INDEX hook_event_settled ON hook_event (settled_at) WHERE settled_at IS NOT NULL;

-- +goose Down
DROP INDEX hook_event_settled;
