package sweep

import (
	"fmt"
	"io"
	"os/exec"
	"sync"
)

// Guard kills what commands left running when this process ends before it could: it is a shell that knows their process
// groups, and reads from a pipe that ends with this process, however that ends. It learns of a command a moment after
// its start. Its methods do nothing on a nil Guard.
type Guard struct {
	mutex sync.Mutex
	pipe  io.WriteCloser
	shell *exec.Cmd
}

// guardScript keeps the groups that it is told of, and kills those that are left at the end of its input.
const guardScript = `trap '' INT TERM HUP
groups=
while read -r sign group; do
  left=
  for g in $groups; do [ "$g" = "$group" ] || left="$left $g"; done
  groups=$left
  [ "$sign" = - ] || groups="$groups $group"
done
for g in $groups; do kill -KILL "-$g"; done 2>/dev/null
[ -z "$1" ] || rm -rf -- "$1"`

// newGuard starts a guard that also removes a folder in the end, unless it is empty. Where there is no shell there is
// none, which is no error: then only the commands themselves end with this process.
func newGuard(folder string) *Guard {
	g := &Guard{shell: exec.Command("sh", "-c", guardScript, "sh", folder)}
	var err error
	if g.pipe, err = g.shell.StdinPipe(); err != nil {
		return nil
	}
	apart(g.shell)
	if g.shell.Start() != nil {
		return nil
	}
	return g
}

func (g *Guard) watch(group int) { g.send("+", group) }

func (g *Guard) release(group int) { g.send("-", group) }

func (g *Guard) send(sign string, group int) {
	if g == nil {
		return
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	_, _ = fmt.Fprintln(g.pipe, sign, group) // a guard that is gone guards nothing
}

// Close ends the guard, which kills what is still running.
func (g *Guard) Close() {
	if g == nil {
		return
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	_ = g.pipe.Close()
	_ = g.shell.Wait()
}
