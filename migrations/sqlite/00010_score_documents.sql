-- +goose Up
-- Documents have a table of their own: in a table WITHOUT ROWID, a row longer than a quarter of a page takes a page more.
CREATE TABLE score_document (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    document     BLOB    NOT NULL, -- JSON, plain or gzip: components with reasons and what was counted; no row where nothing is known of them
    PRIMARY KEY (execution_id, rubric)
) STRICT;
INSERT INTO score_document (execution_id, rubric, document)
SELECT execution_id, rubric, CAST(document AS BLOB) FROM execution_score WHERE document <> '{}' ORDER BY execution_id, rubric;
ALTER TABLE execution_score DROP COLUMN document;

-- Entries of a ledger count the trials until then: those of them that were never recorded here, but where the ledger comes from.
ALTER TABLE lineage ADD COLUMN trials_elsewhere INTEGER NOT NULL DEFAULT 0;

-- +goose Down
-- What was written compressed is lost: SQL cannot read it.
CREATE TABLE before (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    score        REAL,
    grade        TEXT    NOT NULL,
    n_failed     INTEGER NOT NULL,
    scored_at    INTEGER NOT NULL
) STRICT;
INSERT INTO before SELECT execution_id, rubric, score, grade, n_failed, scored_at FROM execution_score;
DROP TABLE execution_score;
CREATE TABLE execution_score (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    score        REAL, -- 0..100; NULL where nothing, or not enough, could be measured
    grade        TEXT    NOT NULL,
    n_failed     INTEGER NOT NULL, -- calls that the rubric calls failed
    document     TEXT    NOT NULL, -- JSON: components with reasons and what was counted
    scored_at    INTEGER NOT NULL,
    PRIMARY KEY (execution_id, rubric)
) STRICT, WITHOUT ROWID;
INSERT INTO execution_score (execution_id, rubric, score, grade, n_failed, document, scored_at)
SELECT before.execution_id, before.rubric, score, grade, n_failed, CASE WHEN substr(document, 1, 1) = x'7B' THEN CAST(document AS TEXT) ELSE '{}' END, scored_at
  FROM before LEFT JOIN score_document USING (execution_id, rubric);
DROP TABLE before;
DROP TABLE score_document;
ALTER TABLE lineage DROP COLUMN trials_elsewhere;
