package provenance

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"track"
	"track/internal/masking"
)

// Files are regular files that runs depend on, as they were when they were found.
type Files struct {
	files      []file
	unresolved []string
}

// file is a file with what its content was.
type file struct {
	name     string // relative to the working directory, or the last element of a path elsewhere
	path     string
	size     int64
	modified time.Time
	sum      [sha256.Size]byte
}

const (
	mostFiles  = 100_000
	maskedFile = 4 << 20 // bytes: no source is longer
)

// FindFiles returns the files that runs of a command depend on: the regular files that words of the command name, alone
// or after a '=', the local sources that these name, and those that match patterns. lines are the command as it is run
// with each set of parameters. A pattern that matches a folder means all files below it; one that matches nothing is an
// error. env has the variables of the command, as NAME=VALUE.
func FindFiles(ctx context.Context, lines [][]string, env, patterns []string) (Files, error) {
	here, err := os.Getwd()
	if err != nil {
		return Files{}, err
	}
	f := &finder{here: here, paths: map[string]bool{}}
	f.root(here)
	f.root(filepath.Join(here, "src"))
	for _, entry := range slices.Concat(os.Environ(), env) {
		f.modulePath(entry)
	}
	for _, words := range lines {
		if program, err := exec.LookPath(words[0]); err == nil && isBelow(f.absolute(program), f.here) {
			f.add(f.absolute(program))
		}
		f.command(words)
	}
	for _, pattern := range patterns {
		if err := f.matching(ctx, pattern); err != nil {
			return Files{}, err
		}
	}
	found := Files{unresolved: slices.Compact(slices.Sorted(slices.Values(f.unresolved)))}
	for path := range f.paths {
		read, err := readFile(path)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return Files{}, err
		}
		found.files = append(found.files, read)
	}
	slices.SortFunc(found.files, func(a, b file) int { return cmp.Or(strings.Compare(a.name, b.name), bytes.Compare(a.sum[:], b.sum[:])) })
	return found, nil
}

