package cost

import (
	"fmt"
	"strings"
)

// Goal limits the list price of a bill.
type Goal struct {
	Bill
	Limit float64 // US dollars
}

// Goals returns the goals for idle months of two deployments, and for work without the database. prod
// is serverless.
func Goals(dev, prod Deployment) []Goal {
	prod.Name = "prod, serverless, ipv6, idle, 0 ACU"
	awake := prod
	awake.Name, awake.MinACU = "prod, serverless, ipv6, idle, 0.5 ACU", 0.5
	dev.Name = "dev, idle"
	return []Goal{
		{dev.Idle(), 6.5}, {prod.Idle(), 15}, {awake.Idle(), 60},
		{SmallFiles(), 2.5}, {MillionRows(), 0.005},
	}
}

// Met reports whether the list price is within the limit.
func (g Goal) Met(p Prices) (bool, error) {
	list, _, err := g.Total(p)
	return list <= g.Limit, err
}

// GoalsTable returns the goals in Markdown, with what the bills amount to.
func GoalsTable(p Prices, goals []Goal) (string, error) {
	var text strings.Builder
	text.WriteString("| list price | at most | computed | |\n|---|---|---|---|\n")
	for _, g := range goals {
		list, _, err := g.Total(p)
		if err != nil {
			return "", err
		}
		verdict := "met"
		if list > g.Limit {
			verdict = "**not met**"
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", g.Name, formatUSD(g.Limit), formatUSD(list), verdict)
	}
	return text.String(), nil
}
