package generate

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// identityCell returns a cell that depends only on the identity: rows that repeat an order repeat
// all of its identifying values.
func identityCell(format string) func(*generator, int) Cell {
	return func(_ *generator, n int) Cell {
		t := fmt.Sprintf(format, n)
		return Cell{Raw: t, Value: t}
	}
}

// countCell returns an integer from least on; 0 is too small.
func countCell(least int) func(*generator, int) Cell {
	return func(g *generator, n int) Cell {
		if g.chance(3) {
			return Cell{Raw: "0", Code: "CELL_TOO_SMALL"}
		}
		if g.chance(3) {
			return Cell{Raw: "many", Code: "CELL_NUMBER"}
		}
		t := fmt.Sprint(least + n)
		return Cell{Raw: pickOne(g, t, t+".0", "+"+t), Value: t}
	}
}

func orders() *importType {
	return &importType{
		name: "ORDER", modes: []rowwrite.Mode{rowwrite.Insert},
		columns: []columnKind{
			{field: "CLIENT_ID", headers: []string{"Client id", "Client no"}, required: true, cell: func(*generator, int) Cell { return Cell{Raw: "7", Value: "7"} }},
			{field: "CLIENT_REFERENCE", headers: []string{"Client reference", "Order reference"}, optional: true, cell: identityCell("R-%d")},
			{field: "SENDER_NAME", headers: []string{"Sender name", "Shipper"}, required: true, cell: nameCell},
			{field: "SENDER_ADDRESS", headers: []string{"Sender address"}, required: true, cell: identityCell("%d Long Street,\nTown")},
			{field: "SENDER_CONTACT", headers: []string{"Sender contact"}, required: true, cell: identityCell("+27 82 %03d")},
			{field: "RECEIVER_NAME", headers: []string{"Receiver name", "Consignee"}, required: true, cell: identityCell("Receiver %d")},
			{field: "RECEIVER_ADDRESS", headers: []string{"Receiver address"}, required: true, cell: identityCell("%d Main Road")},
			{field: "RECEIVER_CITY", headers: []string{"Receiver city"}, required: true, cell: identityCell("City %d")},
			{field: "RECEIVER_PINCODE", headers: []string{"Receiver pincode", "Pin code"}, required: true, cell: func(g *generator, n int) Cell {
				if g.chance(4) {
					return Cell{Raw: "012345", Code: "CELL_PATTERN"}
				}
				return identityCell("4000%02d")(g, n)
			}},
			{field: "ITEM_COUNT", headers: []string{"Item count", "Pieces"}, required: true, cell: countCell(1)},
			{field: "TOTAL_WEIGHT", headers: []string{"Total weight", "Weight kg"}, required: true, cell: countCell(2)},
			{field: "SERVICE_TYPE", headers: []string{"Service type", "Service"}, required: true, cell: func(g *generator, _ int) Cell {
				return Cell{Raw: pickOne(g, "EXPRESS", "express"), Value: "EXPRESS"}
			}},
		},
		model: func(*Import) model { return newOrdersModel() },
	}
}

// ordersModel is the model of orders: each key creates one.
type ordersModel struct {
	orders  map[string]*modelEntity
	ownKeys map[string]bool
}

func newOrdersModel() *ordersModel {
	o := &ordersModel{orders: make(map[string]*modelEntity), ownKeys: make(map[string]bool)}
	for n := range existing {
		key := fmt.Sprintf("7:R-%d", n)
		o.orders[key] = &modelEntity{values: map[string]string{"KEY": key, "SENDER_NAME": "Old", "ITEM_COUNT": "1", "TOTAL_WEIGHT": "1"}}
	}
	return o
}

func (o *ordersModel) setupSQL() []string {
	var setup []string
	for key := range o.orders {
		setup = append(setup, fmt.Sprintf(`INSERT INTO orders (organisation_id, idempotency_key, client_id, client_reference, sender_name, sender_address, sender_contact,
			receiver_name, receiver_address, receiver_city, receiver_pincode, item_count, total_weight, service_type)
			VALUES ($1, '%s', 7, '%s', 'Old', 'a', 'b', 'c', 'd', 'e', '400001', 1, 1, 'EXPRESS')`, key, strings.TrimPrefix(key, "7:")))
	}
	return setup
}

func (o *ordersModel) apply(_ int64, r row) checker.Line {
	key := "7:" + r.values["CLIENT_REFERENCE"]
	shown := key
	if key == "7:" {
		shown = "HASH"
		for _, c := range orders().columns {
			key += "|" + r.values[c.field]
		}
	}
	if o.orders[key] != nil {
		code := alreadyExists
		if o.ownKeys[key] {
			code = duplicate
		}
		return checker.Line{Outcome: rowwrite.Skipped, Codes: []string{code}}
	}
	o.ownKeys[key] = true
	o.orders[key] = entityOf(r, "SENDER_NAME", "ITEM_COUNT", "TOTAL_WEIGHT")
	o.orders[key].values["KEY"] = shown
	return checker.Line{Outcome: rowwrite.Created, Codes: []string{}}
}

func (o *ordersModel) beginRetry() { clear(o.ownKeys) }

func (o *ordersModel) tables() []checker.Table {
	var things []*modelEntity
	for _, t := range o.orders {
		things = append(things, t)
	}
	return []checker.Table{content("orders", `
		SELECT concat_ws('|', CASE WHEN idempotency_key LIKE 'HASH:%' THEN 'HASH' ELSE idempotency_key END, sender_name, item_count, trim_scale(total_weight))
		FROM orders WHERE organisation_id = $1`, things, "KEY", "SENDER_NAME", "ITEM_COUNT", "TOTAL_WEIGHT")}
}
