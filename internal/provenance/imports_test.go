package provenance

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each case has a command, the files that it needs with their contents, and files that must not be watched, with "-".
func TestImports(t *testing.T) {
	for name, test := range map[string]struct {
		command    []string
		files      map[string]string
		unresolved []string
	}{
		"python": {
			[]string{"python3", "-u", "model.py", "{seed}", "--config", "c.yaml"},
			map[string]string{
				"model.py": "import os, numpy as np, helper\nfrom pkg import (a as x,  # first\n    b)\nif x: import late; import \\\n  wrapped\n" +
					"subprocess.run(['./sim', 'tool.py'])\n# import commented\nopen('out.csv', 'w')\n",
				"helper.py": "from src_only.deep import *\n", "pkg/__init__.py": "", "pkg/a.py": "from . import sibling\nfrom ..other import y\n", "pkg/b.py": "",
				"pkg/sibling.py": "from .. import up\n", "up.py": "", "other.py": "", "late.py": "", "wrapped.py": "", "src/src_only/deep/__init__.py": "", "tool.py": "", "sim": "#!/bin/sh\n",
				"c.yaml": "", "out.csv": "-", "commented.py": "-", "pkg/unused.py": "-",
			}, nil,
		},
		"python module": {
			[]string{"env", "X=1", "python3.12", "-m", "pkg.run", "{seed}"},
			map[string]string{"pkg/__init__.py": "", "pkg/run/__init__.py": "", "pkg/run/__main__.py": "from pkg.core import f\n", "pkg/core.cpython-312.so": "", "run.py": "-"}, nil,
		},
		"python paths": {
			[]string{"env", "PYTHONPATH=first", "python3", "scripts/m.py"},
			map[string]string{
				"scripts/m.py": "sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))\nsys.path.append('site-packages')\nimport inlib, one\n" +
					"importlib.import_module('dyn')\n__import__(name)\nfrom .gone import x\n",
				"lib/inlib.py": "", "first/one.py": "", "scripts/dyn.py": "", "site-packages/one.py": "-",
			}, []string{"scripts/m.py: __import__(name)", "scripts/m.py: from .gone import x"},
		},
		"python folder": {[]string{"python3", "app"}, map[string]string{"app/__main__.py": "import own\n", "app/own.py": "", "app/rest.py": "-"}, nil},
		"python code":   {[]string{"python3", "-c", "import m; m.run({seed})"}, map[string]string{"m.py": "", "run.py": "-"}, nil},
		"R": {
			[]string{"Rscript", "m.R", "{seed}"},
			map[string]string{
				"m.R": "source(\"R/one.R\"); source(file.path('R', 'two.R'), local = TRUE)\nmy.source(x)\n# source('three.R')\nfor (f in list.files('R')) source(f)\n" +
					"source('https://example.org/x.R')\nsystem('bash run.sh 1')\n",
				"R/one.R": "sys.source('R/deep.R')\n", "R/two.R": "", "R/deep.R": "", "run.sh": "", "R/three.R": "-",
			}, []string{"m.R: source(f)"},
		},
		"R code": {[]string{"Rscript", "-e", "source('a.R'); run({seed})"}, map[string]string{"a.R": ""}, nil},
		"julia": {
			[]string{"julia", "--project=.", "m.jl"},
			map[string]string{
				"m.jl": "include(\"a.jl\")\ninclude(joinpath(@__DIR__, \"jl\", \"b.jl\"))\nusing Own: f, g\nimport Random\nusing .Inner\ninclude(ARGS[1])\n",
				"a.jl": "", "jl/b.jl": "include(\"c.jl\")\n", "jl/c.jl": "", "src/Own.jl": "",
			}, []string{"m.jl: include(ARGS[1])"},
		},
		"shell": {
			[]string{"bash", "-e", "scripts/run.sh", "{seed}"},
			map[string]string{
				"scripts/run.sh": "cd \"$(dirname \"$0\")\"\n. ./lib.sh\nif true; then source \"${DIR:-.}/two.sh\"; fi\ncd sub && python3 deep.py > out.py\n" +
					"Rscript -e 'source(\"x.R\")' | tee log.csv\n./sim \"$1\"\npython3 \"$X/gone.py\"\n. \"$HOME/.none\"\n",
				"scripts/lib.sh": "", "scripts/two.sh": "", "scripts/sub/deep.py": "", "x.R": "", "scripts/sim": "#!/bin/sh\n", "scripts/out.py": "-", "log.csv": "-",
			}, []string{"scripts/run.sh: . …/.none"},
		},
		"shell code": {
			[]string{"sh", "-c", ". ./lib.sh; ./run {seed} conf.yaml >> out.csv"},
			map[string]string{"lib.sh": "", "run": "#!/usr/bin/env python3\nimport own\n", "own.py": "", "conf.yaml": "", "out.csv": "-"}, nil,
		},
		"no name": {[]string{"./model", "/usr/bin/env", "data.bin"}, map[string]string{"model": "#!/usr/bin/env -S Rscript --vanilla\nsource('a.R')\n", "a.R": "", "data.bin": "\x00source('b.R')", "b.R": "-"}, nil},
		"broken":  {[]string{"sh", "bad.sh"}, map[string]string{"bad.sh": "if ((\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var want []string
			for file, content := range test.files {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				write(t, ".", file, content)
				if content != "-" {
					want = append(want, file)
				}
				if strings.HasPrefix(content, "#!") {
					if err := os.Chmod(file, 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			slices.Sort(want)
			f := findFiles(t, test.command)
			if !slices.Equal(f.Names(), want) {
				t.Errorf("watched %q, want %q", f.Names(), want)
			}
			if !slices.Equal(f.Unresolved(), test.unresolved) {
				t.Errorf("unresolved %q, want %q", f.Unresolved(), test.unresolved)
			}
		})
	}
}

// A file of another folder is watched with what lies beside it; a program of the system and its libraries are not.
func TestImportsElsewhere(t *testing.T) {
	elsewhere := t.TempDir()
	t.Chdir(t.TempDir())
	write(t, elsewhere, "m.py", "import helper, json\n")
	write(t, elsewhere, "helper.py", "")
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	f := findFiles(t, []string{sh, "python3", filepath.Join(elsewhere, "m.py"), filepath.Join(elsewhere, "{seed}.csv")})
	if want := []string{"helper.py", "m.py"}; !slices.Equal(f.Names(), want) {
		t.Errorf("watched %q, want %q", f.Names(), want)
	}
	before := hashOf(t, f, Origin{})
	write(t, elsewhere, "helper.py", "edited = 1\n")
	if after := hashed(t, []string{"python3", filepath.Join(elsewhere, "m.py")}); after == before {
		t.Error("an imported file was edited, and the hash is the same")
	}
}
