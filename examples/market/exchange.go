package main

import "math"

// How money goes round.
const (
	spendIncome  = 0.8
	spendWealth  = 0.2
	fearOnIncome = 0.3 // share of the spending from income that full unemployment would take away
	fearOnWealth = 2   // the same from wealth: beyond 50 % nothing of it is spent
	fearSpeed    = 0.1 // weight of the last period in fear
	shopsVisited = 3
	spoilage     = 0.25  // of what is not sold
	payout       = 0.5   // of the profit of a firm
	founderShare = 0.9   // of a founder's money that a firm may cost
	entryChance  = 0.15  // of an empty place in a period
	bankTarget   = 0.25  // equity of the bank over its reserves
	bankPayout   = 0.2   // of what it has beyond
	bearable     = 0.085 // hole of the bank over its reserves
)

// trade sends the households shopping, one after the other. The more of them have been without work lately, the less
// they spend.
func (e *economy) trade() {
	e.living(func(f *firm) bool { return f.stock > 0 })
	e.shuffle()
	ofIncome := spendIncome * max(0, 1-float64(fearOnIncome*e.fear))
	ofWealth := spendWealth * max(0, 1-float64(fearOnWealth*e.fear))
	for _, i := range e.order {
		h := &e.households[i]
		wealth := max(0, h.money-h.income)
		budget := int64(float64(ofIncome*float64(h.income)) + float64(ofWealth*float64(wealth)))
		h.income = 0
		e.shop(h, min(budget, h.money))
	}
}

// shop looks into the shop that a household knows and a few others, and buys where it is cheapest until the budget is
// spent.
func (e *economy) shop(h *household, budget int64) {
	var list [shopsVisited + 1]int
	visits := list[:0]
	if h.shop != nobody && e.firms[h.shop].stock > 0 {
		visits = append(visits, h.shop)
	}
	for range shopsVisited {
		if len(e.queue) > 0 {
			visits = append(visits, e.queue[e.random.IntN(len(e.queue))])
		}
	}
	for len(visits) > 0 && budget > 0 {
		best := 0
		for k := range visits {
			if e.firms[visits[k]].price < e.firms[visits[best]].price {
				best = k
			}
		}
		budget -= e.buy(h, visits[best], budget)
		visits[best] = visits[len(visits)-1]
		visits = visits[:len(visits)-1]
	}
}

// buy returns what it cost.
func (e *economy) buy(h *household, at int, budget int64) int64 {
	f := &e.firms[at]
	n := min(f.stock, budget/f.price)
	if n == 0 {
		return 0
	}
	cost := n * f.price
	h.money -= cost
	f.cash += cost
	f.revenue += cost
	f.stock -= n
	f.sold += n
	e.now.sold += n
	e.now.sales += cost
	h.shop = at
	if f.stock == 0 {
		e.leave(at)
	}
	return cost
}

// settle lets firms pay the bank and their owners. One that cannot pay the bank, or not a single worker, is bankrupt.
func (e *economy) settle() {
	for i := range e.firms {
		f := &e.firms[i]
		if !f.alive {
			continue
		}
		f.young = false
		due := int64(interest * float64(f.debt))
		back := min(f.debt, int64(math.Ceil(repayment*float64(f.debt))))
		if f.cash < due+back || len(f.workers) == 0 && f.cash < f.wage {
			e.bankrupt(f)
			continue
		}
		f.cash -= due + back
		f.debt -= back
		e.equity += due
		profit := f.revenue - f.wage*int64(len(f.workers)) - due
		e.income(f.owner, max(0, min(int64(payout*float64(profit)), f.cash-f.debt)), &f.cash)
		spoiled := int64(spoilage * float64(f.stock))
		f.stock -= spoiled
		e.now.spoiled += spoiled
	}
}

// income moves money to a household.
func (e *economy) income(h int, amount int64, from *int64) {
	*from -= amount
	e.households[h].money += amount
	e.households[h].income += amount
}

// bankrupt closes a firm. What it has goes to the bank, up to its debt, and then to the owner; the rest of the debt
// is a loss of the bank.
func (e *economy) bankrupt(f *firm) {
	for len(f.workers) > 0 {
		e.dismiss(f, len(f.workers)-1)
	}
	e.income(f.owner, max(0, f.cash-f.debt), &f.cash)
	e.equity -= f.debt - f.cash
	e.now.lost += f.stock
	e.now.bankruptcies++
	*f = firm{workers: f.workers}
}

// found gives empty places to households that can afford a firm. They copy one that they see: where there is none,
// none is founded.
func (e *economy) found() {
	models := e.living(func(*firm) bool { return true })
	if len(models) == 0 {
		return
	}
	for i := range e.firms {
		f := &e.firms[i]
		if f.alive || e.random.Float64() >= entryChance {
			continue
		}
		founder := e.random.IntN(len(e.households))
		model := &e.firms[models[e.random.IntN(len(models))]]
		h := &e.households[founder]
		if float64(model.wage) > founderShare*float64(h.money) {
			continue
		}
		h.money -= model.wage
		e.now.entries++
		*f = firm{
			alive: true, young: true, owner: founder, cash: model.wage, price: model.price, wage: model.wage,
			plan: productivity, workers: f.workers,
		}
	}
}

// payOut gives the households what the bank holds beyond its target, in equal parts.
func (e *economy) payOut() {
	beyond := float64(e.equity) - float64(bankTarget*float64(e.reserves))
	each := int64(bankPayout * beyond / float64(len(e.households)))
	if each <= 0 {
		return
	}
	for i := range e.households {
		e.income(i, each, &e.equity)
	}
}
