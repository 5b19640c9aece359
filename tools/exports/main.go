// Command exports lists the exported names of this project that no other package uses: they should be unexported. It
// fails if there are more than -max.
//
// Names are functions, types, variables, constants and methods of the packages below -dir, without their tests. A use
// in a test counts if the test is in another folder. Methods that interfaces of the standard library ask for are not
// listed, nor methods of an interface that another package declares or calls. Types that appear in the declaration of
// a name that is used are marked "shown": to unexport them would hide what callers get.
package main

import (
	"flag"
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// implicit are methods that are called through an interface, most of them of the standard library.
var implicit = strings.Fields(`String Error Unwrap Is As Read Write Close ReadAt WriteTo ReadFrom Len Less Swap Value Scan Set IsBoolFlag Format GoString
	MarshalJSON UnmarshalJSON MarshalJSONTo UnmarshalJSONFrom MarshalText UnmarshalText MarshalYAML UnmarshalYAML ServeHTTP RoundTrip`)

func main() {
	most := flag.Int("max", -1, "fail if there are more unused names; -1 never fails")
	tags := flag.String("tags", "", "build tags")
	dir := flag.String("dir", ".", "folder of the module")
	flag.Parse()
	unused, total, err := unusedNames(*dir, *tags)
	if err != nil {
		fmt.Fprintln(os.Stderr, "exports:", err)
		os.Exit(2)
	}
	for _, name := range unused {
		fmt.Println(name)
	}
	fmt.Fprintf(os.Stderr, "%d of %d exported names are not used outside their package\n", len(unused), total)
	if *most >= 0 && len(unused) > *most {
		fmt.Fprintf(os.Stderr, "at most %d may be: unexport or remove some\n", *most)
		os.Exit(1)
	}
}

// unusedNames returns the names that no other package uses, as package.Name or package.Type.Method, and the number of
// all names.
func unusedNames(dir, tags string) (unused []string, total int, err error) {
	loaded, err := packages.Load(&packages.Config{
		Mode:       packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax,
		Dir:        dir,
		BuildFlags: []string{"-tags=" + tags},
		Tests:      true,
	}, "./...")
	if err != nil {
		return nil, 0, err
	}
	if packages.PrintErrors(loaded) > 0 {
		return nil, 0, fmt.Errorf("the packages do not compile")
	}
	u := usage{declared: map[string]types.Object{}, used: map[string]bool{}, shown: map[string]bool{}}
	for _, p := range loaded {
		if p.ID == p.PkgPath && p.Name != "main" { // not a variant of the package for its tests
			u.declare(p.Types)
		}
	}
	for _, p := range loaded {
		u.collect(p)
	}
	for _, p := range loaded {
		if p.ID == p.PkgPath {
			u.collectInterfaces(p.Types)
		}
	}
	for name := range u.declared {
		switch {
		case u.used[name]:
		case u.shown[name]:
			unused = append(unused, name+" (shown)")
		default:
			unused = append(unused, name)
		}
	}
	slices.Sort(unused)
	return unused, len(u.declared), nil
}

// usage is which names are declared, which of them another package uses, and which types the declarations of used
// names show.
type usage struct {
	declared    map[string]types.Object
	used, shown map[string]bool
}

func (u usage) declare(p *types.Package) {
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		u.declared[nameOf(object)] = object
		named, ok := object.Type().(*types.Named)
		if _, isType := object.(*types.TypeName); !ok || !isType {
			continue
		}
		for method := range named.Methods() {
			if method.Exported() && !slices.Contains(implicit, method.Name()) {
				u.declared[nameOf(method)] = method
			}
		}
	}
}

func (u usage) collect(p *packages.Package) {
	from := strings.TrimSuffix(p.PkgPath, "_test")
	for _, object := range p.TypesInfo.Uses {
		if object.Pkg() != nil && object.Pkg().Path() != from && object.Exported() {
			name := nameOf(object)
			u.used[name] = true
			u.show(name)
		}
	}
}

// collectInterfaces marks the methods that other packages call through an interface of p.
func (u usage) collectInterfaces(p *types.Package) {
	for _, name := range p.Scope().Names() {
		named, ok := p.Scope().Lookup(name).Type().(*types.Named)
		if !ok || named.Obj().Pkg() != p || !types.IsInterface(named) || named.TypeParams().Len() > 0 {
			continue
		}
		u.collectInterface(named)
	}
}

func (u usage) collectInterface(named *types.Named) {
	asked, called := map[string]string{}, map[string]bool{}
	for method := range named.Underlying().(*types.Interface).Methods() {
		asked[method.Name()] = signatureOf(method)
		called[method.Name()] = u.used[nameOf(method)]
	}
	for _, object := range u.declared {
		implementer, ok := object.Type().(*types.Named)
		if _, isType := object.(*types.TypeName); !ok || !isType || !hasMethods(implementer, asked) {
			continue
		}
		for name := range asked {
			if called[name] || implementer.Obj().Pkg().Path() != named.Obj().Pkg().Path() {
				u.used[nameOf(implementer.Obj())+"."+name] = true
			}
		}
	}
}

// hasMethods reports whether a type or a pointer to it has methods with these signatures. They are compared as text,
// because each package is read with its own copies of the types of others.
func hasMethods(t *types.Named, asked map[string]string) bool {
	methods := types.NewMethodSet(types.NewPointer(t))
	for name, signature := range asked {
		method := methods.Lookup(t.Obj().Pkg(), name)
		if method == nil || signatureOf(method.Obj().(*types.Func)) != signature {
			return false
		}
	}
	return len(asked) > 0
}

// signatureOf returns the types of the parameters and results of a function, without their names.
func signatureOf(f *types.Func) string {
	var text strings.Builder
	for _, tuple := range []*types.Tuple{f.Signature().Params(), f.Signature().Results()} {
		for v := range tuple.Variables() {
			text.WriteString(types.TypeString(v.Type(), nil) + ",")
		}
		text.WriteString(";")
	}
	return text.String()
}

// show marks the types that the declaration of a name shows, and those that their declarations show.
func (u usage) show(name string) {
	object := u.declared[name]
	if object == nil || u.shown[name] {
		return
	}
	u.shown[name] = true
	t := object.Type()
	if _, isType := object.(*types.TypeName); isType {
		t = t.Underlying()
	}
	u.showType(t)
}

func (u usage) showType(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		u.show(nameOf(t.Obj()))
		for argument := range t.TypeArgs().Types() {
			u.showType(argument)
		}
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() {
				u.showType(field.Type())
			}
		}
	case *types.Signature:
		for v := range t.Params().Variables() {
			u.showType(v.Type())
		}
		for v := range t.Results().Variables() {
			u.showType(v.Type())
		}
	case *types.Map:
		u.showType(t.Key())
		u.showType(t.Elem())
	case interface{ Elem() types.Type }:
		u.showType(t.Elem())
	}
}

// nameOf returns package.Name or package.Type.Method; it is the same for an object read from source and from a
// compiled package.
func nameOf(object types.Object) string {
	if object.Pkg() == nil {
		return object.Name()
	}
	name := object.Name()
	if f, ok := object.(*types.Func); ok {
		if receiver := f.Signature().Recv(); receiver != nil {
			t := receiver.Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			if named, ok := t.(*types.Named); ok {
				name = named.Obj().Name() + "." + name
			}
		}
	} else if v, ok := object.(*types.Var); ok && v.IsField() {
		return ""
	}
	return object.Pkg().Path() + "." + name
}
