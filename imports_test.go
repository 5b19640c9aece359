package track_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport says what each package may import beyond the standard library: packages of track, then modules. A pattern
// that ends in /... means a package and those below it; of several that fit, the longest counts. Imports point one way:
// towards the packages that know less.
var mayImport = map[string][]string{
	"track/scoring/...": {"track/scoring/..."},
	// The rubric reads the text of agents: Markdown, and code in the languages that have a parser in Go.
	"track/scoring/rubric": {"track/scoring/...", "github.com/yuin/goldmark/...", "mvdan.cc/sh/v3/syntax", "github.com/evanw/esbuild/pkg/api", "go.yaml.in/yaml/v3", "github.com/BurntSushi/toml"},
	"track/evolution/...":  {"track/evolution/...", "github.com/go-json-experiment/json/...", "track/scoring/..."},
	"track":                {"track/scoring", "track/evolution", "github.com/go-json-experiment/json/..."},
	// The contract between questions and answers, and who answers.
	"track/access":          {},
	"track/answer/...":      {"track/access", "track/answer/...", "track/internal/shell", "track/reports/chart", "track", "track/scoring/...", "track/spec", "track/evolution", "track/series", "github.com/go-json-experiment/json/...", "golang.org/x/text/unicode/norm"},
	"track/ask":             {"track", "track/access", "track/answer/...", "track/evolution", "track/scoring/...", "track/reports/...", "track/internal/dataset", "track/series", "track/store", "track/tracker/...", "track/tracker"},
	"track/reports/render":  {"track", "track/internal/dataset", "track/answer", "track/reports/document", "track/reports/escape", "track/scoring", "track/scoring/format", "github.com/go-json-experiment/json/...", "github.com/jedib0t/go-pretty/v6/...", "github.com/parquet-go/parquet-go/..."},
	"track/pages":           {"github.com/evanw/esbuild/pkg/api", "github.com/go-json-experiment/json/...", "track/access", "track/evolution", "track/internal/textdiff", "track/answer/...", "track/ask", "track", "track/internal/shell", "track/reports/...", "track/reports", "track/scoring/..."},
	"track/internal/sample": {"track", "track/answer", "track/ask", "track/importer/lines", "track/internal/lineagetest", "track/internal/testdb", "track/scoring", "track/spec", "track/store", "track/tracker/..."},
	"track/reports/...":     {"track", "track/answer", "track/internal/shell", "track/internal/textdiff", "track/reports/...", "track/scoring/...", "track/evolution"},

	// What takes secrets out of texts, before they are stored.
	"track/internal/masking":   {"github.com/go-json-experiment/json/jsontext"},
	"track/internal/admission": {"track", "track/internal/masking", "golang.org/x/text/unicode/norm", "github.com/go-json-experiment/json/..."},

	// What all readers and writers of JSON share.
	"track/internal/jsonio": {"track", "github.com/go-json-experiment/json/..."},

	// Bounds of what is unpacked.
	"track/internal/sizes": {"track"},

	// The small files of a run.
	"track/internal/keptfiles": {"track", "track/internal/sizes"},

	// Tables of typed columns.
	"track/internal/dataset": {},

	// Tables of text: what separates cells, and decimal signs.
	"track/internal/separated": {"track/internal/jsonio"},

	"track/internal/gunzip": {},

	// Names that were probably meant.
	"track/internal/near": {},
	"track/tracker/names": {"track", "track/answer", "track/internal/near", "track/store"},

	// What writes shell text.
	"track/internal/shell": {},

	// Formats: they know no storage.
	"track/spec":                {"track", "track/internal/near", "track/scoring", "github.com/go-json-experiment/json/...", "go.yaml.in/yaml/v3"},
	"track/importer/lines":      {"track", "track/internal/separated", "track/internal/sizes", "track/evolution", "track/internal/jsonio", "track/importer", "track/series", "github.com/go-json-experiment/json/..."},
	"track/series":              {"track", "track/internal/separated", "track/internal/gunzip", "track/internal/sizes", "track/internal/jsonio", "track/scoring", "github.com/go-json-experiment/json/...", "github.com/klauspost/compress/..."},
	"track/importer/...":        {"track/internal/gunzip", "track", "track/internal/jsonio", "track/importer/...", "github.com/go-json-experiment/json/...", "go.yaml.in/yaml/v3", "github.com/BurntSushi/toml"},
	"track/internal/provenance": {"track", "track/internal/masking"},

	// Records that wait for a database.
	"track/internal/spool": {"track", "track/importer/lines", "github.com/oklog/ulid/v2"},

	// Processes and their files.
	"track/internal/process":  {"track/internal/masking", "golang.org/x/sys/unix"},
	"track/internal/fifotest": {}, // tests alone
	"track/sweep":             {"track/scoring/format", "track/internal/keptfiles", "track/internal/process", "track/internal/separated", "track/internal/sizes", "track", "track/internal/jsonio", "track/importer/lines", "track/internal/masking", "track/series", "github.com/go-json-experiment/json/..."},

	// Storage: the only packages that know SQL.
	"track/migrations":      {},
	"track/store":           {"track/access", "track/internal/near", "track", "track/internal/admission", "track/evolution", "track/migrations", "track/scoring", "track/series", "github.com/go-json-experiment/json/...", "github.com/jackc/pgx/v5/...", "github.com/jmoiron/sqlx", "github.com/pressly/goose/v3/...", "golang.org/x/text/...", "modernc.org/libc", "modernc.org/sqlite/..."},
	"track/store/storetest": {"track", "track/access", "track/evolution", "track/scoring", "track/series", "track/store", "track/internal/property", "github.com/google/go-cmp/cmp/...", "pgregory.net/rapid"},

	"track/tracker/exchange":  {"track", "track/access", "track/tracker/tokens", "track/internal/sizes", "track/internal/admission", "track/answer", "track/tracker/integrity", "track/evolution", "track/importer/...", "track/scoring/format", "track/internal/spool", "track/scoring", "track/spec", "track/store", "track/tracker/agents", "track/tracker/lineages", "track/tracker/seeds", "track/tracker/names"},
	"track/tracker/integrity": {"track/answer", "track/store", "track/tracker/lineages", "track/tracker/seeds"},
	"track/tracker/tokens":    {"track", "track/access", "track/answer", "track/store"},
	"track/tracker/seeds":     {"track", "track/internal/near", "track/internal/dataset", "track/internal/admission", "track/answer/...", "track/evolution", "track/scoring/...", "track/series", "track/spec", "track/store", "track/sweep", "github.com/go-json-experiment/json/...", "github.com/oklog/ulid/v2", "track/tracker/names"},
	"track/tracker/lineages":  {"track", "track/internal/admission", "track/answer/...", "track/importer/lines", "track/evolution", "track/internal/textdiff", "github.com/go-json-experiment/json/jsontext", "track/scoring/...", "track/store", "track/tracker/names"},
	"track/tracker/retention": {"track/answer", "track/evolution", "track/store", "track/tracker/lineages"},
	"track/tracker/agents":    {"track", "track/internal/admission", "track/answer/...", "track/evolution", "track/importer", "track/importer/prices", "track/scoring/...", "track/store", "github.com/oklog/ulid/v2", "golang.org/x/text/unicode/norm", "track/tracker/names"},
	"track/tracker/sweeps":    {"track", "track/internal/near", "track/internal/sizes", "track/internal/admission", "track/spec", "track/answer/...", "track/importer/lines", "track/internal/provenance", "track/internal/spool", "track/scoring/...", "track/store", "track/sweep", "track/tracker/seeds", "github.com/go-json-experiment/json/...", "github.com/oklog/ulid/v2", "track/tracker/names"},
	"track/tracker/loop":      {"track/scoring/format", "track", "track/answer/...", "track/evolution", "track/importer/lines", "track/internal/jsonio", "track/internal/process", "track/store", "track/tracker/agents", "track/tracker/lineages", "github.com/go-json-experiment/json/..."},
	"track/tracker":           {"track", "track/answer/...", "track/tracker/agents", "track/tracker/lineages", "track/tracker/seeds", "track/scoring/...", "track/store", "track/sweep", "github.com/go-json-experiment/json/...", "github.com/oklog/ulid/v2"},

	// What agents tell while they work, and the settings that make them do so.
	"track/tracker/live":            {"track", "track/internal/admission", "track/answer", "track/importer/...", "track/internal/claudesettings", "track/store", "track/tracker/agents", "track/tracker/names"},
	"track/internal/claudesettings": {"github.com/go-json-experiment/json/..."},

	// What tests check properties with.
	"track/internal/samebits": {}, // tests alone
	"track/internal/property": {"pgregory.net/rapid"},

	// Reports as files.
	"track/internal/reportfiles": {"track", "track/reports/...", "track/scoring/format"},

	// What tests read reports with.
	"track/internal/textdiff":                {"github.com/rogpeppe/go-internal/diff"},
	"track/internal/lineagetest":             {"track", "track/answer", "track/evolution", "track/internal/testdb", "track/scoring", "track/store", "track/tracker", "track/tracker/agents", "track/tracker/lineages", "track/tracker/seeds"},
	"track/internal/testdb":                  {"track/internal/testpostgres", "track/store", "track/migrations"},
	"track/internal/testpostgres":            {"github.com/jackc/pgx/v5/..."},
	"track/internal/testpostgres/withserver": {"track/internal/testpostgres"},
	"track/internal/trackertest":             {"track", "track/answer", "track/importer/lines", "track/scoring", "track/store", "track/tracker/agents", "track/tracker/seeds"},
	"track/internal/outsidetest":             {"github.com/chromedp/...", "github.com/yuin/goldmark/..."},

	// Programs: everything but the schema.
	"track/cmd/...": {
		"track", "track/access", "track/remote", "track/server", "track/internal/admission", "track/internal/jsonio", "track/internal/near", "track/internal/keptfiles", "track/internal/separated", "track/internal/sizes", "track/answer/...", "track/ask", "track/internal/dataset", "track/internal/claudesettings", "track/evolution", "track/importer/...", "track/tracker/live", "track/internal/masking", "track/internal/process", "track/internal/provenance", "track/internal/reportfiles", "track/internal/shell", "track/internal/textdiff", "track/reports/...", "track/scoring/...", "track/series", "track/spec", "track/internal/spool",
		"track/store", "track/sweep", "track/tracker/...", "track/web", "github.com/go-json-experiment/json/...", "github.com/jedib0t/go-pretty/v6/...", "github.com/oklog/ulid/v2", "github.com/urfave/cli/v2", "golang.org/x/term",
	},
	"track/server":       {"track", "golang.org/x/time/rate", "track/pages", "track/access", "track/answer/...", "track/ask", "track/importer/lines", "track/reports/...", "track/store", "track/tracker/exchange", "track/tracker/names", "track/tracker/seeds", "track/tracker/tokens", "github.com/go-json-experiment/json/...", "github.com/oklog/ulid/v2"},
	"track/remote":       {"track", "track/access", "track/answer", "track/ask", "track/importer/lines", "track/internal/spool", "track/scoring/format"},
	"track/web":          {"track", "track/reports/...", "track/scoring/...", "track/store", "track/tracker", "github.com/go-json-experiment/json/..."},
	"track/bench":        {"modernc.org/sqlite"}, // it knows the program and SQL alone
	"track/examples/...": {},
}

