-- The views are described in docs/reference/sql.md. They are made anew whenever the schema is created or migrated.
-- {stable_min_pass_rate} and the like are constants of package scoring.

-- One row a seed, judged by the newest version of the spec that it was scored under.
CREATE VIEW v_seed AS
SELECT scenario.name                                             AS scenario,
       CAST(CASE WHEN seed.number < 0 THEN seed.number + 18446744073709551616 ELSE seed.number END AS text)                                 AS seed,
       configuration.label                                       AS label,
       configuration.hash                                        AS configuration,
       configuration.commit_id                                   AS commit_id,
       CASE WHEN configuration.state_unknown IS NULL THEN configuration.dirty END AS dirty,
       configuration.params                                      AS params,
       seed.outcome                                              AS outcome,
       seed.message                                              AS message,
       spec.version                                              AS spec_version,
       CASE WHEN seed.outcome <> 'ok' OR assessment.n_fail > 0 THEN 'FAIL'
            WHEN assessment.n_warn > 0 THEN 'WARN'
            WHEN assessment.n_pass IS NOT NULL THEN 'PASS' END   AS status,
       assessment.total_score                                    AS total_score,
       assessment.n_pass                                         AS n_pass,
       assessment.n_warn                                         AS n_warn,
       assessment.n_fail                                         AS n_fail,
       to_char(to_timestamp(seed.started_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')  AS started_at,
       seed.duration_us / 1e6                                    AS duration_s,
       to_char(to_timestamp(seed.recorded_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS recorded_at,
       environment.document                                      AS environment,
       seed.ulid                                                 AS id
  FROM seed
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  JOIN environment ON environment.id = seed.environment_id
  LEFT JOIN assessment ON assessment.seed_id = seed.id
        AND assessment.spec_id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id)
  LEFT JOIN spec ON spec.id = assessment.spec_id
 WHERE seed.superseded_at IS NULL;

-- One row for each seed and version of the spec that it was scored under.
CREATE VIEW v_assessment AS
SELECT scenario.name             AS scenario,
       CAST(CASE WHEN seed.number < 0 THEN seed.number + 18446744073709551616 ELSE seed.number END AS text) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       spec.version              AS spec_version,
       spec.id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id) AS newest,
       CASE WHEN assessment.n_fail > 0 THEN 'FAIL' WHEN assessment.n_warn > 0 THEN 'WARN' ELSE 'PASS' END AS status,
       assessment.total_score    AS total_score,
       assessment.n_pass         AS n_pass,
       assessment.n_warn         AS n_warn,
       assessment.n_fail         AS n_fail,
       to_char(to_timestamp(assessment.assessed_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS assessed_at,
       seed.ulid                 AS id
  FROM seed
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  JOIN assessment ON assessment.seed_id = seed.id
  JOIN spec ON spec.id = assessment.spec_id
 WHERE seed.superseded_at IS NULL;

-- One row for each value of each seed.
CREATE VIEW v_value AS
SELECT scenario.name             AS scenario,
       CAST(CASE WHEN seed.number < 0 THEN seed.number + 18446744073709551616 ELSE seed.number END AS text) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       given.key                 AS metric,
       CAST(given.value #>> '{}' AS double precision)              AS value,
       seed.ulid                 AS id
  FROM seed
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  JOIN json_each(CAST(seed.numbers AS json)) AS given ON TRUE
 WHERE seed.superseded_at IS NULL;

-- One row for each metric of each seed and version of the spec. The elements of a result are its status, its score, the
-- value if it was computed from series, and why it could not be.
CREATE VIEW v_result AS
WITH result AS (
    SELECT seed.scenario_id, seed.configuration_id, seed.number, seed.ulid, seed.id AS seed_id, assessment.spec_id,
           spec_metric.name AS metric, spec_metric.metric_group, spec_metric.type, spec_metric.weight,
           CAST(one.value ->> 0 AS bigint) AS status, CAST(one.value ->> 1 AS double precision) AS score, one.value ->> 3 AS reason,
           CASE WHEN json_array_length(one.value) > 2 THEN CAST(one.value ->> 2 AS double precision) ELSE CAST(CAST(seed.numbers AS json) ->> spec_metric.name AS double precision) END AS value
      FROM seed
      JOIN assessment ON assessment.seed_id = seed.id
      JOIN json_array_elements(CAST(assessment.results AS json)) WITH ORDINALITY AS one (value, place) ON TRUE
      JOIN spec_metric ON spec_metric.spec_id = assessment.spec_id AND spec_metric.position = one.place - 1
     WHERE seed.superseded_at IS NULL AND json_typeof(one.value) = 'array'
)
SELECT scenario.name             AS scenario,
       CAST(CASE WHEN result.number < 0 THEN result.number + 18446744073709551616 ELSE result.number END AS text) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       spec.version              AS spec_version,
       spec.id = (SELECT max(spec_id) FROM assessment WHERE seed_id = result.seed_id) AS newest,
       result.metric             AS metric,
       result.metric_group       AS metric_group,
       result.type               AS type,
       result.weight             AS weight,
       result.value              AS value,
       CASE result.status WHEN 0 THEN 'PASS' WHEN 1 THEN 'WARN' ELSE 'FAIL' END AS status,
       result.score              AS score,
       CASE WHEN result.reason IS NOT NULL THEN 'missing: ' || result.reason
            WHEN result.score IS NULL THEN 'missing'
            WHEN coalesce(abs(result.value) = CAST('Infinity' AS double precision), TRUE) THEN 'not finite' END AS reason,
       result.ulid               AS id
  FROM result
  JOIN scenario ON scenario.id = result.scenario_id
  JOIN configuration ON configuration.id = result.configuration_id
  JOIN spec ON spec.id = result.spec_id;

-- One row for each parameter of each configuration.
CREATE VIEW v_param AS
SELECT configuration.hash  AS configuration,
       configuration.label AS label,
       param.key           AS param,
       param.value #>> '{}'       AS value,
       CASE WHEN json_typeof(param.value) = 'number' THEN CAST(param.value #>> '{}' AS double precision) END      AS number
  FROM configuration, json_each(CAST(configuration.params AS json)) AS param;

CREATE VIEW v_stability AS
WITH scored AS (
    SELECT seed.scenario_id, seed.configuration_id, spec.id AS spec_id, spec.version,
           assessment.total_score,
           avg(assessment.total_score) OVER same AS mean,
           (seed.outcome = 'ok' AND assessment.seed_id IS NULL) AS unassessed,
           (assessment.total_score IS NOT NULL AND assessment.n_fail = 0) AS passed
      FROM seed
      JOIN spec ON spec.scenario_id = seed.scenario_id
      LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = spec.id
     WHERE seed.superseded_at IS NULL
    WINDOW same AS (PARTITION BY seed.scenario_id, seed.configuration_id, spec.id)
), aggregate AS (
    SELECT scenario_id, configuration_id, version,
           count(*) AS n_seeds, count(total_score) AS n_scored, count(CASE WHEN unassessed THEN 1 END) AS n_unassessed,
           avg(CASE WHEN passed THEN 1.0 WHEN unassessed THEN NULL ELSE 0.0 END) AS pass_rate,
           avg(CASE WHEN unassessed THEN NULL ELSE coalesce(total_score, 0) END) AS score, avg(total_score) AS score_of_seeds_that_ran,
           sqrt(avg((total_score - mean) * (total_score - mean))) AS std_score,
           min(total_score) AS min_score, max(total_score) AS max_score
      FROM scored
     GROUP BY scenario_id, configuration_id, spec_id, version
)
SELECT scenario.name           AS scenario,
       aggregate.version       AS spec_version,
       configuration.label     AS label,
       configuration.hash      AS configuration,
       configuration.commit_id AS commit_id,
       configuration.params    AS params,
       n_seeds, n_scored, n_seeds - n_scored - n_unassessed AS n_failed, n_unassessed, pass_rate, score, score_of_seeds_that_ran, std_score, min_score, max_score,
       {combined_score} AS combined_score,
       pass_rate >= {stable_min_pass_rate} AND coalesce(std_score <= {stable_max_std}, FALSE) AS stable
  FROM aggregate
  JOIN scenario ON scenario.id = aggregate.scenario_id
  JOIN configuration ON configuration.id = aggregate.configuration_id;

-- One row for each sweep and configuration of it.
CREATE VIEW v_sweep AS
SELECT sweep.ulid           AS id,
       scenario.name        AS scenario,
       configuration.label  AS label,
       configuration.hash   AS configuration,
       configuration.params AS params,
       sweep_configuration.seeds AS seeds,
       sweep_configuration.n_planned AS n_planned,
       (SELECT count(*) FROM seed
         WHERE seed.scenario_id = sweep.scenario_id AND seed.configuration_id = configuration.id
           AND seed.superseded_at IS NULL) AS n_recorded,
       sweep.plan ->> 'command' AS command,
       sweep.shard          AS shard,
       sweep.n_shards       AS n_shards,
       sweep.ending         AS ending,
       sweep.code_changed   AS code_changed,
       to_char(to_timestamp(sweep.started_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
       to_char(to_timestamp(sweep.ended_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')   AS ended_at,
       to_char(to_timestamp(sweep.withdrawn_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS withdrawn_at
  FROM sweep
  JOIN scenario ON scenario.id = sweep.scenario_id
  JOIN sweep_configuration ON sweep_configuration.sweep_id = sweep.id
  JOIN configuration ON configuration.id = sweep_configuration.configuration_id;

-- One row for each seed that a sweep ran.
CREATE VIEW v_run AS
SELECT scenario.name             AS scenario,
       CAST(CASE WHEN seed.number < 0 THEN seed.number + 18446744073709551616 ELSE seed.number END AS text) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       seed.outcome              AS outcome,
       run.attempt               AS attempts,
       run.exit_code             AS exit_code,
       run.signal                AS signal,
       seed.duration_us / 1e6    AS duration_s,
       run.cpu_us / 1e6          AS cpu_s,
       run.rss_bytes             AS rss_bytes,
       sweep.ulid                AS sweep,
       seed.ulid                 AS id
  FROM run
  JOIN seed ON seed.id = run.seed_id
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  JOIN sweep ON sweep.id = run.sweep_id
 WHERE seed.superseded_at IS NULL;

-- One row for each file that was kept of a seed.
CREATE VIEW v_artifact AS
SELECT scenario.name             AS scenario,
       CAST(CASE WHEN seed.number < 0 THEN seed.number + 18446744073709551616 ELSE seed.number END AS text) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       seed.outcome              AS outcome,
       artifact.name             AS name,
       artifact_content.n_bytes  AS n_bytes,
       encode(artifact_content.hash, 'hex') AS hash,
       artifact.left_out         AS left_out,
       to_char(to_timestamp(artifact_content.pruned_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS pruned_at,
       seed.ulid                 AS id
  FROM artifact
  JOIN seed ON seed.id = artifact.seed_id
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
 WHERE seed.superseded_at IS NULL;

-- One row an execution, with its active score.
CREATE VIEW v_execution AS
SELECT lineage.name                                               AS lineage,
       nullif(version.name, '')                                   AS version,
       execution.task, execution.task_type, execution.complexity, execution.trial, execution.session,
       execution.status, execution.message, execution.is_open     AS open,
       execution_score.rubric                                     AS rubric,
       execution_score.score                                      AS score,
       execution_score.grade                                      AS grade,
       execution.n_calls, execution.n_failed, execution.n_unknown, execution.corrections, execution.holdout, execution.model,
       execution.tokens_input, execution.tokens_output, execution.tokens_cache_read, execution.tokens_cache_write, execution.tokens_reasoning,
       execution.cost_usd, execution.priced,
       to_char(to_timestamp(execution.started_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')  AS started_at,
       execution.duration_us / 1e6                                AS duration_s,
       to_char(to_timestamp(execution.recorded_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS recorded_at,
       nullif(execution.source, '')                               AS source,
       execution.key, execution.ulid                              AS id
  FROM execution
  JOIN lineage ON lineage.id = execution.lineage_id
  JOIN version ON version.id = execution.version_id
  LEFT JOIN execution_score ON execution_score.execution_id = execution.id AND execution_score.rubric = execution.rubric;

-- One row for each execution and rubric that it was scored under.
CREATE VIEW v_score AS
SELECT lineage.name                              AS lineage,
       nullif(version.name, '')                  AS version,
       execution.task                            AS task,
       execution_score.rubric                    AS rubric,
       coalesce(execution.rubric = execution_score.rubric, FALSE) AS active,
       execution_score.score                     AS score,
       execution_score.grade                     AS grade,
       execution_score.n_failed                  AS n_failed,
       execution_score.n_unknown                 AS n_unknown,
       to_char(to_timestamp(execution_score.scored_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS scored_at,
       execution.ulid                            AS id
  FROM execution
  JOIN lineage ON lineage.id = execution.lineage_id
  JOIN version ON version.id = execution.version_id
  JOIN execution_score ON execution_score.execution_id = execution.id;

-- One row a tool call.
CREATE VIEW v_call AS
SELECT execution.ulid     AS execution,
       call.position + 1  AS call,
       call.tool          AS tool,
       call.exit, call.error, call.answered, call.rejected, call.input_bytes, call.output_bytes,
       coalesce(call.output_whole, call.output_bytes) AS output_whole_bytes, encode(call.input_digest, 'hex') AS input_digest,
       call.duration_us / 1e6 AS duration_s, call.request
  FROM call JOIN execution ON execution.id = call.execution_id;

-- One row for each request to a model.
CREATE VIEW v_request AS
SELECT lineage.name AS lineage, nullif(version.name, '') AS version, execution.task, execution.ulid AS execution,
       request.number     AS request, request.message_id, request.request_id,
       coalesce(request.model, execution.model) AS model,
       request.tokens_input, request.tokens_output, request.tokens_cache_read, request.tokens_cache_write, request.tokens_reasoning
  FROM request
  JOIN execution ON execution.id = request.execution_id
  JOIN lineage ON lineage.id = execution.lineage_id
  JOIN version ON version.id = execution.version_id;

-- One row a version.
CREATE VIEW v_version AS
SELECT lineage.name AS lineage, nullif(version.name, '') AS version, nullif(parent.name, '') AS parent, version.operator, version.status, version.note,
       version.content, encode(version.content_digest, 'hex') AS content_digest, version.source, version.source_score, version.source_parent_score,
       to_char(to_timestamp(version.source_created_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS source_created_at,
       to_char(to_timestamp(version.created_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')        AS created_at
  FROM version
  JOIN lineage ON lineage.id = version.lineage_id
  LEFT JOIN version AS parent ON parent.id = version.parent_id;

-- One row a mutation.
CREATE VIEW v_mutation AS
SELECT lineage.name AS lineage, mutation.number, mutation.key AS mutation,
       (SELECT string_agg(name, ' ')
          FROM (SELECT version.name FROM mutation_parent JOIN version ON version.id = mutation_parent.version_id
                 WHERE mutation_parent.mutation_id = mutation.id ORDER BY mutation_parent.position) AS ordered) AS parents,
       child.name AS child, mutation.operator, mutation.risk, mutation.state, mutation.n_attempts, mutation.delta, mutation.cost_usd, mutation.note,
       mutation.source, to_char(to_timestamp(mutation.proposed_at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS proposed_at,
       CAST(birth.body #>> '{origin,generation}' AS bigint) AS generation, CAST(birth.body #>> '{origin,iteration}' AS bigint) AS iteration, birth.body #>> '{origin,island}' AS island,
       birth.body #>> '{origin,cell}' AS cell
  FROM mutation JOIN lineage ON lineage.id = mutation.lineage_id JOIN version AS child ON child.id = mutation.child_id
       LEFT JOIN ledger AS birth ON birth.lineage_id = mutation.lineage_id AND birth.mutation = mutation.key AND birth.kind IN ('proposal', 'refusal');

-- One row a decision.
CREATE VIEW v_decision AS
SELECT lineage.name AS lineage, ledger.number, ledger.mutation, ledger.attempt,
       'd-' || substr(ledger.hash, 1, 16)              AS decision,
       ledger.body #>> '{decision,state}'              AS state,
       CAST(CAST(ledger.body #>> '{decision,accepted}' AS boolean) AS integer)           AS accepted,
       ledger.body #>> '{decision,label}'              AS label,
       ledger.body #>> '{policy}'                      AS policy,
       ledger.body #> '{params}'                       AS params,
       ledger.body #>> '{override}'                    AS overridden,
       CAST(ledger.body #>> '{decision,old_score}' AS double precision)          AS old_score,
       CAST(ledger.body #>> '{decision,new_score}' AS double precision)          AS new_score,
       CAST(ledger.body #>> '{decision,delta}' AS double precision)              AS delta,
       CAST(ledger.body #>> '{decision,interval,lo}' AS double precision)        AS delta_lo,
       CAST(ledger.body #>> '{decision,interval,hi}' AS double precision)        AS delta_hi,
       CAST(ledger.body #>> '{decision,p_improve,value}' AS double precision)    AS p_improve,
       CAST(ledger.body #>> '{decision,n_child}' AS bigint)            AS n_child,
       CAST(ledger.body #>> '{decision,n_parent}' AS bigint)           AS n_parent,
       CAST(ledger.body #>> '{decision,noise,sd}' AS double precision)           AS noise_sd,
       CAST(ledger.body #>> '{decision,noise,false_accept}' AS double precision) AS false_accept,
       CAST(ledger.body #>> '{draw,u}' AS double precision)                      AS u,
       CAST(ledger.body #>> '{decision,p}' AS double precision)                  AS p,
       ledger.head_before, ledger.head_after,
       to_char(to_timestamp(ledger.at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS decided_at
  FROM ledger JOIN lineage ON lineage.id = ledger.lineage_id WHERE ledger.kind = 'decision';

-- One row for each entry of a ledger.
CREATE VIEW v_ledger AS
SELECT lineage.name AS lineage, ledger.number, ledger.kind, ledger.mutation, ledger.attempt, ledger.head_before, ledger.head_after,
       to_char(to_timestamp(ledger.at / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, ledger.body, ledger.prev, ledger.hash
  FROM ledger JOIN lineage ON lineage.id = ledger.lineage_id;
