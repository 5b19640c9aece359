package provenance

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The languages whose files are searched for other local files.
const (
	langPython = "python"
	langR      = "R"
	langJulia  = "julia"
	langShell  = "sh"
)

// finder finds the local files that commands name, and those that these import, source or run.
type finder struct {
	here       string          // the working directory
	homes      []string        // folders whose files are local
	roots      []string        // folders in which modules are searched for
	paths      map[string]bool // absolute paths of the files found
	unresolved []string        // what names a file that was not found, as FILE: TEXT
}

func newFinder() (*finder, error) {
	here, err := os.Getwd()
	f := &finder{here: here, paths: map[string]bool{}}
	f.root(here)
	f.root(filepath.Join(here, "src"))
	return f, err
}

// modulePath adds the folders that a variable names as places of modules.
func (f *finder) modulePath(variable string) {
	name, value, _ := strings.Cut(variable, "=")
	if name == "PYTHONPATH" || name == "JULIA_LOAD_PATH" {
		for _, dir := range filepath.SplitList(value) {
			f.root(f.absolute(dir))
		}
	}
}

func (f *finder) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(f.here, path)
}

// root adds a folder in which modules are searched for, unless it holds installed libraries.
func (f *finder) root(dir string) {
	if info, err := os.Stat(dir); err == nil && info.IsDir() && !f.isOfSystem(dir) && !slices.Contains(f.roots, dir) {
		f.roots, f.homes = append(f.roots, dir), append(f.homes, dir)
	}
}

// isOfSystem reports whether a path belongs to the system or to an installed library, and not to who runs the command.
func (f *finder) isOfSystem(path string) bool {
	slashed := filepath.ToSlash(path) + "/"
	if strings.Contains(slashed, "/site-packages/") || strings.Contains(slashed, "/dist-packages/") {
		return true
	}
	if isBelow(path, f.here) || strings.HasPrefix(slashed, "/usr/local/") {
		return false
	}
	return slices.ContainsFunc([]string{"/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/nix/store/", "/snap/", "/proc/", "/sys/"},
		func(dir string) bool { return strings.HasPrefix(slashed, dir) })
}

func isBelow(path, dir string) bool {
	relative, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(relative)
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// command adds the files that words of a command name, alone or after a '='. In the command of a script, where a word
// may also name a result, only programs and sources are added. ofScript is the name of the script; empty for none.
func (f *finder) command(words, dirs []string, ofScript string) {
	lang := ""
	for i, word := range words {
		previous := words[max(i-1, 0)]
		_, value, _ := strings.Cut(word, "=")
		f.modulePath(word)
		switch {
		case interpreter(word) != "":
			lang = interpreter(word)
			if path, found := find(word, dirs, isRegular); found && isBelow(path, f.here) { // as in .venv/bin/python
				f.paths[path] = true
			}
		case isCodeFlag(lang, previous):
			f.scan(lang, "", word, ofScript)
		case lang == langPython && previous == "-m":
			f.imported([]string{f.here}, word)
			f.imported([]string{f.here}, word+".__main__")
		case f.named(word, dirs, lang, ofScript != "") || f.named(value, dirs, lang, ofScript != ""):
			lang = "" // what follows are arguments of the script
		case ofScript != "" && lang != "" && isSource(word):
			f.missing(ofScript, word)
		}
	}
}

// named adds the file that a word of a command names, and reports whether it names one.
func (f *finder) named(name string, dirs []string, lang string, strict bool) bool {
	accept := isRegular
	if strict {
		accept = f.isProgram
	}
	path, found := find(name, dirs, accept)
	if !found && lang == langPython && name != "" {
		path, found = find(filepath.Join(name, "__main__.py"), dirs, isRegular)
	}
	if !found || f.isOfSystem(path) {
		return false
	}
	if langOf(path, nil, lang) != "" {
		f.root(filepath.Dir(path))
	}
	f.add(path, lang)
	return true
}

// isProgram reports whether a path is a local source or executable.
func (f *finder) isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && f.isLocal(path) && (isSource(path) || info.Mode()&0o111 != 0)
}

func (f *finder) isLocal(path string) bool {
	return !f.isOfSystem(path) && slices.ContainsFunc(f.homes, func(home string) bool { return isBelow(path, home) })
}

// find returns the first file of a name in some folders. The name may begin with a part that is unknown, as in
// $DIR/lib.sh.
func find(name string, dirs []string, accept func(path string) bool) (path string, found bool) {
	if i := strings.LastIndexByte(name, 0); i >= 0 {
		var rooted bool
		if name, rooted = strings.CutPrefix(name[i+1:], "/"); !rooted {
			return "", false
		}
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name), accept(name)
	}
	for _, dir := range dirs {
		if path = filepath.Join(dir, name); name != "" && accept(path) {
			return path, true
		}
	}
	return "", false
}

// add adds a file, and the local files that it names.
func (f *finder) add(path, lang string) {
	if f.paths[path] || len(f.paths) > mostFiles {
		return
	}
	f.paths[path] = true
	info, err := os.Stat(path)
	if err != nil || info.Size() > maskedFile {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.IndexByte(text, 0) >= 0 { // a file that cannot be read is an error when it is hashed
		return
	}
	if lang = langOf(path, text, lang); lang != "" {
		f.scan(lang, path, string(text), nameOf(path))
	}
}

// langOf returns the language of a file by its name or first line; given if neither tells it.
func langOf(path string, text []byte, given string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".py", ".pyw":
		return langPython
	case ".r":
		return langR
	case ".jl":
		return langJulia
	case ".sh", ".bash", ".zsh", ".ksh":
		return langShell
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if program, found := bytes.CutPrefix(line, []byte("#!")); found {
		for word := range strings.FieldsSeq(string(program)) {
			if lang := interpreter(word); lang != "" {
				return lang
			}
		}
	}
	return given
}

// isSource reports whether the name of a file is that of code.
func isSource(name string) bool {
	return slices.Contains([]string{".py", ".r", ".jl", ".sh", ".bash", ".zsh", ".ksh", ".c", ".cc", ".cpp", ".h", ".hpp", ".f", ".f90", ".stan", ".so",
		".js", ".m", ".jar", ".pl", ".rb", ".lua", ".nlogo"}, strings.ToLower(filepath.Ext(name)))
}

// interpreter returns the language of the program that a word of a command names; empty if it is none of them.
func interpreter(word string) string {
	switch strings.TrimRight(strings.TrimSuffix(filepath.Base(word), ".exe"), "0123456789.") {
	case "python", "pypy", "py":
		return langPython
	case "R", "Rscript":
		return langR
	case "julia":
		return langJulia
	case "sh", "bash", "dash", "zsh", "ksh", "ash":
		return langShell
	}
	return ""
}

// isCodeFlag reports whether code follows a flag of an interpreter, as in sh -ec CODE.
func isCodeFlag(lang, flag string) bool {
	if lang == langR || lang == langJulia {
		return flag == "-e" || flag == "-E" || flag == "--eval"
	}
	return lang != "" && codeFlag.MatchString(flag)
}

var codeFlag = regexp.MustCompile(`^-[A-Za-z]*c$`)
