package programs

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"track"
)

const databaseMagic = "SQLite format 3\x00"

// refuseDatabase is the error of a database, as Shinka keeps its programs in. The hint exports its table.
func refuseDatabase(file string) error {
	err := &track.FieldError{File: file, Message: "is a database, which is not read: a run is read from one JSON object a line"}
	fields := []string{
		"id", "parent_id", "archive_inspiration_ids", "top_k_inspiration_ids", "generation", "timestamp", "code", "combined_score", "correct", "public_metrics", "metadata",
	}
	var pairs []string
	for _, field := range fields {
		pairs = append(pairs, fmt.Sprintf("'%s',%s", field, field))
	}
	export := fmt.Sprintf(`sqlite3 %s "SELECT json_object(%s) FROM programs" > programs.jsonl`, path.Base(filepath.ToSlash(file)), strings.Join(pairs, ","))
	return track.WithHint(err, track.NewHint(export+", then import the lines", "import shinka", "programs.jsonl").With("lineage", "NAME"))
}
