package main

import (
	"io"

	"github.com/urfave/cli/v2"
)

func (p *program) completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell",
		UsageText: "track completion bash|zsh|fish",
		Description: `Examples:
   source <(track completion bash)
   track completion zsh > "${fpath[1]}/_track"
   track completion fish > ~/.config/fish/completions/track.fish`,
		BashComplete: func(*cli.Context) { p.offer("bash", "zsh", "fish") },
		Action: func(c *cli.Context) error {
			script, known := completionScripts()[c.Args().First()]
			if c.NArg() != 1 || !known {
				return usage("track completion takes one of bash, zsh and fish")
			}
			_, err := io.WriteString(p.out, script)
			return err
		},
	}
}

// completionScripts hand the words typed so far to track itself, which knows its commands, flags and scenarios; see
// [program.complete]. Where it has nothing to offer, the shell offers files.
func completionScripts() map[string]string {
	return map[string]string{
		"bash": `_track() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <("$1" "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" --complete-bash-line 2>/dev/null)
}
complete -o default -F _track track
`,
		"zsh": `#compdef track
_track() {
  local -a options
  options=("${(@f)$("${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" --generate-bash-completion 2>/dev/null)}")
  if [[ -n ${options[1]} ]]; then compadd -- "${options[@]}"; else _files; fi
}
if [[ $funcstack[1] == _track ]]; then _track "$@"; else compdef _track track; fi
`,
		"fish": `function __track_complete
  set -l words (commandline -opc)
  set -l current (string unescape -- (commandline -ct); or commandline -ct | string trim -l -c '\'"')
  $words "$current" --generate-bash-completion 2>/dev/null
end
complete -c track -f -a '(__track_complete)'
complete -c track -n 'not __track_complete | string length -q' -F
`,
	}
}
