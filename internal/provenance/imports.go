package provenance

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// One expression for each language finds what names another file; the shell has a parser.
var (
	pythonNames = regexp.MustCompile(`(?m)(?:^|[;:])[ \t]*(?:from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^;\n]+)|import[ \t]+([^;\n(]+))` +
		`|\b(sys\.path\.\w+|import_module|__import__|run_path|run_module)[ \t]*\([ \t]*([^\n]*)`)
	rNames     = regexp.MustCompile(`(?:^|[^\w.])((?:sys\.)?source|source_python|sourceCpp|load_all|dyn\.load)[ \t]*\(([^)]*\)?)`)
	juliaNames = regexp.MustCompile(`(?m)\b(includet?)[ \t]*\(([^)]*\)?)|^[ \t]*(?:using|import)[ \t]+([^\n#]+)`)
	quoted     = regexp.MustCompile(`"([^"\n]*)"|'([^'\n]*)'`)
	commented  = regexp.MustCompile(`(?m)^[ \t]*#.*$|[ \t]#[^"'\n]*$`)
)

// scan adds the local files that code names. path is the file of the code; empty for a word of a command. name is what
// people call it; empty for the command of the sweep.
func (f *finder) scan(lang, path, code, name string) {
	dirs := []string{f.here}
	if path != "" {
		dirs = []string{filepath.Dir(path), f.here}
	}
	if lang == langShell {
		f.shell(dirs, code, name)
		return
	}
	code = commented.ReplaceAllString(code, "")
	switch lang {
	case langPython:
		f.python(dirs, strings.ReplaceAll(code, "\\\n", " "), name)
	case langR:
		for _, m := range rNames.FindAllStringSubmatch(code, -1) {
			f.called(m[1], m[2], dirs, name)
		}
	case langJulia:
		f.julia(dirs, code, name)
	}
	for _, text := range quotedTexts(code) { // programs and sources that it runs
		for word := range strings.FieldsSeq(text) {
			if strings.ContainsAny(word, "./") {
				f.named(word, append(dirs, f.roots...), "", true)
			}
		}
	}
}

func quotedTexts(code string) (list []string) {
	for _, m := range quoted.FindAllStringSubmatch(code, -1) {
		list = append(list, m[1]+m[2])
	}
	return list
}

// called adds the file that a call names by texts, such as source(file.path("R", "model.R"), local = TRUE).
func (f *finder) called(function, arguments string, dirs []string, name string) {
	texts := quotedTexts(arguments)
	for n := len(texts); n > 0; n-- {
		if path, found := find(filepath.Join(texts[:n]...), dirs, isRegular); found {
			f.addIf(path)
			return
		}
	}
	if !strings.Contains(arguments, "://") {
		f.missing(name, function+"("+arguments)
	}
}

// missing notes what names a file that was not found.
func (f *finder) missing(name, text string) {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "\x00", "…")
	f.unresolved = append(f.unresolved, cmp.Or(name, "the command")+": "+text)
}

func (f *finder) python(dirs []string, code, name string) {
	for _, m := range pythonNames.FindAllStringSubmatch(code, -1) {
		dots, module, names, modules, function, arguments := m[1], m[2], listed(m[3]), listed(m[4]), m[5], m[6]
		switch {
		case strings.HasPrefix(function, "sys.path"):
			f.pythonPath(dirs, arguments)
		case function != "":
			f.dynamicImport(dirs, function, arguments, name)
		case dots != "":
			dir := dirs[0]
			for range len(dots) - 1 {
				dir = filepath.Dir(dir)
			}
			found := f.addIf(filepath.Join(dir, "__init__.py")) && module == ""
			for _, n := range names {
				found = f.module(dir, strings.Trim(module+"."+n, ".")) || found
			}
			if !found {
				f.missing(name, "from "+dots+module+" import "+strings.Join(names, ", "))
			}
		default:
			for _, n := range names {
				modules = append(modules, module+"."+n)
			}
			for _, n := range modules {
				f.imported(dirs, n)
			}
		}
	}
}

