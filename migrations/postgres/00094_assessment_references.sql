-- +goose Up
ALTER TABLE assessment
    DROP CONSTRAINT IF EXISTS assessment_spec_id_fkey;

-- +goose Down
ALTER TABLE assessment
    ADD FOREIGN KEY (spec_id) REFERENCES spec;
