-- +goose Up
-- What the holders of some tokens may record on a day, which begins at midnight in UTC; NULL for any amount.
CREATE TABLE token_quota (
    token_id    bigint PRIMARY KEY REFERENCES token,
    max_records bigint,
    max_bytes   bigint
);

-- +goose Down
DROP TABLE token_quota;
