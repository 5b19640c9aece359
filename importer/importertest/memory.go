package importertest

import (
	"io"
	"runtime"
	"sync/atomic"

	"track/importer"
)

// Between two samples of PeakHeap lie so many written bytes, or so many items.
const (
	sampleBytes = 2 << 20
	sampleItems = 1000
)

// PeakHeap reads what write makes, through a pipe, and returns the most bytes of heap that were held, and the first error.
// Rubbish is collected before each sample, so that the result does not depend on how busy the machine is.
func PeakHeap(write func(io.Writer) error, read Reader, use func(importer.Item)) (peak uint64, err error) {
	r, w := io.Pipe()
	var heap heapPeak
	go func() { w.CloseWithError(write(&samplingWriter{w: w, heap: &heap})) }()
	n := 0
	for item, e := range read("pipe", r) {
		if e != nil {
			err = e
			break
		}
		if use(item); n%sampleItems == 0 {
			heap.sample()
		}
		n++
	}
	heap.sample()
	return heap.bytes.Load(), err
}

type heapPeak struct{ bytes atomic.Uint64 }

func (p *heapPeak) sample() {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for {
		peak := p.bytes.Load()
		if m.HeapAlloc <= peak || p.bytes.CompareAndSwap(peak, m.HeapAlloc) {
			return
		}
	}
}

// samplingWriter samples the heap while the reader waits for the next bytes.
type samplingWriter struct {
	w       io.Writer
	heap    *heapPeak
	written int
}

func (s *samplingWriter) Write(b []byte) (int, error) {
	if s.written += len(b); s.written >= sampleBytes {
		s.written = 0
		s.heap.sample()
	}
	return s.w.Write(b)
}
