-- +goose Up
CREATE TABLE scenario (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL -- microseconds since 1970-01-01 UTC, as all times
) STRICT;

CREATE TABLE spec (
    id          INTEGER PRIMARY KEY,
    scenario_id INTEGER NOT NULL REFERENCES scenario,
    version     INTEGER NOT NULL,
    hash        TEXT    NOT NULL, -- hex SHA-256 of document
    title       TEXT    NOT NULL,
    document    TEXT    NOT NULL, -- canonical JSON (RFC 8785)
    created_at  INTEGER NOT NULL,
    UNIQUE (scenario_id, version),
    UNIQUE (scenario_id, hash)
) STRICT;

CREATE TABLE metric (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT;

CREATE TABLE spec_metric (
    spec_id      INTEGER NOT NULL REFERENCES spec,
    position     INTEGER NOT NULL, -- from 0, the order in which weighted scores are summed
    metric_id    INTEGER NOT NULL REFERENCES metric,
    type         TEXT    NOT NULL,
    weight       REAL    NOT NULL,
    metric_group TEXT    NOT NULL,
    PRIMARY KEY (spec_id, position),
    UNIQUE (spec_id, metric_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE configuration (
    id         INTEGER PRIMARY KEY,
    hash       TEXT    NOT NULL UNIQUE, -- hex SHA-256 of the canonical JSON of the columns below
    label      TEXT    NOT NULL,
    params     TEXT    NOT NULL, -- canonical JSON object
    commit_id  TEXT    NOT NULL,
    dirty      INTEGER NOT NULL CHECK (dirty IN (0, 1)),
    diff_hash  TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Which configurations a scenario has seeds of, without a look at the seeds.
CREATE TABLE scenario_configuration (
    id               INTEGER PRIMARY KEY, -- grows with the first seed of each pair
    scenario_id      INTEGER NOT NULL REFERENCES scenario,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    UNIQUE (scenario_id, configuration_id)
) STRICT;

CREATE TABLE environment (
    id       INTEGER PRIMARY KEY,
    hash     TEXT    NOT NULL UNIQUE, -- hex SHA-256 of document
    document TEXT    NOT NULL         -- canonical JSON object of strings
) STRICT;

CREATE TABLE seed (
    id               INTEGER PRIMARY KEY,
    ulid             TEXT    NOT NULL UNIQUE,
    scenario_id      INTEGER NOT NULL REFERENCES scenario,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    number           INTEGER NOT NULL, -- the bits of an unsigned number
    outcome          TEXT    NOT NULL CHECK (outcome IN ('ok', 'error', 'timeout', 'collapsed')),
    message          TEXT    NOT NULL,
    digest           BLOB    NOT NULL, -- SHA-256 of outcome and values
    environment_id   INTEGER NOT NULL REFERENCES environment,
    started_at       INTEGER,
    duration_us      INTEGER,
    recorded_at      INTEGER NOT NULL,
    superseded_at    INTEGER -- set where record --replace put another seed in its place
) STRICT;

CREATE UNIQUE INDEX seed_identity ON seed (scenario_id, configuration_id, number) WHERE superseded_at IS NULL;
CREATE INDEX seed_scenario ON seed (scenario_id);
CREATE INDEX seed_failed ON seed (outcome, scenario_id) WHERE outcome <> 'ok';
CREATE INDEX seed_recorded ON seed (recorded_at);

-- What a seed measured. A value of NULL is NaN; ANY keeps the sign of zero, which REAL would lose.
-- value and result declare no foreign keys: checking them took a third of the time of recording. Their rows are written only in
-- the transaction that has made, or read, what they refer to.
CREATE TABLE value (
    seed_id   INTEGER NOT NULL,
    metric_id INTEGER NOT NULL,
    value     ANY,
    PRIMARY KEY (seed_id, metric_id)
) STRICT, WITHOUT ROWID;

-- The judgement of a seed under a spec; a seed may have one for each version.
CREATE TABLE assessment (
    seed_id     INTEGER NOT NULL REFERENCES seed,
    spec_id     INTEGER NOT NULL REFERENCES spec,
    total_score REAL, -- NULL where a metric is missing
    n_pass      INTEGER NOT NULL,
    n_warn      INTEGER NOT NULL,
    n_fail      INTEGER NOT NULL,
    assessed_at INTEGER NOT NULL,
    PRIMARY KEY (seed_id, spec_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE result (
    seed_id   INTEGER NOT NULL,
    spec_id   INTEGER NOT NULL,
    metric_id INTEGER NOT NULL,
    status    INTEGER NOT NULL, -- 0 PASS, 1 WARN, 2 FAIL
    score     REAL,             -- NULL where the value is missing
    PRIMARY KEY (seed_id, spec_id, metric_id)
) STRICT, WITHOUT ROWID;

-- The views are documented in docs/query.md and keep their columns across migrations.
CREATE VIEW v_seed AS
SELECT scenario.name                                             AS scenario,
       printf('%u', seed.number)                                 AS seed,
       configuration.label                                       AS label,
       configuration.hash                                        AS configuration,
       configuration.commit_id                                   AS commit_id,
       configuration.dirty                                       AS dirty,
       configuration.params                                      AS params,
       seed.outcome                                              AS outcome,
       seed.message                                              AS message,
       spec.version                                              AS spec_version,
       coalesce(spec.id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id), 1) AS newest,
       CASE WHEN seed.outcome <> 'ok' OR assessment.n_fail > 0 THEN 'FAIL'
            WHEN assessment.n_warn > 0 THEN 'WARN'
            WHEN assessment.n_pass IS NOT NULL THEN 'PASS' END   AS status,
       assessment.total_score                                    AS total_score,
       assessment.n_pass                                         AS n_pass,
       assessment.n_warn                                         AS n_warn,
       assessment.n_fail                                         AS n_fail,
       strftime('%Y-%m-%dT%H:%M:%fZ', seed.started_at / 1e6, 'unixepoch')  AS started_at,
       seed.duration_us / 1e6                                    AS duration_s,
       strftime('%Y-%m-%dT%H:%M:%fZ', seed.recorded_at / 1e6, 'unixepoch') AS recorded_at,
       environment.document                                      AS environment,
       seed.ulid                                                 AS id
  FROM seed
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  JOIN environment ON environment.id = seed.environment_id
  LEFT JOIN assessment ON assessment.seed_id = seed.id
  LEFT JOIN spec ON spec.id = assessment.spec_id
 WHERE seed.superseded_at IS NULL;

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

CREATE VIEW v_stability AS
WITH scored AS (
    SELECT seed.scenario_id, seed.configuration_id, spec.id AS spec_id, spec.version,
           assessment.total_score,
           avg(assessment.total_score) OVER same AS mean,
           (assessment.total_score IS NOT NULL AND assessment.n_fail = 0) AS passed
      FROM seed
      JOIN spec ON spec.scenario_id = seed.scenario_id
      LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = spec.id
     WHERE seed.superseded_at IS NULL
    WINDOW same AS (PARTITION BY seed.scenario_id, seed.configuration_id, spec.id)
), aggregate AS (
    SELECT scenario_id, configuration_id, version,
           count(*) AS n_seeds, count(total_score) AS n_scored, avg(passed) AS pass_rate,
           avg(total_score) AS mean_score,
           sqrt(avg((total_score - mean) * (total_score - mean))) AS std_score,
           min(total_score) AS min_score, max(total_score) AS max_score
      FROM scored
     GROUP BY scenario_id, configuration_id, spec_id
)
SELECT scenario.name          AS scenario,
       aggregate.version      AS spec_version,
       configuration.label    AS label,
       configuration.hash     AS configuration,
       configuration.commit_id AS commit_id,
       configuration.params   AS params,
       n_seeds, n_scored, n_seeds - n_scored AS n_failed, pass_rate, mean_score, std_score, min_score, max_score,
       mean_score * pass_rate * (1 - std_score)      AS combined_score,
       pass_rate >= 0.9 AND coalesce(std_score <= 0.15, 0) AS stable
  FROM aggregate
  JOIN scenario ON scenario.id = aggregate.scenario_id
  JOIN configuration ON configuration.id = aggregate.configuration_id;

-- +goose Down
DROP VIEW v_stability;
DROP VIEW v_result;
DROP VIEW v_seed;
DROP TABLE result;
DROP TABLE assessment;
DROP TABLE value;
DROP TABLE seed;
DROP TABLE environment;
DROP TABLE scenario_configuration;
DROP TABLE configuration;
DROP TABLE spec_metric;
DROP TABLE metric;
DROP TABLE spec;
DROP TABLE scenario;
