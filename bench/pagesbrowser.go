package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"

	"track/answer"
)

// tab is a tab of a browser that shows the pages of a server.
type tab struct {
	ctx    context.Context
	server *served
}

// pagesInBrowser opens pages in a headless Chromium.
func (b bench) pagesInBrowser(path string, list []address) error {
	program, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		fmt.Println("\nThere is no chromium-headless-shell, so nothing is measured in a browser: make tools installs it.")
		return nil
	}
	s, err := b.startServer(path)
	if err != nil {
		return err
	}
	t, stop, err := b.openTab(s, program)
	if err != nil {
		return errors.Join(err, s.kill())
	}
	err = b.inTab(t, path, list)
	stop()
	return errors.Join(err, s.stop())
}

func (b bench) inTab(t tab, path string, list []address) error {
	if err := b.interactive(t, list); err != nil {
		return err
	}
	if err := b.drawn(t); err != nil {
		return err
	}
	if err := b.scrolled(t); err != nil {
		return err
	}
	return b.followed(t, path)
}

// openTab opens a tab of a new browser. Its requests have the token of the server.
func (b bench) openTab(s *served, program string) (t tab, stop func(), err error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(filepath.Join(b.dir, "browser")))
	allocator, stopAllocator := chromedp.NewExecAllocator(b.ctx, options...)
	ctx, closeTab := chromedp.NewContext(allocator)
	stop = func() { closeTab(); stopAllocator() }
	t = tab{ctx, s}
	err = chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900))
	if err == nil {
		_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Authorization": "Bearer " + s.token}})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watch})
	}
	if err != nil {
		stop()
	}
	return t, stop, err
}

// watch notes when a page is drawn: an expression of the page becomes true.
const watch = `window.seenAt = (isThere) => new Promise((done) => { const look = () => { if (isThere()) done(performance.now()); else requestAnimationFrame(look); }; look(); });
addEventListener("DOMContentLoaded", () => {
	window.canvasAt = window.seenAt(() => document.querySelector(".heat-view canvas, .tree canvas")?.width > 300).then((at) => new Promise((done) => requestAnimationFrame(() => done(performance.now()))));
});`

// open opens a page as if for the first time: nothing is kept of earlier ones.
func (t tab) open(path string) error {
	if _, err := chromedp.Call(t.ctx, network.ClearBrowserCache, cdp.Empty{}); err != nil {
		return err
	}
	return chromedp.Do(t.ctx, chromedp.Navigate(t.server.url+path))
}

