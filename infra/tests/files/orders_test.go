package files

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

var indianLocale = locale{
	women:  []string{"Priya", "Ananya", "Lakshmi", "Fatima"},
	men:    []string{"Rahul", "Arjun", "Mohammed", "Vikram"},
	last:   []string{"Sharma", "Iyer", "Khan", "D'Souza", "Banerjee"},
	domain: "shop.example", phone: "+91 9%04d %04d",
}

// orderConstants are mapping constants for fields that a sender's own files never contain.
const orderConstants = `
	{"field": "CLIENT_ID", "constant": "90"}, {"field": "SENDER_NAME", "constant": "Spice & Co"},
	{"field": "SENDER_ADDRESS", "constant": "12 Market Road, Kochi"}, {"field": "SENDER_CONTACT", "constant": "+91 484 1234567"}`

// orderRow returns the row of a person's order from that sender.
func (p person) orderRow(reference string, more row) row {
	r := row{
		"client_id": "90", "client_reference": reference, "sender_name": "Spice & Co", "sender_address": "12 Market Road, Kochi", "sender_contact": "+91 484 1234567",
		"receiver_name": p.first + " " + p.last,
	}
	for column, text := range more {
		r[column] = text
	}
	return withoutEmpty(r)
}

// groupThousands formats an amount of paise as rupees with thousands separators.
func groupThousands(paise int) string {
	return message.NewPrinter(language.English).Sprintf("%d.%02d", paise/100, paise%100)
}

// formatHundredths formats a number of hundredths as the database does.
func formatHundredths(hundredths int) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100), "0"), ".")
}

// courierOrders are orders in a shop's human-readable format: amounts with a currency
// and weights with a unit.
func courierOrders() source {
	return source{
		name: "courier orders", importType: "ORDER", resource: "orders", key: "client_reference", other: []string{"id"},
		typo: typo{expected: "415 005", wrong: "415 OO5", correction: "415005"},
		mapping: `{
			"fields": [` + orderConstants + `,
				{"field": "CLIENT_REFERENCE", "from": ["AWB"]}, {"field": "RECEIVER_NAME", "from": ["Consignee"]}, {"field": "RECEIVER_ADDRESS", "from": ["Deliver at"]},
				{"field": "RECEIVER_CITY", "from": ["City"]}, {"field": "RECEIVER_PINCODE", "from": ["PIN"], "transforms": [{"op": "replace", "old": " "}]},
				{"field": "ITEM_COUNT", "from": ["Boxes"], "transforms": [{"op": "extract", "pattern": "^[0-9]+"}]},
				{"field": "TOTAL_WEIGHT", "from": ["Wt."], "transforms": [{"op": "strip", "what": "unit"}], "decimalMark": "."},
				{"field": "SERVICE_TYPE", "from": ["Mode"]},
				{"field": "DECLARED_VALUE", "from": ["Invoice amt"], "transforms": [{"op": "strip", "what": "currency"}], "decimalMark": "."},
				{"field": "COD_AMOUNT", "from": ["To collect"], "transforms": [{"op": "strip", "what": "currency"}, {"op": "default", "value": "0"}], "decimalMark": "."}
			],
			"ignore": ["Sr"]
		}`,
		values: []valueDecision{
			{Field: "SERVICE_TYPE", Value: "Air", To: "EXPRESS"}, {Field: "SERVICE_TYPE", Value: "Surface", To: "STANDARD"}, {Field: "SERVICE_TYPE", Value: "Rail", To: "ECONOMY"},
		},
		edition: courierEdition,
	}
}

