package masking_test

import (
	"compress/gzip"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"track/internal/masking"
)

var updateTables = flag.Bool("update", false, "write the measured figures into docs/reference/secrets.md")

// The limits are shares of the drawn secrets.
const (
	mostLeaked        = 0.05
	mostLeakedHeldOut = 0.10
	mostMaskedWrongly = 0.01
	draws             = 4 // of each template
)

// result counts the secrets of a family that remained.
type result struct {
	family
	secrets, leaked int
	example         string
}

func measure(t *testing.T, families []family) (results []result) {
	t.Helper()
	for _, family := range families {
		r := result{family: family}
		for _, template := range family.templates {
			for draw := range draws {
				made, err := expand(template, draw)
				if err != nil {
					t.Fatalf("%s: %v", family.name, err)
				}
				masked, _ := masking.Mask(made.text)
				for _, secret := range made.secrets {
					r.secrets++
					if made.leaks(secret, masked) {
						r.leaked++
						r.example = template
					}
				}
			}
		}
		results = append(results, r)
	}
	return results
}

// total adds up the families that a condition selects.
func total(results []result, selected func(result) bool) (sum result, families, cases int) {
	for _, r := range results {
		if selected(r) {
			families++
			cases += len(r.templates)
			sum.secrets += r.secrets
			sum.leaked += r.leaked
		}
	}
	return sum, families, cases
}

func (r result) share() float64 { return float64(r.leaked) / float64(max(r.secrets, 1)) }

func everything(result) bool { return true }

// TestCorpusOfSecrets masks made-up secrets of many families and limits the share that remains, over all families and
// over the ones that nobody saw who wrote the rules.
func TestCorpusOfSecrets(t *testing.T) {
	known, heldOut := readFamilies(t, "testdata/secrets_known.txt"), readFamilies(t, "testdata/secrets_heldout.txt")
	for i := range heldOut {
		heldOut[i].heldOut = true
	}
	results := measure(t, slices.Concat(known, heldOut))
	checkTable(t, "secrets", tableOfSecrets(results))
	all, families, cases := total(results, everything)
	t.Logf("%d families, %d cases, %d secrets: %d leaked (%.1f %%)", families, cases, all.secrets, all.leaked, 100*all.share())
	unseen, n, _ := total(results, func(r result) bool { return r.heldOut })
	t.Logf("%d families were set aside, %d secrets: %d leaked (%.1f %%)", n, unseen.secrets, unseen.leaked, 100*unseen.share())
	failed := all.share() > mostLeaked || unseen.share() > mostLeakedHeldOut
	if failed {
		t.Errorf("more secrets remain than the limits allow (%.0f %%, %.0f %% of the families set aside)", 100*mostLeaked, 100*mostLeakedHeldOut)
	}
	slices.SortStableFunc(results, func(a, b result) int { return b.leaked - a.leaked })
	for _, r := range results {
		if r.leaked > 0 && (failed || testing.Verbose()) {
			t.Logf("%-28s %3d of %3d leaked, such as %s", r.name, r.leaked, r.secrets, r.example)
		}
	}
}

// TestFamiliesSetAside checks that a hash of the name decides which families are set aside, and that they are a fifth.
func TestFamiliesSetAside(t *testing.T) {
	known, heldOut := readFamilies(t, "testdata/secrets_known.txt"), readFamilies(t, "testdata/secrets_heldout.txt")
	isSetAside := func(f family) bool {
		return f.origin == "open" && sha256.Sum256([]byte("held out: " + f.name))[0] < 90
	}
	for _, f := range known {
		if isSetAside(f) {
			t.Errorf("%s must be set aside", f.name)
		}
	}
	for _, f := range heldOut {
		if !isSetAside(f) {
			t.Errorf("%s must not be set aside", f.name)
		}
	}
	if all := len(known) + len(heldOut); 5*len(heldOut) < all {
		t.Errorf("%d of %d families are set aside, want a fifth", len(heldOut), all)
	}
}

func readOrdinaryLines(t *testing.T) []string {
	t.Helper()
	file, err := os.Open("testdata/ordinary_lines.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// TestOrdinaryLines masks lines of code, logs and prose without secrets and limits the share that changes.
func TestOrdinaryLines(t *testing.T) {
	lines, changed := readOrdinaryLines(t), []string{}
	for _, line := range lines {
		if masked, _ := masking.Mask(line); masked != line {
			changed = append(changed, line+"\n    became "+masked)
		}
	}
	share := float64(len(changed)) / float64(len(lines))
	figure := fmt.Sprintf("Of %d ordinary lines %d are masked by mistake (%.2f %%).", len(lines), len(changed), 100*share)
	t.Log(figure)
	checkTable(t, "ordinary", figure+"\n")
	if share > mostMaskedWrongly {
		t.Errorf("more than %.0f %%", 100*mostMaskedWrongly)
	}
	if t.Failed() || testing.Verbose() {
		for _, line := range changed {
			t.Log(line)
		}
	}
}

// tableOfSecrets returns the figures by group, in Markdown.
func tableOfSecrets(results []result) string {
	var table strings.Builder
	table.WriteString("| secrets | families | cases | secrets drawn | remain | share |\n|---|---:|---:|---:|---:|---:|\n")
	row := func(name string, selected func(result) bool) {
		sum, families, cases := total(results, selected)
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %.1f %% |\n", name, families, cases, sum.secrets, sum.leaked, 100*sum.share())
	}
	for _, group := range []struct{ id, name string }{{"shape", "shapes of vendors"}, {"command", "command lines"}, {"file", "files"}, {"value", "values"}} {
		row(group.name, func(r result) bool { return r.group == group.id })
	}
	row("all", everything)
	row("of these, set aside", func(r result) bool { return r.heldOut })
	return table.String()
}

// checkTable compares a part of the reference page, between two comments, with what was measured.
func checkTable(t *testing.T, name, measured string) {
	t.Helper()
	const page = "../../docs/reference/secrets.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- measured: "+name+" -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(text), begin)
	written, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no %q", page, begin)
	}
	if written == measured {
		return
	}
	if !*updateTables {
		t.Errorf("%s is out of date: run this test with -update\n%s", page, measured)
		return
	}
	if err := os.WriteFile(page, []byte(before+begin+measured+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
