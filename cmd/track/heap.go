package main

import (
	"runtime"
	"runtime/debug"
)

// What the heap may grow by between two collections: fourfold while it is small, which costs a few megabytes and saves
// a tenth of a batch's time, then by smallHeap times that, and at least by half.
const (
	growthOfSmall = 400 // percent
	growthOfLarge = 50
	smallHeap     = 12 << 20 // bytes
)

// heapTuner is an object without use: whenever it is found to be garbage, the heap was collected.
type heapTuner struct{ _ *heapTuner } // of a size with a pointer, since the runtime packs smaller ones together

// tuneHeap sets how much the heap may grow, again after each collection.
func tuneHeap() {
	debug.SetGCPercent(growthOfSmall)
	runtime.SetFinalizer(&heapTuner{}, (*heapTuner).collected)
}

func (t *heapTuner) collected() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	debug.SetGCPercent(heapGrowth(memory.HeapAlloc))
	runtime.SetFinalizer(t, (*heapTuner).collected)
}

// heapGrowth returns the percent that a heap of live bytes may grow by.
func heapGrowth(live uint64) int {
	return int(max(growthOfLarge, growthOfSmall*smallHeap/max(live, smallHeap)))
}
