-- +goose Up
-- What is known of a version besides its name: empty, or NULL, where nobody said. Scores of the source are the source's, not a rubric's.
ALTER TABLE version ADD COLUMN parent_id INTEGER REFERENCES version;
ALTER TABLE version ADD COLUMN operator TEXT NOT NULL DEFAULT ''; -- what made it of its parent
ALTER TABLE version ADD COLUMN content TEXT; -- the prompt, masked
ALTER TABLE version ADD COLUMN content_digest BLOB; -- SHA-256 of the masked content
ALTER TABLE version ADD COLUMN status TEXT NOT NULL DEFAULT ''; -- in the words of the source
ALTER TABLE version ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE version ADD COLUMN source TEXT NOT NULL DEFAULT ''; -- format that the above was read from
ALTER TABLE version ADD COLUMN source_score REAL; -- as the source recorded it, in its own units
ALTER TABLE version ADD COLUMN source_parent_score REAL; -- of the parent, when this version was made
ALTER TABLE version ADD COLUMN source_created_at INTEGER;

CREATE VIEW v_version AS
SELECT lineage.name AS lineage, version.name AS version, coalesce(parent.name, '') AS parent, version.operator, version.status, version.note,
       version.content, lower(hex(version.content_digest)) AS content_digest, version.source, version.source_score, version.source_parent_score,
       strftime('%Y-%m-%dT%H:%M:%fZ', version.source_created_at / 1e6, 'unixepoch') AS source_created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', version.created_at / 1e6, 'unixepoch')        AS created_at
  FROM version
  JOIN lineage ON lineage.id = version.lineage_id
  LEFT JOIN version AS parent ON parent.id = version.parent_id;

-- +goose Down
DROP VIEW v_version;
ALTER TABLE version DROP COLUMN source_created_at;
ALTER TABLE version DROP COLUMN source_parent_score;
ALTER TABLE version DROP COLUMN source_score;
ALTER TABLE version DROP COLUMN source;
ALTER TABLE version DROP COLUMN note;
ALTER TABLE version DROP COLUMN status;
ALTER TABLE version DROP COLUMN content_digest;
ALTER TABLE version DROP COLUMN content;
ALTER TABLE version DROP COLUMN operator;
ALTER TABLE version DROP COLUMN parent_id;