func evaluate[T any](t tab, expression string) (T, error) {
	return chromedp.Run(t.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// interactive measures when the script of each page has prepared it, and what the browser has fetched until it is idle.
func (b bench) interactive(t tab, list []address) error {
	heading("Pages, in a browser that has nothing of them yet", "page", "interactive", "aim", "elements", "over the wire, all files", "aim")
	for _, of := range list {
		if strings.HasPrefix(of.path, "/api/") || strings.Contains(of.path, "part.page=") {
			continue
		}
		var took timings
		var seen []float64
		for range b.rounds {
			if err := t.open(of.path); err != nil {
				return err
			}
			var err error
			seen, err = evaluate[[]float64](t, `(async () => {
				await new Promise((done) => setTimeout(done, 300));
				const page = performance.getEntriesByType("navigation")[0], files = performance.getEntriesByType("resource");
				return [page.domContentLoadedEventEnd, document.querySelectorAll("*").length, files.reduce((sum, file) => sum + file.transferSize, page.transferSize)];
			})()`)
			if err != nil {
				return err
			}
			took = append(took, time.Duration(seen[0]*float64(time.Millisecond)))
		}
		row(of.name, took, "500 ms", seen[1], kilobytes(int(seen[2])), kilobytes(aimWire))
	}
	return nil
}

// drawn measures when the pictures that need a script are there.
func (b bench) drawn(t tab) error {
	heading("Large pictures, in a browser", "picture", "drawn after", "aim")
	for _, of := range []struct{ name, path, aim string }{{"heat map of 10⁵ cells", wholeHeatMap, "300 ms"}, {fmt.Sprintf("tree of %d mutations", b.mutations), wholeTree, "1 s"}} {
		var took timings
		for range b.rounds {
			if err := t.open(of.path); err != nil {
				return err
			}
			at, err := evaluate[float64](t, "canvasAt")
			if err != nil {
				return err
			}
			took = append(took, time.Duration(at*float64(time.Millisecond)))
		}
		row(of.name, took, of.aim)
	}
	return nil
}

// scrolled measures the frames of a table of 100,000 rows that scrolls for five seconds.
func (b bench) scrolled(t tab) error {
	heading("A table of 10⁵ rows that scrolls, in a browser", "pixels a second", "frames a second", "longest frame", "frames with rows that are not there yet", "aim")
	for _, speed := range []int{1200, 12_000} {
		if err := t.open(manyRows); err != nil {
			return err
		}
		seen, err := evaluate[[]float64](t, fmt.Sprintf(`(async () => {
			await seenAt(() => document.querySelector(".scroll.windowed"));
			const box = document.querySelector(".scroll.windowed"), frame = () => new Promise(requestAnimationFrame);
			const isBlank = () => { const at = box.getBoundingClientRect(), under = document.elementFromPoint(at.left + 50, at.top + at.height / 2); return under?.closest("tr")?.className === "space"; };
			let n = 0, longest = 0, blank = 0;
			const began = await frame();
			for (let last = began, now; last - began < 5000; last = now) {
				box.scrollTop = (last - began) / 1000 * %d;
				now = await frame();
				n++;
				longest = Math.max(longest, now - last);
				if (isBlank()) blank++;
			}
			return [n / 5, longest, blank];
		})()`, speed))
		if err != nil {
			return err
		}
		row(speed, fmt.Sprintf("%.1f", seen[0]), fmt.Sprintf("%.0f ms", seen[1]), seen[2], "50 frames/s")
	}
	return nil
}

// followedName is the scenario of the sweep that a tab follows.
const followedName = "followed"

// followed measures what a tab costs that follows a sweep of 100 seeds a second.
func (b bench) followed(t tab, path string) error {
	const jobs, seconds = 4, 20
	sweep := exec.CommandContext(b.ctx, b.track, "sweep", "--db", path, "--scenario", followedName, "--commit", fmt.Sprint(time.Now().Unix()), "--seeds", fmt.Sprintf("0..%d", 100*(seconds+10)-1), "-j", fmt.Sprint(jobs), "--quiet", "--", "sh", "-c", `sleep 0.036; echo "{{\"m\": {seed}}}"`)
	if err := sweep.Start(); err != nil {
		return err
	}
	defer func() { _ = sweep.Process.Kill(); _ = sweep.Wait() }() // its seeds are of no use
	id, err := b.runningSweep(path)
	if err != nil {
		return err
	}
	if err := t.open("/sweep/show?sweep=" + id); err != nil {
		return err
	}
	before, err := t.used()
	if err != nil {
		return err
	}
	server, began := t.server.processorTimeExactly(), time.Now()
	first, err := b.newestSweep(path)
	if err != nil {
		return err
	}
	time.Sleep(seconds * time.Second)
	after, err := t.used()
	if err != nil {
		return err
	}
	last, err := b.newestSweep(path)
	if err != nil {
		return err
	}
	took := time.Since(began)
	share := func(used time.Duration) string { return fmt.Sprintf("%.1f %%", 100*used.Seconds()/took.Seconds()) }
	heading("A tab that follows a sweep", "seeds/s", "the tab, of a core", "aim", "the server, of a core")
	row(fmt.Sprintf("%.0f", float64(last.NRuns-first.NRuns)/took.Seconds()), share(after-before), "10 %", share(t.server.processorTimeExactly()-server))
	return nil
}

// runningSweep waits until a sweep has begun, and returns its id.
func (b bench) runningSweep(path string) (string, error) {
	for range 100 {
		newest, err := b.newestSweep(path)
		if err != nil || newest.Scenario == followedName {
			return newest.ID, err
		}
		time.Sleep(time.Second / 20)
	}
	return "", errors.New("the sweep does not begin")
}

func (b bench) newestSweep(path string) (newest answer.RecordedSweep, err error) {
	var list answer.Sweeps
	if err := b.askInto(path, &list, "sweep", "list", "--limit", "1"); err != nil {
		return newest, err
	}
	if len(list.Items) == 0 {
		return newest, errors.New("the database has no sweep")
	}
	return list.Items[0], nil
}

// used returns the processor time of the processes that show pages.
func (t tab) used() (sum time.Duration, err error) {
	all, err := chromedp.CallBrowser(t.ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		return 0, err
	}
	for _, p := range all.ProcessInfo {
		if p.Type == "renderer" {
			sum += time.Duration(p.CPUTime * float64(time.Second))
		}
	}
	return sum, nil
}
