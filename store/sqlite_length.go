package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"track"
)

// CheckLength refuses a database file that goes on after its last page, as its head counts them: SQLite would leave the
// rest unread. A file that is no database passes.
func CheckLength(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return openError(path, err)
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, HeadSize)
	if _, err := io.ReadFull(file, head); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == nil && !IsDatabase(head) {
		return nil
	} else if err != nil {
		return openError(path, err)
	}
	info, err := file.Stat()
	if err != nil {
		return openError(path, err)
	}
	// https://www.sqlite.org/fileformat2.html#the_database_header
	const sizeAt, changesAt, pagesAt, validAt, largestPage = 16, 24, 28, 92, 65536
	size, pages := int64(binary.BigEndian.Uint16(head[sizeAt:])), int64(binary.BigEndian.Uint32(head[pagesAt:]))
	if size == 1 {
		size = largestPage
	}
	isCounted := pages > 0 && binary.BigEndian.Uint32(head[changesAt:]) == binary.BigEndian.Uint32(head[validAt:])
	if isCounted && info.Size() > size*pages {
		return fmt.Errorf("open %s: %w: %w: %d bytes follow its end", path, track.ErrInvalid, track.ErrDatabase, info.Size()-size*pages)
	}
	return nil
}
