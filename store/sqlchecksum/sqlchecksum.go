// Package sqlchecksum lets SQL of tests and benchmarks write rows that readers accept.
package sqlchecksum

import (
	"database/sql/driver"
	"fmt"
	"sync"

	"modernc.org/sqlite"

	"track"
	"track/store"
)

// Register gives connections that are opened later the functions checksum(column, …), as [store.Checksum], and
// configuration_hash(label, params, commit_id, dirty, diff_hash, files_hash).
var Register = sync.OnceFunc(func() {
	sqlite.MustRegisterDeterministicScalarFunction("checksum", -1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		return store.Checksum(args...), nil
	})
	sqlite.MustRegisterDeterministicScalarFunction("configuration_hash", 6, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		return configurationHash(args), nil
	})
})

func configurationHash(args []driver.Value) string {
	text := func(i int) string {
		if args[i] == nil {
			return ""
		}
		return fmt.Sprint(args[i])
	}
	params := track.Params(text(1))
	if params == "{}" {
		params = ""
	}
	revision := track.Revision{Commit: text(2), Dirty: args[3] == int64(1), DiffHash: text(4), FilesHash: text(5)}
	return track.Configuration{Label: text(0), Params: params, Revision: revision}.Hash()
}
