package provenance

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxSymbolicDepth is how many refs may name one another before git calls it a loop.
const maxSymbolicDepth = 5

// reftableHead is what HEAD names in a repository that keeps its refs in a reftable, so that programs which know only files
// do not take it for an empty repository.
const reftableHead = "refs/heads/.invalid"

var (
	errUnborn   = errors.New("no commit yet")
	errNeedsGit = errors.New("only git can read these refs")
)

// head returns the id of the commit that HEAD names. The error is errUnborn, errNeedsGit, or tells what is damaged.
func (r repository) head() (string, error) {
	name := "HEAD"
	for range maxSymbolicDepth + 1 {
		id, target, err := r.ref(name)
		switch {
		case err != nil || id != "":
			return id, err
		case target == reftableHead:
			return "", errNeedsGit
		case !validRefName(target):
			return "", fmt.Errorf("%w: %s names no valid ref", errDamaged, name)
		}
		name = target
	}
	return "", fmt.Errorf("%w: the refs that HEAD names form a loop", errDamaged)
}

// ref reads one ref, loose or packed: an object id, or the name of the ref it stands for.
func (r repository) ref(name string) (id, target string, err error) {
	path := filepath.Join(r.folderOf(name), filepath.FromSlash(name))
	if link, err := os.Readlink(path); err == nil && strings.HasPrefix(link, "refs/") {
		return "", link, nil // how git wrote symbolic refs before 2005, and still reads them
	}
	content, err := readRegular(path, maxPointerFile)
	if err == nil {
		id, target, ok := parseRef(content)
		if !ok {
			return "", "", fmt.Errorf("%w: %s holds neither an object id nor `ref: NAME`", errDamaged, name)
		}
		return id, target, nil
	}
	// A packed ref may leave folders behind where its file was.
	absent := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, errFolder)
	if !absent || name == "HEAD" {
		return "", "", fmt.Errorf("%w: %w", errDamaged, err)
	}
	id, err = r.packedRef(name)
	return id, "", err
}

// folderOf returns the folder that holds a ref: a linked work tree has HEAD and a few more to itself.
func (r repository) folderOf(name string) string {
	for _, own := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		if strings.HasPrefix(name, own) {
			return r.own
		}
	}
	if name == "HEAD" {
		return r.own
	}
	return r.common
}

// parseRef reads the content of HEAD or of a loose ref. The target of a symbolic ref is as written, valid or not.
func parseRef(content []byte) (id, target string, ok bool) {
	if rest, symbolic := bytes.CutPrefix(content, []byte("ref:")); symbolic {
		target = string(bytes.Trim(rest, asciiSpace))
		return "", target, target != ""
	}
	if end := bytes.IndexAny(content, asciiSpace); end >= 0 {
		content = content[:end]
	}
	id, ok = objectID(content)
	return id, "", ok
}

const asciiSpace = " \t\n\v\f\r"

// objectID returns the lowercase form of a full SHA-1 or SHA-256 id. All zeros is how git writes "none".
func objectID(text []byte) (string, bool) {
	if len(text) != 40 && len(text) != 64 {
		return "", false
	}
	zeros := true
	for _, c := range text {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
			zeros = zeros && c == '0'
		default:
			return "", false
		}
	}
	return strings.ToLower(string(text)), !zeros
}

// validRefName follows git-check-ref-format, so that a name can never lead out of the folder of refs.
func validRefName(name string) bool {
	if !strings.HasPrefix(name, "refs/") || strings.Contains(name, "..") || strings.Contains(name, "@{") ||
		strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.HasSuffix(name, ".") {
		return false
	}
	for i := range len(name) {
		if name[i] < ' ' {
			return false
		}
	}
	for element := range strings.SplitSeq(name, "/") {
		if element == "" || element[0] == '.' || strings.HasSuffix(element, ".lock") {
			return false
		}
	}
	return true
}
