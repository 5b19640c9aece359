package track_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// linkedModules are the modules in the program. Go initialises every linked package in every process, whichever command
// it runs: GODEBUG=inittrace=1 shows how long that takes. A module that a
// feature does not need is left out.
var linkedModules = []string{
	"github.com/BurntSushi/toml",
	"github.com/andybalholm/brotli",
	"github.com/dustin/go-humanize",
	"github.com/evanw/esbuild",
	"github.com/go-json-experiment/json",
	"github.com/google/uuid",
	"github.com/jackc/pgpassfile",
	"github.com/jackc/pgservicefile",
	"github.com/jackc/pgx/v5",
	"github.com/jackc/puddle/v2",
	"github.com/jedib0t/go-pretty/v6",
	"github.com/jmoiron/sqlx",
	"github.com/klauspost/compress",
	"github.com/mattn/go-runewidth",
	"github.com/mfridman/interpolate",
	"github.com/oklog/ulid/v2",
	"github.com/parquet-go/bitpack",
	"github.com/parquet-go/jsonlite",
	"github.com/parquet-go/parquet-go",
	"github.com/pierrec/lz4/v4",
	"github.com/pressly/goose/v3",
	"github.com/remyoudompheng/bigfft",
	"github.com/rivo/uniseg",
	"github.com/rogpeppe/go-internal",
	"github.com/sethvargo/go-retry",
	"github.com/twpayne/go-geom",
	"github.com/urfave/cli/v2",
	"github.com/xrash/smetrics",
	"github.com/yuin/goldmark",
	"go.uber.org/multierr",
	"go.yaml.in/yaml/v3",
	"golang.org/x/image",
	"golang.org/x/net",
	"golang.org/x/sync",
	"golang.org/x/sys",
	"golang.org/x/term",
	"golang.org/x/text",
	"golang.org/x/time",
	"google.golang.org/protobuf",
	"modernc.org/libc",
	"modernc.org/mathutil",
	"modernc.org/memory",
	"modernc.org/sqlite",
	"mvdan.cc/sh/v3",
	"track",
}

func TestLinkedModules(t *testing.T) {
	linked := map[string]bool{}
	for _, p := range linkedPackages(t) {
		if p.Module == nil || linked[p.Module.Path] {
			continue
		}
		linked[p.Module.Path] = true
		if !slices.Contains(linkedModules, p.Module.Path) {
			t.Errorf("%s of module %s is linked into the program: list the module here if every process may pay for it", p.ImportPath, p.Module.Path)
		}
	}
	for _, module := range linkedModules {
		if !linked[module] {
			t.Errorf("module %s is no longer linked: remove it here", module)
		}
	}
}

// TestExpressionsAreCompiledOnUse finds regular expressions that every process would compile.
func TestExpressionsAreCompiledOnUse(t *testing.T) {
	for _, p := range linkedPackages(t) {
		if !fits(p.ImportPath, "track/...") {
			continue
		}
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, declaration := range file.Decls {
				variables, ok := declaration.(*ast.GenDecl)
				if !ok {
					continue
				}
				ast.Inspect(variables, func(n ast.Node) bool {
					if selector, ok := n.(*ast.SelectorExpr); ok && selector.Sel.Name == "MustCompile" {
						t.Errorf("%s: use lazyregexp.New", files.Position(n.Pos()))
					}
					_, function := n.(*ast.FuncLit)
					return !function
				})
			}
		}
	}
}

type linkedPackage struct {
	ImportPath, Dir string
	GoFiles         []string
	Module          *struct{ Path string }
}

// linkedPackages returns the packages of the program, without those of the standard library.
func linkedPackages(t *testing.T) (packages []linkedPackage) {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-tags", "urfave_cli_no_docs", "-json=ImportPath,Dir,GoFiles,Module", "./cmd/track")
	output, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p linkedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module != nil {
			packages = append(packages, p)
		}
	}
	if len(packages) < 50 {
		t.Fatalf("the program has %d packages", len(packages))
	}
	return packages
}
