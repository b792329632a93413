// Package cost says what a deployment costs a month: what of it is paid for is counted in
// its templates, what its work takes is assumed and said, and both are multiplied by a list
// of prices of one region and date. The tables in docs/cost.md are what it writes.
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

// Prices are what AWS asks in one region, on demand, before taxes.
type Prices struct {
	Region string
	Date   string // when the list was put together
	Prices []Price
}

// Price is that of one unit of an item.
type Price struct {
	Item, Unit string
	USD        float64
	// Free is how many units a month an account has for nothing, for good.
	Free float64
	// AsOf is when the source said so; "not looked up" is from memory of the page.
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
	return Price{}, fmt.Errorf("prices: there is none for %q", item)
}
