package main

import (
	"fmt"
	"io"
	"strings"

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
		BashComplete: func(*cli.Context) { fmt.Fprintln(p.out, "bash\nzsh\nfish") },
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

// completionScripts hand the words typed so far to track itself, which knows its commands, flags and scenarios.
func completionScripts() map[string]string {
	return map[string]string{
		"bash": `_track() {
  local words
  words=$("${COMP_WORDS[@]:0:COMP_CWORD}" $([[ "${COMP_WORDS[COMP_CWORD]}" == -* ]] && echo "${COMP_WORDS[COMP_CWORD]}") --generate-bash-completion 2>/dev/null)
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
  if [[ ${#COMPREPLY[@]} -eq 0 ]]; then compopt -o default; fi
}
complete -F _track track
`,
		"zsh": `#compdef track
_track() {
  local -a options
  local current=${words[CURRENT]}
  if [[ $current == -* ]]; then
    options=("${(@f)$(${words[@]:0:$((CURRENT-1))} $current --generate-bash-completion 2>/dev/null)}")
  else
    options=("${(@f)$(${words[@]:0:$((CURRENT-1))} --generate-bash-completion 2>/dev/null)}")
  fi
  if [[ -n ${options[1]} ]]; then compadd -- $options; else _files; fi
}
if [[ $funcstack[1] == _track ]]; then _track "$@"; else compdef _track track; fi
`,
		"fish": `function __track_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  if string match -q -- '-*' $current
    set words $words $current
  end
  $words --generate-bash-completion 2>/dev/null
end
complete -c track -f -a '(__track_complete)'
complete -c track -n 'not __track_complete | string length -q' -F
`,
	}
}

// completeScenarios offers the names of the scenarios, or the flags where the last word begins one.
func (p *program) completeScenarios(c *cli.Context) {
	if last := c.Args().Get(c.NArg() - 1); strings.HasPrefix(last, "-") {
		cli.DefaultCompleteWithFlags(c.Command)(c)
		return
	}
	st, err := p.open(c.Context)
	if err != nil {
		return
	}
	defer func() { _ = st.Close() }()
	scenarios, err := st.Scenarios(c.Context)
	if err == nil && len(scenarios) > 0 {
		fmt.Fprintln(p.out, strings.Join(scenarios, "\n"))
	}
}