// pure are the packages that compute: what they tell depends on their arguments alone.
var pure = []string{"track/scoring/...", "track/evolution/...", "track/reports/...", "track/internal/masking"}

// impure are packages of the standard library that look at the world.
var impure = []string{"crypto/rand", "database/sql/...", "io/ioutil", "log/...", "math/rand", "net/...", "os/...", "path/filepath", "plugin", "syscall"}

// explicit are the names of math/rand/v2 that take their randomness from a source that is given.
var explicit = []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"}

// clocks are the names of package time that look at a clock.
var clocks = []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTicker", "NewTimer"}

type goPackage struct {
	ImportPath, Dir  string
	Imports, GoFiles []string
	Standard         bool
}

func TestImports(t *testing.T) {
	output, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Imports,GoFiles,Standard", "./...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	packages, standard := []goPackage{}, map[string]bool{}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		standard[p.ImportPath] = p.Standard
		if fits(p.ImportPath, "track/...") {
			packages = append(packages, p)
		}
	}
	if len(packages) < 10 {
		t.Fatalf("go list knows %d packages of track", len(packages))
	}
	for _, p := range packages {
		allowed, known := ruleFor(p.ImportPath)
		if !known {
			t.Errorf("%s: say in this test what it may import", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if !standard[imported] && !fitsAny(imported, allowed) {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
			if fitsAny(p.ImportPath, pure) && fitsAny(imported, impure) {
				t.Errorf("%s imports %s, but is to compute and nothing else", p.ImportPath, imported)
			}
			sql := imported == "database/sql" || imported == "database/sql/driver" && p.ImportPath != "track" // which scans seed numbers
			if sql && p.ImportPath != "track/store" && p.ImportPath != "track/bench" {
				t.Errorf("%s imports %s, but only track/store knows SQL", p.ImportPath, imported)
			}
		}
		if fitsAny(p.ImportPath, pure) {
			checkPure(t, p)
		}
	}
}

// checkPure looks for uses of clocks and of randomness that nobody handed over.
func checkPure(t *testing.T, p goPackage) {
	t.Helper()
	for _, name := range p.GoFiles {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		imported := map[string]string{} // path by name in this file
		for _, spec := range file.Imports {
			from := strings.Trim(spec.Path.Value, `"`)
			local := path.Base(strings.TrimSuffix(from, "/v2"))
			if spec.Name != nil {
				local = spec.Name.Name
			}
			imported[local] = from
		}
		ast.Inspect(file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			qualifier, ok := selector.X.(*ast.Ident)
			if !ok {
				return true
			}
			from, name := imported[qualifier.Name], selector.Sel.Name
			if from == "time" && slices.Contains(clocks, name) || from == "math/rand/v2" && !slices.Contains(explicit, name) {
				t.Errorf("%s: %s.%s, in a package that is to compute and nothing else", files.Position(n.Pos()), qualifier.Name, name)
			}
			return true
		})
	}
}

// ruleFor returns what the longest pattern that fits a package allows it.
func ruleFor(importPath string) (allowed []string, known bool) {
	longest := ""
	for pattern := range mayImport {
		if fits(importPath, pattern) && len(pattern) > len(longest) {
			longest = pattern
		}
	}
	return mayImport[longest], longest != ""
}

func fits(importPath, pattern string) bool {
	prefix, below := strings.CutSuffix(pattern, "/...")
	return importPath == prefix || below && strings.HasPrefix(importPath, prefix+"/")
}

func fitsAny(importPath string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return fits(importPath, pattern) })
}
