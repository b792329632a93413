package cost

import "fmt"

// Line is one part of a bill: an item and its amount, in units.
type Line struct {
	Part, Formula string
	Item          string
	Amount        float64
}

// Bill is the cost of a month, or of some work.
type Bill struct {
	Name  string
	Lines []Line
}

// pricedLine is a line with its list price and the part covered by the free tier.
type pricedLine struct {
	Line
	cost, free float64
}

// priceLines calculates the prices of the lines. Lines of the same item share the free tier.
func (b Bill) priceLines(p Prices) ([]pricedLine, error) {
	left := make(map[string]float64)
	var lines []pricedLine
	for _, l := range b.Lines {
		price, err := p.find(l.Item)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", b.Name, l.Part, err)
		}
		if _, seen := left[l.Item]; !seen {
			left[l.Item] = price.Free
		}
		free := min(left[l.Item], l.Amount)
		left[l.Item] -= free
		lines = append(lines, pricedLine{l, l.Amount * price.USD, free * price.USD})
	}
	return lines, nil
}

// Total returns the list price of the bill, and the price after the free tier.
func (b Bill) Total(p Prices) (list, paid float64, err error) {
	lines, err := b.priceLines(p)
	for _, l := range lines {
		list += l.cost
		paid += l.cost - l.free
	}
	return list, paid, err
}
