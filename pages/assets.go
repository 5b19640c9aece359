package pages

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io/fs"
	"path"
	"sync"

	"track/reports/chart"
)

//go:embed assets templates
var files embed.FS

// templates parses the templates once.
var templates = sync.OnceValues(func() (*template.Template, error) { return template.ParseFS(files, "templates/*.html") })

// Asset returns a file that pages load, with its media type; [fs.ErrNotExist] if there is none of this name.
func Asset(name string) (content []byte, media string, err error) {
	if content, err = fs.ReadFile(files, path.Join("assets", path.Base(name))); err != nil {
		return nil, "", err
	}
	switch path.Ext(name) {
	case ".css":
		media = "text/css; charset=utf-8"
		content = append(bytes.Clone(content), chart.StyleSheet()...)
	case ".js":
		media = "text/javascript; charset=utf-8"
	case ".svg":
		media = "image/svg+xml"
	}
	return content, media, nil
}

// assetAddresses are where pages find their files. They change with the content, so a browser may keep what it has.
type assetAddresses struct{ Style, Script, Icon string }

func assetAddress(base string) assetAddresses {
	return assetAddresses{base + "/assets/" + version("track.css"), base + "/assets/" + version("track.js"), base + "/assets/" + version("icon.svg")}
}

func version(name string) string {
	content, _, err := Asset(name)
	if err != nil {
		return name
	}
	sum := sha256.Sum256(content)
	return name + "?v=" + base64.RawURLEncoding.EncodeToString(sum[:6])
}
