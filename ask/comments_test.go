package ask_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// source is what the source of the module says about its types.
type source struct {
	root     string // folder of the module
	packages map[string]*packageSource
}

type packageSource struct {
	types  map[string]string            // doc comments
	fields map[string]map[string]string // comments of fields, by type
	values map[string][]string          // of the constants of a type of strings
}

// of returns what the source of a package says; nothing for one outside of the module.
func (s *source) of(importPath string) (*packageSource, error) {
	if p, ok := s.packages[importPath]; ok {
		return p, nil
	}
	p := &packageSource{map[string]string{}, map[string]map[string]string{}, map[string][]string{}}
	s.packages[importPath] = p
	folder, inside := strings.CutPrefix(importPath+"/", "track/")
	if !inside {
		return p, nil
	}
	files, err := filepath.Glob(filepath.Join(s.root, folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("read the comments of types: %w", err)
		}
		p.read(file)
	}
	return p, nil
}

func (p *packageSource) read(file *ast.File) {
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				p.readType(general, spec)
			case *ast.ValueSpec:
				p.readConstant(spec)
			}
		}
	}
}

func (p *packageSource) readType(general *ast.GenDecl, spec *ast.TypeSpec) {
	doc := spec.Doc.Text()
	if doc == "" {
		doc = general.Doc.Text()
	}
	p.types[spec.Name.Name] = plain(doc)
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	fields := map[string]string{}
	for _, field := range structure.Fields.List {
		text := field.Comment.Text()
		if text == "" {
			text = field.Doc.Text()
		}
		for _, name := range field.Names {
			fields[name.Name] = plain(text)
		}
	}
	p.fields[spec.Name.Name] = fields
}

func (p *packageSource) readConstant(spec *ast.ValueSpec) {
	name, ok := spec.Type.(*ast.Ident)
	if !ok {
		return
	}
	for _, value := range spec.Values {
		literal, ok := value.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		if text, err := strconv.Unquote(literal.Value); err == nil && text != "" {
			p.values[name.Name] = append(p.values[name.Name], text)
		}
	}
}

var (
	reference = regexp.MustCompile(`[,;]? ?\bsee \[[A-Za-z.]+\]`)
	link      = regexp.MustCompile(`\[([A-Za-z./]+)\]`)
	goNil     = regexp.MustCompile(`\bnil\b`)
)

// plain returns a comment as one line without references to other names of Go, for readers of JSON.
func plain(comment string) string {
	text := reference.ReplaceAllString(strings.Join(strings.Fields(comment), " "), "")
	return goNil.ReplaceAllString(link.ReplaceAllString(text, "$1"), "null")
}
