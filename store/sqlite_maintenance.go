package store

import (
	"context"
	"fmt"

	"track"
)

// Pack makes the database one file without a log, as small as it can be. Nothing may have been read from the store
// before.
func (s *Store) Pack(ctx context.Context) error {
	if IsServer(s.path) {
		return notForServers("packed")
	}
	if err := s.Update(ctx, func(*Tx) error { return nil }); err != nil { // opens the connection
		return err
	}
	for _, statement := range []string{"PRAGMA journal_mode = DELETE", "VACUUM"} {
		if _, err := s.writer.conn.ExecContext(ctx, statement); err != nil {
			return explain(err)
		}
	}
	return nil
}

// vacuum implements [engine].
func (f sqliteFile) vacuum(ctx context.Context, s *Store, thorough bool) error {
	if thorough { // or what was removed from the index stays in it until much more is added
		err := s.Update(ctx, func(tx *Tx) error {
			_, err := tx.exec(compactIndex)
			return err
		})
		if err != nil {
			return err
		}
	}
	unlock, err := lockFile(ctx, s.path+".lock")
	if err != nil {
		return openError(s.path, err)
	}
	_, err = s.writer.conn.ExecContext(ctx, "VACUUM")
	unlock()
	if err != nil || !thorough {
		return explain(err)
	}
	return s.emptyLog(ctx)
}

// emptyLog moves everything committed into the database and empties its log. Readers that are in the middle of
// something hold it up.
func (s *Store) emptyLog(ctx context.Context) error {
	var busy, pages, moved int
	if err := s.writer.conn.QueryRowxContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return explain(err)
	}
	if busy != 0 {
		return fmt.Errorf("%w: another program is reading it", track.ErrDatabase)
	}
	return nil
}
