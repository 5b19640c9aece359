package pages

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"track/reports/chart"
)

//go:embed assets templates
var files embed.FS

// templates parses the templates once. Every file of the folder is one, or defines some.
var templates = sync.OnceValues(func() (*template.Template, error) {
	return template.New("").Funcs(timeFunctions()).ParseFS(files, "templates/*.html")
})

// The files that pages load. Scripts and styles are written in several files and served as one.
const (
	styleName  = "track.css"
	scriptName = "track.js"
	iconName   = "icon.svg"
)

// Files of uPlot, as its package on npm has them. Only pages with line charts load them.
const (
	plotName        = "uplot.js"
	plotStyleName   = "uplot.css"
	plotLicenceName = "uplot-licence.txt"
)

// asset is a file that pages load.
type asset struct {
	content []byte
	media   string
	address string // below /assets/; it changes with the content
}

// assets returns the files that pages load, by name.
var assets = sync.OnceValues(func() (map[string]asset, error) {
	style, err := joined("assets/style", ".css")
	if err != nil {
		return nil, err
	}
	script, err := joined("assets/script", ".js")
	if err != nil {
		return nil, err
	}
	if script, err = compact(script); err != nil {
		return nil, err
	}
	icon, err := fs.ReadFile(files, "assets/"+iconName)
	if err != nil {
		return nil, err
	}
	all := map[string]asset{
		styleName:  newAsset(styleName, "text/css; charset=utf-8", append(style, chart.StyleSheet()...)),
		scriptName: newAsset(scriptName, "text/javascript; charset=utf-8", script),
		iconName:   newAsset(iconName, "image/svg+xml", icon),
	}
	for _, f := range []struct{ name, file, media string }{
		{plotName, "uPlot.iife.min.js", "text/javascript; charset=utf-8"}, {plotStyleName, "uPlot.min.css", "text/css; charset=utf-8"}, {plotLicenceName, "LICENSE", "text/plain; charset=utf-8"},
	} {
		content, err := fs.ReadFile(files, "assets/vendor/uplot/"+f.file)
		if err != nil {
			return nil, err
		}
		all[f.name] = newAsset(f.name, f.media, content)
	}
	return all, nil
})

func newAsset(name, media string, content []byte) asset {
	sum := sha256.Sum256(content)
	return asset{content, media, name + "?v=" + base64.RawURLEncoding.EncodeToString(sum[:6])}
}

// joined returns the files of a folder as one: base first, then the others by name.
func joined(folder, extension string) ([]byte, error) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		return boolNumber(a.Name() != "base"+extension) - boolNumber(b.Name() != "base"+extension)
	})
	var all bytes.Buffer
	for _, entry := range entries {
		if path.Ext(entry.Name()) != extension {
			return nil, fmt.Errorf("%s/%s is not a %s file", folder, entry.Name(), extension)
		}
		content, err := fs.ReadFile(files, path.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		all.Write(content)
	}
	return all.Bytes(), nil
}

// compact returns a script as short as esbuild makes it.
func compact(script []byte) ([]byte, error) {
	made := api.Transform(string(script), api.TransformOptions{
		Loader: api.LoaderJS, Format: api.FormatESModule, Target: api.ESNext, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
	})
	if len(made.Errors) > 0 {
		return nil, fmt.Errorf("scripts of pages: %s", made.Errors[0].Text)
	}
	return made.Code, nil
}

// Asset returns a file that pages load, with its media type; [fs.ErrNotExist] if there is none of this name.
func Asset(name string) (content []byte, media string, err error) {
	all, err := assets()
	if err != nil {
		return nil, "", err
	}
	one, found := all[name]
	if !found {
		return nil, "", fs.ErrNotExist
	}
	return one.content, one.media, nil
}

// assetAddresses are where pages find their files. They change with the content, so a browser may keep what it has.
type assetAddresses struct{ Style, Script, Icon, Plot, PlotStyle string }

func assetAddress(base string) assetAddresses {
	all, _ := assets() // Asset returns the error
	address := func(name string) string { return base + "/assets/" + all[name].address }
	return assetAddresses{address(styleName), address(scriptName), address(iconName), address(plotName), address(plotStyleName)}
}