func courierEdition(n int) file {
	lines := [][]string{{"Sr", "AWB", "Consignee", "Deliver at", "City", "PIN", "Boxes", "Wt.", "Mode", "Invoice amt", "To collect"}}
	f := file{name: fmt.Sprintf("dispatch %d.csv", n)}
	services := map[string]string{"Air": "EXPRESS", "Surface": "STANDARD", "Rail": "ECONOMY"}
	for _, i := range personNumbers(n) {
		p := indianLocale.person(i)
		boxes, weight, worth, service := 1+p.random.IntN(5), 25+p.random.IntN(4000), 10_000+p.random.IntN(900_000), p.pick("Air", "Surface", "Rail")
		collect, collected := "", "0"
		if p.random.IntN(3) == 0 {
			collect, collected = "₹"+groupThousands(worth), formatHundredths(worth)
		}
		weighed := formatHundredths(weight) + " kg"
		if weight%4 == 0 {
			weighed = formatHundredths(weight) + "kgs"
		}
		lines = append(lines, []string{
			fmt.Sprint(i), fmt.Sprintf("SP%06d", i), p.first + " " + p.last, fmt.Sprintf("Flat %d, MG Road", i), p.pick("Pune", "Chennai"), fmt.Sprintf("41%d %03d", i%10, i),
			fmt.Sprintf("%d box(es)", boxes), weighed, service, "₹" + groupThousands(worth), collect,
		})
		f.rows = append(f.rows, p.orderRow(fmt.Sprintf("SP%06d", i), row{
			"receiver_address": fmt.Sprintf("Flat %d, MG Road", i), "receiver_city": lines[len(lines)-1][4], "receiver_pincode": fmt.Sprintf("41%d%03d", i%10, i),
			"item_count": fmt.Sprint(boxes), "total_weight": formatHundredths(weight), "service_type": services[service], "declared_value": formatHundredths(worth), "cod_amount": collected,
		}))
	}
	f.content = delimitedFile(",", "\n", lines)
	return f
}

// totalledOrders are orders with the product's own headers, with totals and a note
// below that are not orders.
func totalledOrders() source {
	return source{
		name: "totals row", importType: "ORDER", resource: "orders", key: "client_reference", other: []string{"id"},
		typo: typo{expected: "110005", wrong: "11OOO5", correction: "110005"},
		mapping: `{
			"source": {"skipFooterRows": 2},
			"fields": [` + orderConstants + `,
				{"field": "CLIENT_REFERENCE", "from": ["Client reference"]}, {"field": "RECEIVER_NAME", "from": ["Receiver name"]}, {"field": "RECEIVER_ADDRESS", "from": ["Receiver address"]},
				{"field": "RECEIVER_CITY", "from": ["Receiver city"]}, {"field": "RECEIVER_PINCODE", "from": ["Receiver pincode"]}, {"field": "ITEM_COUNT", "from": ["Item count"]},
				{"field": "TOTAL_WEIGHT", "from": ["Total weight"], "decimalMark": "."}, {"field": "SERVICE_TYPE", "from": ["Service type"]}
			]
		}`,
		edition: func(n int) file {
			lines := [][]string{{"Client reference", "Receiver name", "Receiver address", "Receiver city", "Receiver pincode", "Item count", "Total weight", "Service type"}}
			f := file{name: fmt.Sprintf("manifest-%d.csv", n)}
			count, total := 0, 0
			for _, i := range personNumbers(n) {
				p := indianLocale.person(i)
				items, weight, service := 1+p.random.IntN(5), 25+p.random.IntN(4000), p.pick("EXPRESS", "STANDARD", "ECONOMY")
				count, total = count+items, total+weight
				lines = append(lines, []string{
					fmt.Sprintf("R-%d", i), p.first + " " + p.last, fmt.Sprintf("Plot %d", i), "Delhi", fmt.Sprintf("110%03d", i), fmt.Sprint(items), formatHundredths(weight), service,
				})
				f.rows = append(f.rows, p.orderRow(fmt.Sprintf("R-%d", i), row{
					"receiver_address": fmt.Sprintf("Plot %d", i), "receiver_city": "Delhi", "receiver_pincode": fmt.Sprintf("110%03d", i),
					"item_count": fmt.Sprint(items), "total_weight": formatHundredths(weight), "service_type": service,
				}))
			}
			lines = append(lines,
				[]string{"TOTAL", fmt.Sprintf("%d orders", len(f.rows)), "", "", "", fmt.Sprint(count), formatHundredths(total), ""},
				[]string{"Checked by: ______________", "", "", "", "", "", "", ""})
			f.content = delimitedFile(",", "\n", lines)
			return f
		},
	}
}

