// Package cost calculates the monthly cost of a deployment: it counts the billed resources in the
// templates, assumes the usage of the workload, and multiplies both by a price list for one
// region and date. It generates the tables in docs/cost.md.
//
// Tested by infra/cdk/stack: the bills of its templates, and their goals.
package cost

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed prices.json
var pricesJSON []byte

// Prices is a list of AWS on-demand prices in one region, before taxes.
type Prices struct {
	Region string
	Date   string // when the list was compiled
	Prices []Price
}

// Price is the price of one unit of an item.
type Price struct {
	Item, Unit string
	USD        float64
	// Free is the permanent free tier, in units per month.
	Free float64
	// AsOf is the date of the source; "not looked up" marks a price from memory.
	AsOf, Source string
}

// LoadPrices returns the list.
func LoadPrices() (Prices, error) {
	var p Prices
	if err := json.Unmarshal(pricesJSON, &p); err != nil {
		return Prices{}, fmt.Errorf("prices: %w", err)
	}
	return p, nil
}

// find returns the price of an item.
func (p Prices) find(item string) (Price, error) {
	for _, price := range p.Prices {
		if price.Item == item {
			return price, nil
		}
	}
	return Price{}, fmt.Errorf("prices: no price for %q", item)
}
