-- +goose Up
CREATE TABLE series_name (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT;

-- The numbers of a series, stored once however many seeds have them.
CREATE TABLE series_content (
    id        INTEGER PRIMARY KEY,
    hash      BLOB    NOT NULL UNIQUE, -- SHA-256 over the little-endian numbers
    n         INTEGER NOT NULL,
    pruned_at INTEGER -- set where the chunks were deleted to free space; hash and n stay
) STRICT;

CREATE TABLE series_chunk (
    content_id INTEGER NOT NULL REFERENCES series_content,
    position   INTEGER NOT NULL, -- from 0
    n          INTEGER NOT NULL,
    data       BLOB    NOT NULL, -- encoded by package series
    UNIQUE (content_id, position)
) STRICT;

CREATE TABLE seed_series (
    seed_id    INTEGER NOT NULL REFERENCES seed,
    name_id    INTEGER NOT NULL REFERENCES series_name,
    content_id INTEGER NOT NULL REFERENCES series_content,
    PRIMARY KEY (seed_id, name_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX seed_series_content ON seed_series (content_id);

ALTER TABLE spec_metric ADD COLUMN computed INTEGER NOT NULL DEFAULT 0; -- the spec says how its value follows from a series

-- What was computed from the series of a seed, as a spec says, for the metrics that the client did not give: those stand in value.
CREATE TABLE computed_value (
    seed_id   INTEGER NOT NULL,
    spec_id   INTEGER NOT NULL,
    metric_id INTEGER NOT NULL,
    value     ANY,           -- NULL is NaN, or nothing where reason is set
    reason    TEXT NOT NULL, -- why there is no value; else empty
    PRIMARY KEY (seed_id, spec_id, metric_id)
) STRICT, WITHOUT ROWID;

DROP VIEW v_result;
CREATE VIEW v_result AS
SELECT scenario.name             AS scenario,
       printf('%u', seed.number) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       spec.version              AS spec_version,
       spec.id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id) AS newest,
       metric.name               AS metric,
       spec_metric.metric_group  AS metric_group,
       spec_metric.type          AS type,
       spec_metric.weight        AS weight,
       CASE WHEN computed_value.seed_id IS NULL THEN value.value ELSE computed_value.value END AS value,
       CASE result.status WHEN 0 THEN 'PASS' WHEN 1 THEN 'WARN' ELSE 'FAIL' END AS status,
       result.score              AS score,
       CASE WHEN computed_value.reason <> '' THEN 'missing: ' || computed_value.reason
            WHEN result.score IS NULL THEN 'missing'
            WHEN computed_value.seed_id IS NOT NULL AND (computed_value.value IS NULL OR abs(computed_value.value) = 9e999)
              OR computed_value.seed_id IS NULL AND (value.value IS NULL OR abs(value.value) = 9e999) THEN 'not finite'
            ELSE '' END          AS reason,
       seed.ulid                 AS id
  FROM seed
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  JOIN result ON result.seed_id = seed.id
  JOIN spec ON spec.id = result.spec_id
  JOIN metric ON metric.id = result.metric_id
  JOIN spec_metric ON spec_metric.spec_id = spec.id AND spec_metric.metric_id = result.metric_id
  LEFT JOIN value ON value.seed_id = seed.id AND value.metric_id = result.metric_id
  LEFT JOIN computed_value ON computed_value.seed_id = seed.id AND computed_value.spec_id = result.spec_id
        AND computed_value.metric_id = result.metric_id
 WHERE seed.superseded_at IS NULL;

-- +goose Down
DROP VIEW v_result;
ALTER TABLE spec_metric DROP COLUMN computed;
DROP TABLE computed_value;
DROP TABLE seed_series;
DROP TABLE series_chunk;
DROP TABLE series_content;
DROP TABLE series_name;

CREATE VIEW v_result AS
SELECT scenario.name             AS scenario,
       printf('%u', seed.number) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       spec.version              AS spec_version,
       spec.id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id) AS newest,
       metric.name               AS metric,
       spec_metric.metric_group  AS metric_group,
       spec_metric.type          AS type,
       spec_metric.weight        AS weight,
       value.value               AS value,
       CASE result.status WHEN 0 THEN 'PASS' WHEN 1 THEN 'WARN' ELSE 'FAIL' END AS status,
       result.score              AS score,
       CASE WHEN value.seed_id IS NULL THEN 'missing'
            WHEN value.value IS NULL OR abs(value.value) = 9e999 THEN 'not finite' ELSE '' END AS reason,
       seed.ulid                 AS id
  FROM seed
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  JOIN result ON result.seed_id = seed.id
  JOIN spec ON spec.id = result.spec_id
  JOIN metric ON metric.id = result.metric_id
  JOIN spec_metric ON spec_metric.spec_id = spec.id AND spec_metric.metric_id = result.metric_id
  LEFT JOIN value ON value.seed_id = seed.id AND value.metric_id = result.metric_id
 WHERE seed.superseded_at IS NULL;
