-- +goose Up
CREATE VIEW value AS
SELECT packed_value.seed_id, packed_value.configuration_id, unpacked.metric_id, nullif(unpacked.value, 'NaN') AS value
  FROM packed_value, unnest(packed_value.metric_ids, packed_value.numbers) AS unpacked (metric_id, value);

-- +goose Down
DROP VIEW value;
