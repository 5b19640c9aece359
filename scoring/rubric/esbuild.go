package rubric

import (
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// esbuildChecker parses with the JavaScript and CSS parsers of esbuild, which contain their own panics. In CSS it
// reports what it cannot read as a warning.
func esbuildChecker(language string) checker {
	loader := api.LoaderJSX // JavaScript in answers often is JSX
	switch language {
	case "typescript":
		loader = api.LoaderTS
	case "tsx":
		loader = api.LoaderTSX
	case "css":
		loader = api.LoaderCSS
	}
	return checker{name: "esbuild", recursive: true, slow: true, check: func(code string) error {
		if why := esbuildTrap(code); why != "" {
			return unchecked(why)
		}
		// What the code may use is no matter of syntax; nothing is lowered.
		result := api.Transform(code, api.TransformOptions{
			Loader: loader, LogLevel: api.LogLevelSilent, Target: api.ESNext, JSX: api.JSXPreserve,
			TsconfigRaw: `{"compilerOptions":{"experimentalDecorators":true}}`,
		})
		for _, m := range result.Errors {
			return messageError(m)
		}
		for _, m := range result.Warnings {
			if m.ID == "css-syntax-error" {
				return messageError(m)
			}
		}
		return nil
	}}
}

func messageError(m api.Message) error {
	if strings.HasPrefix(m.Text, "panic: ") {
		return unchecked("the parser gave up: " + m.Text)
	}
	e := syntaxError{Message: m.Text}
	if m.Location != nil {
		e.Line = m.Location.Line
	}
	return e
}

// esbuildTrap says why esbuild must not see code: nesting without brackets (x=>x=>…, !!!…, if(a)if(a)…) takes it time
// that grows with the square or cube of the depth. A stretch is what no semicolon, comma or brace interrupts.
func esbuildTrap(code string) string {
	const longest, mostArrows = 8 << 10, 64
	stretch, arrows := 0, 0
	for i := 0; i < len(code); i++ {
		switch stretch++; code[i] {
		case ';', ',', '{', '}':
			stretch, arrows = 0, 0
		case '>':
			if i > 0 && code[i-1] == '=' {
				arrows++
			}
		}
		if stretch > longest || arrows > mostArrows {
			return "one expression is too long or nests too deeply"
		}
	}
	return ""
}
