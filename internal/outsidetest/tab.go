package outsidetest

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Tab is a tab of a browser that a test steers.
type Tab struct {
	t   *testing.T
	ctx context.Context

	axeSource string

	mu       sync.Mutex
	console  []string
	requests []string
}

// NewTab opens a tab in a Chromium of its own, which finds no host but this machine. The test is skipped if there is no
// Chromium.
func NewTab(t *testing.T) *Tab {
	t.Helper()
	NeedTab(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium()), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"), chromedp.Flag("disable-component-update", true),
	)
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(closeTab)
	tab := &Tab{t: t, ctx: ctx}
	tab.do(chromedp.Func(func(context.Context, *chromedp.Target) error { return nil })) // the browser starts
	if err := chromedp.Listen(ctx, tab.hear); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	return tab
}

// NeedTab skips a test if there is no Chromium, as [NewTab] does, before the test prepares what it would show.
func NeedTab(t testing.TB) {
	t.Helper()
	if chromium() == "" {
		Missing(t, "there is no Chromium")
	}
}

// chromium returns the program; empty if there is none.
func chromium() string {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return ""
}

func (p *Tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			p.console = append(p.console, string(e.Type))
		}
	case *runtime.EventExceptionThrown:
		p.console = append(p.console, e.ExceptionDetails.Text)
	case *log.EventEntryAdded: // what the browser says of the page, such as a style that its policy forbids
		if e.Entry.Level == "error" {
			p.console = append(p.console, e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	}
}

func (p *Tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// Open opens an address and waits until it is loaded.
func (p *Tab) Open(address string) {
	p.t.Helper()
	p.do(chromedp.Navigate(address))
}

// View sets the size of the window in CSS pixels, and the scheme: light or dark.
func (p *Tab) View(width, height int64, scheme string) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height))
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		p.t.Fatal(err)
	}
}

// Print shows pages as on paper, until [Tab.View].
func (p *Tab) Print() {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		p.t.Fatal(err)
	}
}

// Evaluate returns what an expression gives, in a tab. A promise is awaited.
func Evaluate[T any](p *Tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Wait waits until an expression is true, on another page too if the tab goes to one.
func (p *Tab) Wait(expression string) {
	p.t.Helper()
	for {
		_, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression))
		switch {
		case err == nil:
			return
		case !strings.Contains(err.Error(), "context") && !strings.Contains(err.Error(), "navigated"), p.ctx.Err() != nil: // that of a page that was left
			p.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// Press presses a key: a letter, or one with a name, such as Enter and ArrowLeft.
func (p *Tab) Press(key string) {
	p.t.Helper()
	named := map[string]string{
		"Enter": kb.Enter, "Escape": kb.Escape, "Tab": kb.Tab, "Home": kb.Home, "End": kb.End,
		"ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight, "ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown,
	}
	if k, isNamed := named[key]; isNamed {
		key = k
	}
	p.do(chromedp.KeyEvent(key))
}

// Click clicks the first element that a selector finds.
func (p *Tab) Click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(selector))
}

// Address returns the path and the parameters of the page.
func (p *Tab) Address() string {
	p.t.Helper()
	text, err := chromedp.Run(p.ctx, chromedp.Location())
	if err != nil {
		p.t.Fatal(err)
	}
	address, err := url.Parse(text)
	if err != nil {
		p.t.Fatal(err)
	}
	return address.RequestURI()
}

// Picture writes what the window shows to a file of the folder that TRACK_PICTURES names; nothing if it names none.
func (p *Tab) Picture(name string) {
	p.t.Helper()
	folder := os.Getenv("TRACK_PICTURES")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// Complaints returns what the pages wrote as errors and warnings, and the requests to other addresses than those that
// begin with base, since the last call.
func (p *Tab) Complaints(base string) (list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list = p.console
	for _, request := range p.requests {
		if !strings.HasPrefix(request, base) && !strings.HasPrefix(request, "data:") {
			list = append(list, "request to "+request)
		}
	}
	p.console, p.requests = nil, nil
	return list
}

// Violations returns what axe-core finds wrong with the page for people who cannot see it, or not well.
func (p *Tab) Violations() []string {
	p.t.Helper()
	return p.violations("{}")
}

// ViolationsOfColour returns what axe-core finds wrong with the colours of the page. Nothing else depends on the
// scheme.
func (p *Tab) ViolationsOfColour() []string {
	p.t.Helper()
	return p.violations(`{runOnly: ["color-contrast", "link-in-text-block"]}`)
}

func (p *Tab) violations(options string) []string {
	p.t.Helper()
	if !Evaluate[bool](p, "typeof axe === 'object'") {
		Evaluate[bool](p, p.axe()+"; true")
	}
	return Evaluate[[]string](p, `axe.run({resultTypes: ["violations"], ...`+options+`}).then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? n.failureSummary)).slice(0, 3).join("; ")))`)
}

// axe returns the script of axe-core.
func (p *Tab) axe() string {
	p.t.Helper()
	if p.axeSource != "" {
		return p.axeSource
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		p.t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "bin", "axe", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		Missing(p.t, "there is no axe-core")
	}
	p.axeSource = string(source)
	return p.axeSource
}