// shopOrders are orders exported by a web shop: many columns, a postal code
// after an apostrophe, an address in two columns and notes of several lines.
func shopOrders() source {
	return source{
		name: "web shop", importType: "ORDER", resource: "orders", key: "client_reference", other: []string{"id"},
		typo: typo{expected: "'560005", wrong: "'56OOO5", correction: "560005"},
		mapping: `{
			"fields": [` + orderConstants + `,
				{"field": "CLIENT_REFERENCE", "from": ["Name"], "transforms": [{"op": "replace", "old": "#"}]},
				{"field": "RECEIVER_NAME", "from": ["Shipping Name"]}, {"field": "RECEIVER_ADDRESS", "from": ["Shipping Address1", "Shipping Address2"], "separator": ", "},
				{"field": "RECEIVER_CITY", "from": ["Shipping City"]}, {"field": "RECEIVER_PINCODE", "from": ["Shipping Zip"], "transforms": [{"op": "strip", "what": "apostrophe"}]},
				{"field": "ITEM_COUNT", "from": ["Lineitem quantity"]}, {"field": "TOTAL_WEIGHT", "constant": "0.5"},
				{"field": "SERVICE_TYPE", "from": ["Shipping Method"]}, {"field": "DECLARED_VALUE", "from": ["Total"], "decimalMark": "."},
				{"field": "SPECIAL_INSTRUCTIONS", "from": ["Notes"]}
			],
			"ignore": ["Email", "Financial Status", "Paid at", "Fulfillment Status", "Accepts Marketing", "Currency", "Subtotal", "Shipping", "Taxes", "Created at", "Lineitem name",
				"Lineitem price", "Lineitem sku", "Billing Name", "Billing City", "Billing Zip", "Shipping Province", "Shipping Country", "Shipping Phone", "Note Attributes",
				"Payment Method", "Vendor", "Id", "Tags", "Risk Level", "Source"]
		}`,
		values: []valueDecision{{Field: "SERVICE_TYPE", Value: "Standard Shipping", To: "STANDARD"}, {Field: "SERVICE_TYPE", Value: "Next day", To: "EXPRESS"}},
		edition: func(n int) file {
			lines := [][]string{{
				"Name", "Email", "Financial Status", "Paid at", "Fulfillment Status", "Accepts Marketing", "Currency", "Subtotal", "Shipping", "Taxes", "Total", "Shipping Method",
				"Created at", "Lineitem quantity", "Lineitem name", "Lineitem price", "Lineitem sku", "Billing Name", "Billing City", "Billing Zip", "Shipping Name", "Shipping Address1",
				"Shipping Address2", "Shipping City", "Shipping Zip", "Shipping Province", "Shipping Country", "Shipping Phone", "Notes", "Note Attributes", "Payment Method", "Vendor",
				"Id", "Tags", "Risk Level", "Source",
			}}
			f := file{name: fmt.Sprintf("orders_export_%d.csv", n)}
			services := map[string]string{"Standard Shipping": "STANDARD", "Next day": "EXPRESS"}
			for _, i := range personNumbers(n) {
				p := indianLocale.person(i)
				worth, items, service := 10_000+p.random.IntN(900_000), 1+p.random.IntN(4), p.pick("Standard Shipping", "Next day")
				note, zip := p.pick("", "Ring twice,\nthen \"wait\"", "Leave with the guard"), fmt.Sprintf("560%03d", i)
				second, address := p.pick("", "Block C"), fmt.Sprintf("%d Brigade Road", i)
				at := p.joined.Format(time.DateTime) + " +0530"
				lines = append(lines, []string{
					fmt.Sprintf("#%d", 1000+i), p.email, "paid", at, p.pick("fulfilled", "unfulfilled"), p.pick("yes", "no"), "INR", formatHundredths(worth - 100), "1", "0", formatHundredths(worth), service,
					at, fmt.Sprint(items), "Garam Masala - 100g", formatHundredths(worth / items), fmt.Sprintf("GM-%d", i%7), p.first + " " + p.last, "Bengaluru", "'" + zip, p.first + " " + p.last, address,
					second, "Bengaluru", "'" + zip, "KA", "IN", "'" + p.phone, note, "", "Razorpay", "Spice & Co", fmt.Sprint(5_000_000_000_000 + i), "", "Low", "web",
				})
				if second != "" {
					address += ", " + second
				}
				f.rows = append(f.rows, p.orderRow(fmt.Sprint(1000+i), row{
					"receiver_address": address, "receiver_city": "Bengaluru", "receiver_pincode": zip, "item_count": fmt.Sprint(items), "total_weight": "0.5",
					"service_type": services[service], "declared_value": formatHundredths(worth), "special_instructions": note,
				}))
			}
			f.content = delimitedFile(",", "\n", lines)
			return f
		},
	}
}
