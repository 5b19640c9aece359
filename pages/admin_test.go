package pages_test

import (
	"strings"
	"testing"

	"track/internal/outsidetest"
	"track/internal/sample"
)

// TestAdminPages adds a token and revokes it, in light and dark: the pages have no violation, and the secret is in no
// address.
func TestAdminPages(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	for _, scheme := range []string{"light", "dark"} {
		tab.View(360, 900, scheme)
		for _, address := range []string{"/status", "/token/list"} {
			tab.Open(base + address)
			checkPage(t, tab, base, address)
			checkWidth(t, tab, address)
		}
		outsidetest.Evaluate[bool](tab, `(document.querySelector("#token-name").value = "ci-`+scheme+`", true)`)
		tab.Click(`form[action="/token/add"] > button`)
		tab.Wait(`document.querySelector("code.command + button.copy")?.dataset.copy.startsWith("trk_")`)
		if address := tab.Address(); strings.Contains(address, "trk_") {
			t.Errorf("the secret is in the address %s", address)
		}
		checkPage(t, tab, base, "/token/add")
		tab.Open(base + "/token/list")
		tab.Click("#change summary")
		checkPage(t, tab, base, "/token/list")
		checkWidth(t, tab, "/token/list")
		tab.Picture("token-set-" + scheme)
		tab.Click("#revoke summary")
		checkPage(t, tab, base, "/token/list")
		outsidetest.Evaluate[bool](tab, `(document.querySelector("#token-revoked").value = "ci-`+scheme+`", true)`)
		tab.Click("#token-sure")
		tab.Click(`form[action="/token/revoke"] button`)
		tab.Wait(`location.pathname === "/token/list" && [...document.querySelectorAll("#tokens tbody tr")].some((row) => row.textContent.includes("ci-` + scheme + `") && row.textContent.includes("revoked"))`)
	}
}
