package programs

import "container/heap"

// ordering puts programs behind their parents, and otherwise leaves them in the order of their ranks.
type ordering struct {
	linker
	rank     map[*Draft]int
	waiting  map[*Draft]int // for so many parents
	children map[*Draft][]*Draft
	ready    ranks
	placed   []*Draft
	isPlaced map[*Draft]bool
	next     int // of the ranks: all before it are placed
}

// ordered returns the programs, each behind its parents. Circles are opened.
func (l linker) ordered() []*Draft {
	o := ordering{linker: l, rank: map[*Draft]int{}, waiting: map[*Draft]int{}, children: map[*Draft][]*Draft{}, isPlaced: map[*Draft]bool{}}
	for rank, d := range l.ranked {
		o.rank[d] = rank
		for _, id := range d.Parents {
			if parent := l.drafts[id]; parent != nil {
				o.waiting[d]++
				o.children[parent] = append(o.children[parent], d)
			}
		}
		if o.waiting[d] == 0 {
			o.ready = append(o.ready, rank)
		}
	}
	heap.Init(&o.ready)
	for len(o.placed) < len(l.ranked) {
		if len(o.ready) == 0 {
			o.open()
			continue
		}
		o.place(l.ranked[heap.Pop(&o.ready).(int)])
	}
	return o.placed
}

func (o *ordering) place(d *Draft) {
	o.placed = append(o.placed, d)
	o.isPlaced[d] = true
	for _, child := range o.children[d] {
		o.release(child)
	}
}

// release notes that a program waits for one parent less.
func (o *ordering) release(d *Draft) {
	if o.waiting[d]--; o.waiting[d] == 0 {
		heap.Push(&o.ready, o.rank[d])
	}
}

// open opens a circle: of those in which the earliest program that waits is, or to which its parents lead. The
// earliest program in it loses its parent there.
func (o *ordering) open() {
	for o.isPlaced[o.ranked[o.next]] {
		o.next++
	}
	path, at := []*Draft{}, map[*Draft]int{}
	d := o.ranked[o.next]
	for {
		if start, is := at[d]; is {
			path = path[start:]
			break
		}
		at[d] = len(path)
		path = append(path, d)
		d = o.waitsFor(d)
	}
	earliest := 0
	for i, d := range path {
		if o.rank[d] < o.rank[path[earliest]] {
			earliest = i
		}
	}
	child, parent := path[earliest], path[(earliest+1)%len(path)]
	child.dropParents(func(id string) bool { return id == parent.ID })
	for i, d := range o.children[parent] {
		if d == child {
			o.children[parent] = append(o.children[parent][:i:i], o.children[parent][i+1:]...)
			break
		}
	}
	o.opened(child, parent)
	o.release(child)
}

// waitsFor returns a parent that is not placed yet.
func (o *ordering) waitsFor(d *Draft) *Draft {
	for _, id := range d.Parents {
		if parent := o.drafts[id]; parent != nil && !o.isPlaced[parent] {
			return parent
		}
	}
	panic("a program waits for nothing") // waiting counts exactly these
}

// ranks is a heap of ranks.
type ranks []int

func (r ranks) Len() int           { return len(r) }
func (r ranks) Less(i, j int) bool { return r[i] < r[j] }
func (r ranks) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *ranks) Push(x any)        { *r = append(*r, x.(int)) }
func (r *ranks) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
