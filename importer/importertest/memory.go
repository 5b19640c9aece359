package importertest

import (
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"track/importer"
)

// PeakHeap reads what write makes, through a pipe, and returns the most bytes of heap that were in use, sampled while
// it was read.
func PeakHeap(write func(io.Writer) error, read Reader, use func(importer.Item)) (peak uint64, err error) {
	// Rubbish is taken away soon, however busy the machine is: what is measured is what is held.
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	r, w := io.Pipe()
	go func() { w.CloseWithError(write(w)) }()
	stop, sampled := make(chan struct{}), sync.WaitGroup{}
	sampled.Go(func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	for item, e := range read("pipe", r) {
		if e != nil {
			err = e
			break
		}
		use(item)
	}
	close(stop)
	sampled.Wait()
	return peak, err
}
