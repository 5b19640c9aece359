package provenance

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"track/internal/masking"
)

// diffFormat is hashed first; another way of hashing gets another one, so that hashes of different ways never agree.
const diffFormat = "track diff 1"

// diffHash identifies the changes of a work tree; the package comment has the format. It fails rather than return the
// hash of a part.
func diffHash(ctx context.Context, tree workTree, status treeStatus, limits limits) (string, error) {
	d := differ{ctx: ctx, limits: limits, left: limits.content, hash: sha256.New()}
	d.text(diffFormat)
	err := d.tree(tree, status)
	switch {
	case err == nil:
		return hex.EncodeToString(d.hash.Sum(nil)), nil
	case context.Cause(ctx) == errBudget:
		return "", fmt.Errorf("reading them takes longer than %v", limits.time)
	case ctx.Err() != nil:
		return "", fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	return "", err
}

// differ feeds changes to a hash.
type differ struct {
	ctx    context.Context
	limits limits
	left   int64 // bytes of content that may still be read
	hash   hash.Hash
}

func (d *differ) tree(tree workTree, status treeStatus) error {
	if status.cut {
		return errors.New("there are too many of them")
	}
	root, err := os.OpenRoot(string(tree))
	if err != nil {
		return err
	}
	defer root.Close()
	changes := slices.SortedFunc(slices.Values(status.changes), func(a, b change) int { return strings.Compare(a.path, b.path) })
	d.number(uint64(len(changes)))
	for _, c := range changes {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		d.text(c.path)
		d.text(c.mode)
		switch c.mode {
		case modeAbsent:
			d.text("")
		case modeSubmodule:
			err = d.submodule(string(tree), c)
		default:
			err = d.content(root, filepath.FromSlash(c.path))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// content adds the bytes of a file or the target of a link. Links are never followed, and no path leads out of the work
// tree.
func (d *differ) content(root *os.Root, path string) error {
	info, err := root.Lstat(path)
	if err != nil {
		return err
	}
	switch {
	case info.Mode().Type() == fs.ModeSymlink:
		target, err := root.Readlink(path)
		d.text(target)
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%q is %w", path, errNotAFile)
	case info.Size() > d.left:
		return fmt.Errorf("they are larger than %d MiB", d.limits.content>>20)
	}
	f, err := root.OpenFile(path, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	size := info.Size()
	d.left -= size
	content, err := io.ReadAll(io.LimitReader(contextReader{d.ctx, f}, size+1))
	switch {
	case err != nil:
		return err
	case int64(len(content)) != size:
		return fmt.Errorf("%q changed while it was read", path)
	}
	d.masked(content)
	return nil
}

// masked adds a content without its secrets: whoever knows the rest of a file could else try short secrets until the
// hash fits. A file that is longer than any source is taken as it is, since masking it takes too long.
func (d *differ) masked(content []byte) {
	const most = 4 << 20
	if len(content) <= most {
		text, _ := masking.Mask(string(content))
		d.text(text)
		return
	}
	d.number(uint64(len(content)))
	d.hash.Write(content)
}

// submodule adds the commit a submodule is at, which `git status` knows but does not say, and its own changes.
func (d *differ) submodule(root string, c change) error {
	path := filepath.FromSlash(c.path)
	if !filepath.IsLocal(path) {
		return fmt.Errorf("%q leads out of the work tree", c.path)
	}
	tree := workTree(filepath.Join(root, path))
	if found, err := hasRepository(string(tree)); err != nil || !found {
		return fmt.Errorf("submodule %q has no repository", c.path)
	}
	if !c.modified {
		commit, err := tree.head(d.ctx)
		if err != nil {
			return fmt.Errorf("submodule %q: %w", c.path, err)
		}
		d.text(commit)
		d.number(0)
		return nil
	}
	status, err := tree.status(d.ctx, d.limits.output)
	if err != nil {
		return fmt.Errorf("submodule %q: %w", c.path, err)
	}
	d.text(status.commit)
	return d.tree(tree, status)
}

func (d *differ) text(s string) {
	d.number(uint64(len(s)))
	io.WriteString(d.hash, s) // a hash returns no error
}

func (d *differ) number(n uint64) {
	d.hash.Write(binary.BigEndian.AppendUint64(nil, n))
}

// contextReader ends when its context does.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
