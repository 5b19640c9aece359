package samebits

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recorded are the folders whose numbers are recorded or decide.
var recorded = []string{
	"scoring", "scoring/numeric", "scoring/stats", "scoring/verdict", "scoring/rubric", "scoring/format", "evolution", "series",
}

// exact are the functions of package math that have one possible result.
var exact = []string{
	"Abs", "Ceil", "Copysign", "Float32bits", "Float32frombits", "Float64bits", "Float64frombits", "Floor", "Frexp", "Inf", "IsInf", "IsNaN",
	"Ldexp", "Max", "Min", "Modf", "NaN", "Nextafter", "Pow10", "Round", "RoundToEven", "Signbit", "Sqrt", "Trunc",
}

// TestNoInexactFunctions finds calls of package math, and of gonum, that round differently on other processors.
// Package numeric has what takes their place.
func TestNoInexactFunctions(t *testing.T) {
	for _, folder := range recorded {
		files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, error %v", folder, len(files), err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				findInexact(t, file)
			}
		}
	}
}

func findInexact(t *testing.T, file string) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range parsed.Imports {
		if strings.Contains(i.Path.Value, "gonum.org") {
			t.Errorf("%s imports %s", file, i.Path.Value)
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if from, ok := name.X.(*ast.Ident); ok && from.Name == "math" && !slices.Contains(exact, name.Sel.Name) {
			t.Errorf("%s: math.%s gives other bits on other processors", files.Position(n.Pos()), name.Sel.Name)
		}
		return true
	})
}

var fused = flag.Bool("fused", false, "compile for arm64 and look for fused products, which takes a minute the first time")

// TestNoFusedProducts compiles for arm64 and finds the places where the compiler fused x*y+z into one rounding. Write
// float64(x*y) + z there; a product fuses through assignments and calls as well.
func TestNoFusedProducts(t *testing.T) {
	if !*fused {
		t.Skip("make arm64 runs this test")
	}
	args := []string{"build", "-gcflags=-S"}
	for _, folder := range recorded {
		args = append(args, "./"+folder)
	}
	c := exec.Command("go", args...)
	c.Dir, c.Env = filepath.Join("..", ".."), append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	listing, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, listing)
	}
	if len(listing) < 1<<20 {
		t.Fatalf("the compiler listed %d bytes", len(listing))
	}
	var places []string
	for _, found := range regexp.MustCompile(`\(([^()\s]+\.go:\d+)\)\s+FN?M(?:ADD|SUB)[DS]\b`).FindAllSubmatch(listing, -1) {
		places = append(places, string(found[1]))
	}
	slices.Sort(places)
	for _, place := range slices.Compact(places) {
		t.Errorf("%s: a product is fused with a sum", place)
	}
}
