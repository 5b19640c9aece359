package store

import (
	"context"
	"errors"
	"testing"
)

const insertAnyScenario = `INSERT INTO scenario (name, created_at) VALUES ($1, 0)`

// insertEndless never ends by itself.
const insertEndless = `
	WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
	INSERT INTO scenario (name, created_at) SELECT i, 0 FROM n WHERE i < 0`

// A transaction whose context ends is rolled back, whatever it has written before and wherever it is.
func TestUpdateEndsWithItsContext(t *testing.T) {
	st := planStore(t)
	for name, write := range map[string]func(tx *Tx, end func()) error{
		"in a statement": func(tx *Tx, end func()) error {
			go end()
			_, err := tx.exec(insertEndless)
			return err
		},
		"between statements": func(tx *Tx, end func()) error {
			end()
			_, err := tx.exec(insertAnyScenario, "later")
			return err
		},
		"before the commit": func(_ *Tx, end func()) error {
			end()
			return nil
		},
	} {
		ctx, end := context.WithCancel(t.Context())
		err := st.Update(ctx, func(tx *Tx) error {
			if _, err := tx.exec(insertAnyScenario, name); err != nil {
				return err
			}
			return write(tx, end)
		})
		end()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want that the context has ended", name, err)
		}
	}
	if names, err := st.Scenarios(t.Context()); err != nil || len(names) > 0 {
		t.Errorf("transactions that were interrupted have recorded %v, error %v", names, err)
	}
	err := st.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.exec(insertAnyScenario, "s")
		return err
	})
	if names, readErr := st.Scenarios(t.Context()); err != nil || readErr != nil || len(names) != 1 {
		t.Errorf("the next transaction has recorded %v, errors %v and %v", names, err, readErr)
	}
}