// Hash identifies the files by their names and contents: the SHA-256, in hexadecimal, of the name and the sum of each.
// Files that git tracks are left out if the revision of the origin, which was found after them, tells their state. It
// is empty if there are no others.
func (f *Files) Hash(ctx context.Context, origin Origin, patience Patience) (string, error) {
	if len(f.files) == 0 {
		return "", nil
	}
	committed, err := committedFiles(ctx, origin.tree, f.files, patience)
	if err != nil {
		return "", err
	}
	if name := f.Changed(ctx); name != "" {
		return "", fmt.Errorf("%w: %s changed while the revision was found; run the command again", track.ErrConflict, name)
	}
	sum, n := sha256.New(), 0
	for _, known := range f.files {
		if !committed[known.path] {
			_, _ = fmt.Fprintf(sum, "%q %x\n", known.name, known.sum) // never fails
			n++
		}
	}
	if n == 0 {
		return "", nil
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Names returns the names of the files.
func (f *Files) Names() (names []string) {
	for _, known := range f.files {
		names = append(names, known.name)
	}
	return names
}

// Unresolved returns what names a file that could not be found, as FILE: TEXT.
func (f *Files) Unresolved() []string { return f.unresolved }

// Changed returns the name of a file whose content is no longer what it was, or that is gone; empty if there is none.
// It reads a file only if its size or time has changed.
func (f *Files) Changed(ctx context.Context) string {
	for i := range f.files {
		known := &f.files[i]
		info, err := os.Stat(known.path)
		if err == nil && info.Size() == known.size && info.ModTime().Equal(known.modified) {
			continue
		}
		now, err := readFile(known.path)
		if err != nil || ctx.Err() != nil || now.sum != known.sum {
			return known.name
		}
		*known = now
	}
	return ""
}

// committedFiles returns which of the files git tracks in a work tree; none if there is none. Files that git was told to
// overlook are not among them, since git status says nothing of them.
func committedFiles(ctx context.Context, tree workTree, files []file, patience Patience) (map[string]bool, error) {
	if tree == "" {
		return nil, nil
	}
	ctx, done := patience.begin(ctx)
	defer done()
	const most = 64 << 20
	tracked, cut, err := tree.git(ctx, most, "ls-files", "-z", "-v")
	if cut {
		err = fmt.Errorf("their names take more than %d MiB", most>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("list the files of the commit: %w", err)
	}
	known := map[string]bool{}
	for entry := range strings.SplitSeq(string(tracked), "\x00") {
		if tag, name, _ := strings.Cut(entry, " "); tag == "H" || tag == "M" { // others are overlooked
			known[name] = true
		}
	}
	committed := map[string]bool{}
	for _, f := range files {
		physical, err := filepath.EvalSymlinks(f.path)
		if err != nil {
			return nil, err
		}
		if name, err := filepath.Rel(string(tree), physical); err == nil && known[filepath.ToSlash(name)] {
			committed[f.path] = true
		}
	}
	return committed, nil
}

// readFile reads a file. A text that may be a source is masked before it is hashed: whoever knows the rest of it could
// else try short secrets until the hash fits.
func readFile(path string) (f file, err error) {
	f = file{name: nameOf(path), path: path}
	opened, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: %s: runs depend on it, and it cannot be read: %w", track.ErrInvalid, path, err)
		return f, track.WithHint(err, track.Hint{Text: "make it readable, or start it from a script that is"})
	}
	if err != nil {
		return f, err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return f, err
	}
	f.size, f.modified = info.Size(), info.ModTime()
	if f.size > maskedFile {
		h := sha256.New()
		_, err = io.Copy(h, opened)
		f.sum = [sha256.Size]byte(h.Sum(nil))
		return f, err
	}
	content, err := io.ReadAll(opened)
	if bytes.IndexByte(content, 0) < 0 {
		text, _ := masking.Mask(string(content))
		content = []byte(text)
	}
	f.sum = sha256.Sum256(content)
	return f, err
}

// nameOf returns the path of a file below the working directory, which is the same on every machine that runs the
// command, or the name of one elsewhere.
func nameOf(path string) string {
	if here, err := os.Getwd(); err == nil && isBelow(path, here) {
		if relative, err := filepath.Rel(here, path); err == nil {
			return filepath.ToSlash(relative)
		}
	}
	return filepath.Base(path)
}

// finder finds the local files that commands name, and the local sources that these name.
type finder struct {
	here       string          // the working directory
	roots      []string        // folders whose files are local, in which modules are searched for
	paths      map[string]bool // absolute paths of the files found
	unresolved []string        // what names a file that was not found, as FILE: TEXT
}

// matching adds the regular files that a pattern names.
func (f *finder) matching(ctx context.Context, pattern string) error {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("%w: %q is no pattern: %w", track.ErrInvalid, pattern, err)
	}
	if len(found) == 0 {
		return fmt.Errorf("%w: no file matches %q", track.ErrNotFound, pattern)
	}
	for _, path := range found {
		err := filepath.WalkDir(path, func(path string, _ fs.DirEntry, err error) error {
			if isRegular(path) {
				f.paths[f.absolute(path)] = true
			}
			if len(f.paths) > mostFiles {
				return fmt.Errorf("%w: more than %d files", track.ErrInvalid, mostFiles)
			}
			return cmp.Or(err, ctx.Err())
		})
		if err != nil {
			return fmt.Errorf("%s: %w", pattern, err)
		}
	}
	return nil
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

// root adds a folder whose files are local, unless it holds installed libraries.
func (f *finder) root(dir string) {
	if info, err := os.Stat(dir); err == nil && info.IsDir() && !f.isOfSystem(dir) && !slices.Contains(f.roots, dir) {
		f.roots = append(f.roots, dir)
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

// command adds the files that words of a command name, alone or after a '='. A word with a space or a parenthesis that
// names none is code, as after sh -c.
func (f *finder) command(words []string) {
	for i, word := range words {
		_, value, _ := strings.Cut(word, "=")
		f.modulePath(word)
		switch {
		case i > 0 && words[i-1] == "-m":
			f.imported([]string{f.here}, word)
			f.imported([]string{f.here}, word+".__main__")
		case f.named(word) || f.named(value):
		case strings.ContainsAny(word, " \n("):
			f.scan("", word)
			for part := range strings.FieldsSeq(commented.ReplaceAllString(word, "")) {
				f.named(strings.Trim(part, `"';`))
			}
		}
	}
}

// named adds the file that a word of a command names, or the program of a folder, and reports whether there is one.
func (f *finder) named(name string) bool {
	if name == "" {
		return false
	}
	path := f.absolute(name)
	if main := filepath.Join(path, "__main__.py"); isRegular(main) {
		path = main
	}
	if !isRegular(path) || f.isOfSystem(path) {
		return false
	}
	if isSource(path) {
		f.root(filepath.Dir(path))
	}
	f.add(path)
	return true
}

// add adds a file, and the local files that it names if it is a source.
func (f *finder) add(path string) {
	if f.paths[path] || len(f.paths) > mostFiles {
		return
	}
	f.paths[path] = true
	info, err := os.Stat(path)
	if err != nil || info.Size() > maskedFile {
		return
	}
	text, err := os.ReadFile(path)
	if err == nil && bytes.IndexByte(text, 0) < 0 && (isSource(path) || bytes.HasPrefix(text, []byte("#!"))) { // one that cannot be read is an error later
		f.scan(path, string(text))
	}
}

// addLocal adds a local source or program, and reports whether it is one.
func (f *finder) addLocal(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || !isSource(path) && info.Mode()&0o111 == 0 || f.isOfSystem(path) ||
		!slices.ContainsFunc(f.roots, func(root string) bool { return isBelow(path, root) }) {
		return false
	}
	f.add(path)
	return true
}

// isSource reports whether the name of a file is that of code.
func isSource(name string) bool {
	return slices.Contains([]string{".py", ".pyw", ".pyd", ".r", ".jl", ".sh", ".bash", ".zsh", ".ksh", ".c", ".cc", ".cpp", ".h", ".hpp", ".f", ".f90", ".stan", ".so",
		".js", ".m", ".jar", ".pl", ".rb", ".lua", ".nlogo"}, strings.ToLower(filepath.Ext(name)))
}

// What names another file, in any language: a path, a module, a folder of modules or of the next commands, and a call
// with what only the run knows.
var (
	commented   = regexp.MustCompile(`(?m)^[ \t]*#.*$|[ \t]#[^"'\n]*$|>+[ \t]*[^ \t\n)]+`) // and results
	namedPath   = regexp.MustCompile(`[\w@+~-]*[./][\w@+./~-]*`)
	namedModule = regexp.MustCompile(`(?m)(?:^|[;:"'])[ \t]*(?:from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^;\n]+)|(?:import|using)[ \t]+([^;:\n(]+))` +
		`|\b(?:import_module|__import__|run_module)[ \t]*\([ \t]*["']([\w.]+)`)
	namedFolder  = regexp.MustCompile(`\bsys\.path\.\w+[ \t]*\(([^\n]*)|(?m:^|[;&|(])[ \t]*cd[ \t]+([^\s;&|)]+)`)
	unknownPath  = regexp.MustCompile(`(?m)(?:^|[^\w.])((?:sys\.)?source|includet?|import_module|__import__|run_path|run_module)[ \t]*\([^"'\n]*?\)+|(?:^|[;&|])[ \t]*(?:\.|source)[ \t]+[^;\n]*\$[^;\n]*`)
	quoted       = regexp.MustCompile(`"([^"\n]*)"|'([^'\n]*)'`)
	unknownParts = regexp.MustCompile(`\$\{[^}]*\}|\$\([^)]*\)|\$\w+`)
	joinedPath   = regexp.MustCompile(`["'][ \t]*,[ \t]*["']`)
)

// scan adds the local files that code names. path is the file of the code; empty for a word of a command.
func (f *finder) scan(path, code string) {
	dirs, name := []string{f.here}, "the command"
	if path != "" {
		dirs, name = []string{filepath.Dir(path), f.here}, nameOf(path)
	}
	code = strings.ReplaceAll(commented.ReplaceAllString(code, ""), "\\\n", " ")
	for _, m := range namedFolder.FindAllStringSubmatch(code, -1) {
		if m[2] != "" { // cd
			dirs = append(dirs, filepath.Join(dirs[0], m[2]), f.absolute(m[2]))
			continue
		}
		elements := []string{dirs[0]}
		for _, text := range quoted.FindAllStringSubmatch(m[1], -1) {
			elements = append(elements, text[1]+text[2])
		}
		f.root(filepath.Join(elements...))
		if len(elements) == 1 {
			f.root(filepath.Dir(dirs[0]))
		}
	}
	for _, m := range namedModule.FindAllStringSubmatch(code, -1) {
		f.modules(dirs, name, m)
	}
	for _, text := range namedPath.FindAllString(code+"\n"+joinedPath.ReplaceAllString(code, "/"), -1) {
		f.path(dirs, text)
	}
	for _, text := range unknownPath.FindAllString(code, -1) {
		known := slices.ContainsFunc(namedPath.FindAllString(text, -1), func(path string) bool { return strings.Trim(path, "./") != "" && f.path(dirs, path) })
		if !known {
			text = unknownParts.ReplaceAllString(strings.NewReplacer(`"`, "", "'", "").Replace(text), "…")
			f.unresolved = append(f.unresolved, name+": "+strings.TrimLeft(text, " \t\n;&|"))
		}
	}
}

// path adds the local source or program that a text names. It may begin with what only the run knows, as $DIR/lib.sh.
func (f *finder) path(dirs []string, text string) bool {
	if filepath.IsAbs(text) && f.addLocal(filepath.Clean(text)) {
		return true
	}
	return slices.ContainsFunc(append(dirs, f.roots...), func(dir string) bool { return f.addLocal(filepath.Join(dir, text)) })
}

// modules adds the files of the modules that a statement imports.
func (f *finder) modules(dirs []string, name string, m []string) {
	dots, module, names, modules := m[1], m[2], listed(m[3]), append(listed(m[4]), listed(m[5])...)
	if dots == "" {
		for _, n := range names {
			modules = append(modules, module+"."+n)
		}
		for _, n := range modules {
			f.imported(dirs, n)
		}
		return
	}
	dir := dirs[0]
	for range len(dots) - 1 {
		dir = filepath.Dir(dir)
	}
	found := f.addLocal(filepath.Join(dir, "__init__.py")) && module == ""
	for _, n := range names {
		found = f.module(dir, strings.Trim(module+"."+n, ".")) || found
	}
	if !found {
		f.unresolved = append(f.unresolved, name+": from "+dots+module+" import "+strings.Join(names, ", "))
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
			found = f.addLocal(path) || found
		}
	}
	return found
}