// listed returns the names in a list such as "(a as b, c)". For all names of a package, it returns that of its file.
func listed(text string) (names []string) {
	for part := range strings.SplitSeq(strings.ReplaceAll(strings.Trim(text, "() \t"), "*", "__init__"), ",") {
		if words := strings.Fields(part); len(words) > 0 {
			names = append(names, words[0])
		}
	}
	return names
}

// pythonPath adds the folder that is added to sys.path: one that the code names, or the parent folder of its own.
func (f *finder) pythonPath(dirs []string, arguments string) {
	texts := quotedTexts(arguments)
	if len(texts) == 0 {
		f.root(filepath.Dir(dirs[0]))
	}
	for _, dir := range dirs {
		f.root(filepath.Join(append([]string{dir}, texts...)...))
	}
}

func (f *finder) dynamicImport(dirs []string, function, arguments, name string) {
	texts := quotedTexts(arguments)
	if len(texts) == 0 || !strings.ContainsAny(arguments[:1], "\"'") {
		f.missing(name, function+"("+arguments)
		return
	}
	if path, found := find(texts[0], dirs, f.isProgram); found {
		f.add(path, "")
		return
	}
	f.imported(dirs, texts[0])
}

// imported adds a module, with its packages, from each folder that has it.
func (f *finder) imported(dirs []string, module string) {
	for _, dir := range append(dirs, f.roots...) {
		f.module(dir, module)
	}
}

// module adds the files of a module below a folder. The last part of its name may be a name within the module.
func (f *finder) module(dir, name string) (found bool) {
	for part := range strings.SplitSeq(name, ".") {
		dir = filepath.Join(dir, part)
		compiled, _ := filepath.Glob(dir + ".*.so")
		for _, path := range append(compiled, dir+".py", dir+".so", dir+".pyd", dir+".jl", filepath.Join(dir, "__init__.py")) {
			found = f.addIf(path) || found
		}
	}
	return found
}

// addIf adds a local file if it exists.
func (f *finder) addIf(path string) bool {
	if !f.isLocal(path) || !isRegular(path) {
		return false
	}
	f.add(path, "")
	return true
}

func (f *finder) julia(dirs []string, code, name string) {
	for _, m := range juliaNames.FindAllStringSubmatch(code, -1) {
		if m[1] != "" {
			f.called(m[1], m[2], dirs, name)
			continue
		}
		modules, _, _ := strings.Cut(m[3], ":")
		for _, module := range listed(modules) {
			f.imported(dirs, module)
		}
	}
}

// shell adds the files that the commands of a script source and run.
func (f *finder) shell(dirs []string, code, name string) {
	script, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(code), "")
	if err != nil {
		f.missing(name, "it cannot be read as a script of the shell")
		return
	}
	syntax.Walk(script, func(node syntax.Node) bool {
		call, is := node.(*syntax.CallExpr)
		if !is || len(call.Args) == 0 {
			return true
		}
		words := make([]string, len(call.Args))
		for i, word := range call.Args {
			words[i] = literal(word.Parts)
		}
		switch {
		case len(words) > 1 && words[0] == "cd":
			dirs = append(dirs, f.absolute(words[1]), filepath.Join(dirs[0], words[1]))
		case len(words) > 1 && (words[0] == "." || words[0] == "source"):
			if path, found := find(words[1], dirs, isRegular); !found {
				f.missing(name, words[0]+" "+words[1])
			} else if f.isLocal(path) {
				f.add(path, langShell)
			}
		default:
			f.command(words, dirs, name)
		}
		return true
	})
}

// literal returns the text of a word of the shell, with a NUL for each part that is known only when it runs.
func literal(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			b.WriteString(literal(p.Parts))
		default:
			b.WriteByte(0)
		}
	}
	return b.String()
}
