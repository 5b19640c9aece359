package claudecode_test

import (
	"fmt"
	"strings"
	"testing"

	"track/importer/claudecode"
	"track/importer/importertest"
)

func sidechain(uuid, parent, rest string) string {
	if parent != "" {
		parent = fmt.Sprintf(`"parentUuid":%q,`, parent)
	}
	return fmt.Sprintf(`{"isSidechain":true,"sessionId":"s",%s"uuid":%q,%s}`+"\n", parent, uuid, rest)
}

const (
	asks = `"type":"user","message":{"role":"user","content":"search"}`
	uses = `"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t%s","name":"Grep","input":{}}]}`
	told = `"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%s","content":"found"}]}`
	says = `"type":"assistant","message":{"id":"n","role":"assistant","content":[{"type":"text","text":"done %s"}]}`
)

// Older versions write subagents between the lines of the main thread without naming them; who they belong to is told
// by their parents.
func TestSidechainsWithoutNames(t *testing.T) {
	var b strings.Builder
	b.WriteString(sidechain("a1", "", asks))
	b.WriteString(sidechain("b1", "", asks))
	b.WriteString(sidechain("a2", "a1", fmt.Sprintf(uses, "a")))
	b.WriteString(sidechain("b2", "b1", fmt.Sprintf(uses, "b")))
	b.WriteString(sidechain("b3", "b2", fmt.Sprintf(told, "b")))
	b.WriteString(sidechain("a3", "a2", fmt.Sprintf(told, "a")))
	b.WriteString(sidechain("a4", "a3", fmt.Sprintf(says, "a")))
	b.WriteString(sidechain("b4", "b3", fmt.Sprintf(says, "b")))
	items, err := importertest.ReadBytes(t, claudecode.Read, []byte(b.String()))
	if err != nil || len(items) != 2 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	for i, name := range []string{"a", "b"} {
		e := items[i].Execution
		if !items[i].Subagent || e.Key != "claude-code:s:"+name+"1" || len(e.Calls) != 1 || e.Calls[0].Key != "t"+name || !e.Calls[0].Answered || *e.Output != "done "+name {
			t.Errorf("%s", importertest.Render(items[i]))
		}
	}
}

// Of more subagents than are followed at once, the one that was silent longest is taken as ended.
func TestManySidechains(t *testing.T) {
	var b strings.Builder
	const n = 200
	for i := range n {
		name := fmt.Sprint(i)
		b.WriteString(sidechain("p"+name, "", asks) + sidechain("q"+name, "p"+name, fmt.Sprintf(says, name)))
	}
	items, err := importertest.ReadBytes(t, claudecode.Read, []byte(b.String()))
	if err != nil || len(items) != n {
		t.Fatalf("%d items, %v", len(items), err)
	}
	for i, item := range items {
		if *item.Execution.Output != fmt.Sprint("done ", i) {
			t.Errorf("%s", importertest.Render(item))
		}
	}
}
