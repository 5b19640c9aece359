package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Money is in thousandths and goods are whole pieces, both integers: nothing is lost to rounding, and the books
// balance exactly. Rates are float64. Every product that feeds a sum is rounded by a conversion, or arm64 fuses the
// two, across statements too; of package math only what is exact is used: a seed has the same course everywhere.
const (
	unit         = 1000 // of money
	startPrice   = unit
	startWage    = 8 * unit
	startMoney   = 12 * unit // of a household
	startBills   = 2         // wage bills that a firm begins with
	productivity = 10        // pieces that a worker makes in a period
	smallPrice   = 10
	smallWage    = 80
)

// nobody stands for no employer and no shop.
const nobody = -1

type household struct {
	money    int64
	income   int64 // since it went shopping
	employer int
	shop     int // where it bought last
}

type firm struct {
	alive    bool
	young    bool // has not sold anything yet, so that nothing is to be learned
	owner    int
	cash     int64
	debt     int64
	price    int64
	wage     int64
	plan     float64 // pieces it means to offer
	stock    int64
	sold     int64
	revenue  int64
	unfilled int
	workers  []int
}

// economy is the model between two periods. All money is a claim on the bank, which lends by writing it down: what
// households and firms have, and the equity of the bank, are always what it began with and the debts of firms.
type economy struct {
	random     *rand.Rand
	theta      float64 // largest change of a price in a period, in percent
	households []household
	firms      []firm
	equity     int64 // of the bank
	reserves   int64 // of the bank; they never change
	number     int   // of the period
	price      float64
	idle       float64 // share of households without work
	fear       float64 // idle, as it was felt over the last periods
	order      []int   // of households, shuffled again and again
	queue      []int   // of firms, in use within one phase
	now        period
}

// period is what happened in one period.
type period struct {
	output, sold, spoiled, lost  int64 // pieces
	sales, wages, credit, equity int64 // money
	firms, bankruptcies, entries int
	unemployment                 float64
	price, markup                float64 // NaN where nothing was sold
	wage, sizeGini               float64 // NaN where nobody works
	dispersion                   float64 // standard deviation of prices over their mean; NaN where no firm is
}

// insolvency says that the bank has lost more than its depositors bear.
type insolvency struct {
	period, bankrupt, left int
	hole                   int64
}

func (e *insolvency) Error() string {
	return fmt.Sprintf("the credit system is insolvent in period %d: firms bankrupt %d, left %d; the bank owes %d more than it owns",
		e.period, e.bankrupt, e.left, e.hole/unit)
}

func newEconomy(p parameters) *economy {
	e := &economy{
		random: rand.New(rand.NewPCG(p.seed, 0x6d61726b6574)), theta: p.theta,
		households: make([]household, p.households), firms: make([]firm, p.firms),
		price: startPrice, order: make([]int, p.households), queue: make([]int, 0, p.firms),
	}
	for i := range e.households {
		e.households[i] = household{money: startMoney, employer: nobody, shop: nobody}
		e.order[i] = i
	}
	each := float64(p.households) / float64(p.firms)
	for i := range e.firms {
		spread := float64(0.2*e.random.Float64()) - 0.1
		e.firms[i] = firm{
			alive: true, young: true, owner: e.random.IntN(p.households), cash: int64(startBills * startWage * each),
			price: changed(startPrice, spread), wage: startWage, plan: 0.9 * productivity * each,
		}
	}
	e.equity = startWage * int64(p.households)
	e.reserves = e.deposits() + e.equity
	return e
}

// deposits are what households and firms have.
func (e *economy) deposits() (sum int64) {
	for i := range e.households {
		sum += e.households[i].money
	}
	for i := range e.firms {
		sum += e.firms[i].cash
	}
	return sum
}

func (e *economy) credit() (sum int64) {
	for i := range e.firms {
		sum += e.firms[i].debt
	}
	return sum
}

// changed is an amount after a relative change.
func changed(amount int64, by float64) int64 {
	return int64(math.Round(float64(amount) * (1 + float64(by))))
}

// step runs one period. Its error is an [*insolvency], after which the model cannot go on.
func (e *economy) step() (period, error) {
	e.number++
	e.now = period{}
	e.plan()
	e.hire()
	e.finance()
	e.produce()
	e.trade()
	e.settle()
	e.found()
	e.payOut()
	e.measure()
	if hole := -e.equity; float64(hole) > bearable*float64(e.reserves) {
		return e.now, &insolvency{e.number, e.now.bankruptcies, e.now.firms, hole}
	}
	return e.now, nil
}

func (e *economy) measure() {
	now := &e.now
	prices, sizes := make([]float64, 0, len(e.firms)), make([]float64, 0, len(e.firms))
	working, markup := 0, 0.0
	for i := range e.firms {
		f := &e.firms[i]
		if !f.alive {
			continue
		}
		now.firms++
		working += len(f.workers)
		prices, sizes = append(prices, float64(f.price)), append(sizes, float64(len(f.workers)))
		markup += float64(float64(f.sold) * (float64(f.price*productivity)/float64(f.wage) - 1))
	}
	now.credit, now.equity = e.credit(), e.equity
	e.idle = 1 - float64(working)/float64(len(e.households))
	e.fear += float64(fearSpeed * (e.idle - e.fear))
	now.unemployment = e.idle
	now.price, now.markup, now.wage = math.NaN(), math.NaN(), math.NaN()
	if now.sold > 0 {
		e.price = float64(now.sales) / float64(now.sold)
		now.price, now.markup = e.price/unit, markup/float64(now.sold)
	}
	if now.output > 0 {
		now.wage = float64(now.wages*productivity) / float64(now.output) / unit
	}
	now.dispersion, now.sizeGini = deviation(prices)/mean(prices), gini(sizes)
}

// living lists the firms that are alive and whatever else is asked of them, until the next call.
func (e *economy) living(and func(*firm) bool) []int {
	e.queue = e.queue[:0]
	for i := range e.firms {
		if f := &e.firms[i]; f.alive && and(f) {
			e.queue = append(e.queue, i)
		}
	}
	return e.queue
}

// leave takes a firm from the queue, whose order is of no account.
func (e *economy) leave(firm int) {
	last := len(e.queue) - 1
	e.queue[slices.Index(e.queue, firm)] = e.queue[last]
	e.queue = e.queue[:last]
}

func (e *economy) shuffle() {
	e.random.Shuffle(len(e.order), func(i, j int) { e.order[i], e.order[j] = e.order[j], e.order[i] })
}
