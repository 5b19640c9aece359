package provenance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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
func diffHash(ctx context.Context, tree workTree, status treeStatus) (string, error) {
	d := differ{ctx: ctx, sum: sha256.New(), left: maxContent}
	d.text(diffFormat)
	err := d.tree(tree, status)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(d.sum.Sum(nil)), nil
}

// differ hashes changes.
type differ struct {
	ctx  context.Context
	sum  hash.Hash
	left int64 // bytes of content that may still be read
}

func (d *differ) tree(tree workTree, status treeStatus) error {
	root, err := os.OpenRoot(string(tree))
	if err != nil {
		return err
	}
	defer root.Close()
	changes := slices.SortedFunc(slices.Values(status.changes), func(a, b change) int { return strings.Compare(a.path, b.path) })
	d.number(len(changes))
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
		return fmt.Errorf("%q is not a regular file", path)
	case info.Size() > d.left:
		return fmt.Errorf("they are larger than %d MiB", maxContent>>20)
	}
	f, err := root.OpenFile(path, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	d.left -= info.Size()
	content, err := io.ReadAll(io.LimitReader(contextReader{d.ctx, f}, info.Size()+1))
	switch {
	case err != nil:
		return err
	case int64(len(content)) != info.Size():
		return fmt.Errorf("%q changed while it was read", path)
	}
	masked, err := maskContent(d.ctx, content)
	d.text(masked)
	return err
}

// maskContent returns a content without its secrets: whoever knows the rest of a file could else try short secrets
// until the hash fits. A long content is masked in parts, so that ctx can end it.
func maskContent(ctx context.Context, content []byte) (string, error) {
	const part = 1 << 20
	var clean strings.Builder
	for len(content) > 0 {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n := partEnd(content, part)
		text, _ := masking.Mask(string(content[:n]))
		clean.WriteString(text)
		content = content[n:]
	}
	return clean.String(), nil
}

// partEnd returns where the first part of a content ends: at the end of a line if there is one behind most bytes.
func partEnd(content []byte, most int) int {
	if len(content) <= most {
		return len(content)
	}
	if i := bytes.IndexByte(content[most:], '\n'); i >= 0 {
		return most + i + 1
	}
	return len(content)
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
	status, err := tree.status(d.ctx)
	if err != nil {
		return fmt.Errorf("submodule %q: %w", c.path, err)
	}
	d.text(status.commit)
	return d.tree(tree, status)
}

// A hash returns no error.
func (d *differ) text(s string) {
	d.number(len(s))
	_, _ = io.WriteString(d.sum, s)
}

func (d *differ) number(n int) {
	_, _ = d.sum.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
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
