package programs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/internal/jsonio"
)

// Lines reads a file with one object on each line and hands them to use, with the name of the file after dir, and the
// line. What is no object is skipped. gzip is decompressed. Its error is one of reading, of a database, or of use.
func (c *Collector) Lines(dir string, files fs.FS, name string, use func(o Object, file string, line int) error) error {
	path := path.Join(dir, name)
	file, err := files.Open(name)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, withoutPath(err))
	}
	defer file.Close()
	reader, err := importer.Decompress(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if head, _ := reader.Peek(len(databaseMagic)); string(head) == databaseMagic {
		return refuseDatabase(path)
	}
	for number := 1; ; number++ {
		text, tooLong, err := importer.ReadLine(reader)
		if broken := err != nil && !errors.Is(err, io.EOF); broken {
			return fmt.Errorf("read %s: %w", path, withoutPath(err))
		}
		if tooLong {
			c.leaveOut(path, number, "", fmt.Sprintf("longer than %d MiB", importer.LongestRecord>>20))
		} else if err := c.object(path, number, text, func(o Object) error { return use(o, path, number) }); err != nil {
			return err
		}
		if err != nil {
			return nil
		}
	}
}

// object reads one object, unless the text is blank.
func (c *Collector) object(file string, line int, text []byte, use func(o Object) error) error {
	if text = withoutMark(text); len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	o, failure := parseObject(text, func(field, reason string) { c.Skip(file, line, field, reason) })
	if failure != nil {
		c.leaveOut(file, line, failure.Field, failure.Message)
		return nil
	}
	return use(o)
}

// Object reads a file that holds one object, and hands it to use. What is no object, or cannot be read, is skipped.
func (c *Collector) Object(dir string, files fs.FS, name string, use func(o Object, file string) error) error {
	file, text := path.Join(dir, name), c.record(dir, files, name)
	return c.object(file, 0, text, func(o Object) error { return use(o, file) })
}

// List is [Collector.Object] of a file that holds a list of objects.
func (c *Collector) List(dir string, files fs.FS, name string, use func(o Object, file string) error) error {
	file, text := path.Join(dir, name), withoutMark(c.record(dir, files, name))
	if len(text) == 0 {
		return nil
	}
	var list []jsontext.Value
	quoted, _ := jsonio.QuoteNonFiniteIn(text)
	if err := json.Unmarshal(quoted, &list, jsontext.AllowInvalidUTF8(true)); err != nil {
		failure := jsonio.FieldError(err)
		c.leaveOut(file, 0, failure.Field, failure.Message)
		return nil
	}
	for _, element := range list {
		if err := c.object(file, 0, element, func(o Object) error { return use(o, file) }); err != nil {
			return err
		}
	}
	return nil
}

// record returns what a file holds, which is as long as one record may be; nothing of one that cannot be read, which
// is skipped.
func (c *Collector) record(dir string, files fs.FS, name string) []byte {
	text, err := readRecord(files, name)
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		err = errors.New("empty")
	}
	if err != nil {
		c.leaveOut(path.Join(dir, name), 0, "", err.Error())
		return nil
	}
	return text
}

// leaveOut notes what is wrong with a line, or with a file, of which nothing comes.
func (c *Collector) leaveOut(file string, line int, field, reason string) {
	whole := "line"
	if line == 0 {
		whole = "file"
	}
	c.LeaveOut()
	c.Skip(file, line, field, reason+"; the "+whole+" was left out")
}

// withoutMark takes the mark away with which some editors begin a file.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

// readRecord reads a file as long as one record may be.
func readRecord(files fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(files, name)
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case !info.Mode().IsRegular(): // a pipe might never end
		return nil, errors.New("no file")
	}
	file, err := files.Open(name)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, importer.LongestRecord+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if len(text) > importer.LongestRecord {
		return nil, fmt.Errorf("longer than %d MiB", importer.LongestRecord>>20)
	}
	return text, nil
}

// withoutPath takes the path out of an error that is told beside it.
func withoutPath(err error) error {
	var failure *fs.PathError
	if errors.As(err, &failure) {
		return failure.Err
	}
	return err
}

// Stat finds a file or folder that a user names; one that is clearly a database is refused.
func Stat(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %w", track.ErrNotFound, err)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, withoutPath(err))
	case !info.IsDir() && slices.Contains([]string{".sqlite", ".sqlite3", ".db"}, strings.ToLower(filepath.Ext(name))):
		return nil, refuseDatabase(name)
	}
	return info, nil
}

// IsDir says whether there is a folder of a name.
func IsDir(files fs.FS, name string) bool {
	info, err := fs.Stat(files, name)
	return err == nil && info.IsDir()
}

// Nothing is the error of a source in which no program was found. what names the format and ways lists what can be
// read.
func (c *Collector) Nothing(file, what, ways string) error {
	message := "holds no program of " + what
	if len(c.run.Skips) > 0 {
		message += "; the first part that was not used: " + c.run.Skips[0].String()
	}
	return track.WithHint((&track.FieldError{File: file, Message: message}).Shorten(), track.Hint{Text: ways})
}
