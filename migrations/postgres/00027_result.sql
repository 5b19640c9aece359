-- +goose Up
CREATE VIEW result AS
SELECT packed_result.seed_id, packed_result.configuration_id, packed_result.spec_id, unpacked.metric_id, unpacked.status, nullif(unpacked.score, 'NaN') AS score
  FROM packed_result, unnest(packed_result.metric_ids, packed_result.statuses, packed_result.scores) AS unpacked (metric_id, status, score);

-- +goose Down
DROP VIEW result;
