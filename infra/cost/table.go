package cost

import (
	"fmt"
	"strings"
)

// Table returns the bill in Markdown, with a row for each part.
func (b Bill) Table(p Prices) (string, error) {
	lines, err := b.priceLines(p)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString("| part | amount | item | cost | free of it |\n|---|---|---|---|---|\n")
	var list, free float64
	for _, l := range lines {
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s |\n", l.Part, l.Formula, l.Item, formatUSD(l.cost), formatUSD(l.free))
		list, free = list+l.cost, free+l.free
	}
	fmt.Fprintf(&text, "| **together** | | | **%s** | %s |\n", formatUSD(list), formatUSD(free))
	return text.String(), nil
}

// Summary returns a table of bills with their prices before and after the free tier.
func Summary(p Prices, bills ...Bill) (string, error) {
	var text strings.Builder
	text.WriteString("| month | list price | after what is free |\n|---|---|---|\n")
	for _, b := range bills {
		list, paid, err := b.Total(p)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "| %s | %s | %s |\n", b.Name, formatUSD(list), formatUSD(paid))
	}
	return text.String(), nil
}

// Table returns the list in Markdown.
func (p Prices) Table() string {
	var text strings.Builder
	text.WriteString("| item | price | free a month | as of | source |\n|---|---|---|---|---|\n")
	for _, price := range p.Prices {
		free := ""
		if price.Free > 0 {
			free = fmt.Sprint(price.Free)
		}
		fmt.Fprintf(&text, "| %s | $%v a %s | %s | %s | %s |\n", price.Item, price.USD, price.Unit, free, price.AsOf, price.Source)
	}
	return text.String()
}

// formatUSD formats an amount with cents, or with the significant digits of a fraction of a cent.
func formatUSD(usd float64) string {
	switch {
	case usd == 0:
		return ""
	case usd < 0.01:
		return fmt.Sprintf("$%.4f", usd)
	default:
		return fmt.Sprintf("$%.2f", usd)
	}
}
