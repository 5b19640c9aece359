-- +goose Up
-- The views are made anew after each migration: v_stability tells seeds that were never judged from failed ones.
SELECT 1;

-- +goose Down
SELECT 1;
