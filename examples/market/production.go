package main

import "math"

// How firms decide, and how work and credit are had.
const (
	planStep     = 0.10 // largest change of a plan in a period
	leastMargin  = 1.2  // price over unit cost from which a firm outbids others for workers
	raiseStep    = 0.02 // largest raise of a wage in a period
	cutStep      = 0.01 // largest cut
	cutBeyond    = 0.10 // unemployment from which wages are cut
	quits        = 0.03 // chance of a worker to leave in a period
	applications = 3    // a period, of everybody without work
	bankLeverage = 8    // loans over equity of the bank
	firmLeverage = 1    // debt of a firm over its wage bill
	interest     = 0.015
	repayment    = 0.05 // of a debt, each period
)

// plan lets firms learn from their shelves: what sold out becomes dearer or more, what is left over cheaper or less.
// No price falls below unit cost.
func (e *economy) plan() {
	for i := range e.firms {
		f := &e.firms[i]
		if !f.alive || f.young {
			continue
		}
		dear := float64(f.price) >= e.price
		price := float64(e.theta / 100 * e.random.Float64())
		quantity := float64(planStep * e.random.Float64())
		switch {
		case f.stock == 0 && !dear:
			f.price = changed(f.price, price)
		case f.stock == 0:
			f.plan *= 1 + quantity
		case dear:
			f.price = changed(f.price, -price)
		default:
			f.plan *= 1 - quantity
		}
		f.price = max(f.price, smallPrice, f.wage/productivity)
		f.plan = max(f.plan, productivity)
	}
}

// hire takes leave of those who go and those who are too many, adjusts wages, and lets everybody without work apply.
func (e *economy) hire() {
	for i := range e.firms {
		if f := &e.firms[i]; f.alive {
			e.adjustWage(f)
			e.adjustStaff(f)
		}
	}
	e.living(func(f *firm) bool { return f.unfilled > 0 })
	e.shuffle()
	for _, h := range e.order {
		if len(e.queue) == 0 {
			return
		}
		if e.households[h].employer != nobody {
			continue
		}
		best := nobody
		for range applications {
			at := e.queue[e.random.IntN(len(e.queue))]
			if best == nobody || e.firms[at].wage > e.firms[best].wage {
				best = at
			}
		}
		f := &e.firms[best]
		f.workers = append(f.workers, h)
		e.households[h].employer = best
		if f.unfilled--; f.unfilled == 0 {
			e.leave(best)
		}
	}
}

func (e *economy) adjustWage(f *firm) {
	switch {
	case f.unfilled > 0 && float64(f.price*productivity) > leastMargin*float64(f.wage):
		f.wage = changed(f.wage, raiseStep*e.random.Float64())
	case f.unfilled <= 0 && e.idle > cutBeyond:
		f.wage = max(smallWage, changed(f.wage, -cutStep*e.random.Float64()))
	}
}

func (e *economy) adjustStaff(f *firm) {
	for k := len(f.workers) - 1; k >= 0; k-- {
		if e.random.Float64() < quits {
			e.dismiss(f, k)
		}
	}
	want := max(1, int(math.Ceil((f.plan-float64(f.stock))/productivity)))
	for len(f.workers) > want {
		e.dismiss(f, e.random.IntN(len(f.workers)))
	}
	f.unfilled = want - len(f.workers)
}

func (e *economy) dismiss(f *firm, k int) {
	e.households[f.workers[k]].employer = nobody
	last := len(f.workers) - 1
	f.workers[k] = f.workers[last]
	f.workers = f.workers[:last]
}

// finance lends firms what they lack of their wage bill, as far as the equity of the bank carries it; who cannot be
// paid is dismissed.
func (e *economy) finance() {
	room := bankLeverage*e.equity - e.credit()
	for _, i := range e.random.Perm(len(e.firms)) {
		f := &e.firms[i]
		if !f.alive {
			continue
		}
		bill := f.wage * int64(len(f.workers))
		loan := max(0, min(bill-f.cash, room, firmLeverage*bill-f.debt))
		room -= loan
		f.debt += loan
		f.cash += loan
		for len(f.workers) > 0 && f.wage*int64(len(f.workers)) > f.cash {
			e.dismiss(f, len(f.workers)-1)
		}
	}
}

// produce pays wages and fills the shelves.
func (e *economy) produce() {
	for i := range e.firms {
		f := &e.firms[i]
		for _, h := range f.workers {
			f.cash -= f.wage
			e.households[h].money += f.wage
			e.households[h].income += f.wage
		}
		made := productivity * int64(len(f.workers))
		f.stock += made
		f.sold, f.revenue = 0, 0
		e.now.output += made
		e.now.wages += f.wage * int64(len(f.workers))
	}
}
