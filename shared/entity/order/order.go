// Package order is the import type ORDER: shipments, each created once for its idempotency key,
// however many files contain it.
package order

import (
	_ "embed"
	"time"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Type imports orders.
type Type struct{}

// New returns the type.
func New() *Type { return &Type{} }

// headers holds the field headers in languages other than English.
//
//go:embed headers.txt
var headers string

// Declaration returns the fields and properties of the type.
func (*Type) Declaration() *entity.Declaration { return &declaration }

// Indexes of the fields in the declaration.
const (
	clientID = iota
	clientReference
	senderName
	senderAddress
	senderContact
	receiverName
	receiverAddress
	receiverCity
	receiverPincode
	itemCount
	totalWeight
	serviceType
	declaredValue
	codAmount
	specialInstructions
)

// retention is how long batches and their rows are retained, as required by the source design;
// the orders stay.
const retention = 180 * 24 * time.Hour

var declaration = entity.Declaration{
	Name: "ORDER", Resource: "orders", Title: "Orders",
	Subjects:     []string{"order", "shipment"},
	Modes:        []rowwrite.Mode{rowwrite.Insert},
	Retention:    retention,
	Export:       &entity.Export{Table: "orders", Key: "id"},
	BatchUploads: &entity.BatchUploads{Path: "/api/orders/bulk-uploads", TranslateRowError: translateRowError},
	Fields: entity.WithTranslatedHeaders(headers, []entity.Field{
		clientID: {Name: "CLIENT_ID", Column: "client_id", Title: "Client id", Kind: entity.Integer, ExactDigits: true, Required: true, Min: "1",
			Concepts: []string{"customer:record.id"}, Aliases: []string{"Client", "Client no", "Client number", "Customer id"}},
		clientReference: {Name: "CLIENT_REFERENCE", Column: "client_reference", Title: "Client reference", Kind: entity.Text, Identifying: true, WithoutValue: "such orders are recognised by all of their values", MaxLength: 200,
			Concepts: []string{"order.reference", "customer:order.reference"}, Aliases: []string{"Reference", "Client ref", "Order reference", "Ref no", "Reference number"}},
		senderName: {Name: "SENDER_NAME", Column: "sender_name", Title: "Sender name", Kind: entity.Text, Required: true, MaxLength: 200,
			Concepts: []string{"sender:party", "sender:person.fullName", "sender:record.name"}, Aliases: []string{"Sender", "From", "Shipper", "Shipper name"}},
		senderAddress: {Name: "SENDER_ADDRESS", Column: "sender_address", Title: "Sender address", Kind: entity.Text, Required: true, MaxLength: 1000,
			Concepts: []string{"sender:address.full", "sender:address.street"}, Aliases: []string{"Pickup address", "From address", "Shipper address"}},
		senderContact: {Name: "SENDER_CONTACT", Column: "sender_contact", Title: "Sender contact", Kind: entity.Text, ExactDigits: true, Required: true, MaxLength: 100,
			Concepts: []string{"sender:contact.phone", "sender:contact.mobile"}, Aliases: []string{"Sender phone", "Sender mobile", "Pickup contact", "Shipper contact"}},
		receiverName: {Name: "RECEIVER_NAME", Column: "receiver_name", Title: "Receiver name", Kind: entity.Text, Required: true, MaxLength: 200,
			Concepts: []string{"receiver:party", "receiver:person.fullName", "receiver:record.name"}, Aliases: []string{"Receiver", "Recipient", "Recipient name", "Consignee", "Consignee name", "To"}},
		receiverAddress: {Name: "RECEIVER_ADDRESS", Column: "receiver_address", Title: "Receiver address", Kind: entity.Text, Required: true, MaxLength: 1000,
			Concepts: []string{"receiver:address.full", "receiver:address.street"}, Aliases: []string{"Delivery address", "Recipient address", "Consignee address", "To address"}},
		receiverCity: {Name: "RECEIVER_CITY", Column: "receiver_city", Title: "Receiver city", Kind: entity.Text, Required: true, MaxLength: 200,
			Concepts: []string{"receiver:address.city", "address.city"}, Aliases: []string{"Delivery city", "Recipient city", "Destination city", "Consignee city"}},
		// India Post's PIN code: six digits, the first not zero.
		receiverPincode: {Name: "RECEIVER_PINCODE", Column: "receiver_pincode", Title: "Receiver pincode", Kind: entity.Text, Required: true,
			MaxLength: 10, Pattern: `^[1-9][0-9]{5}$`, FormatHint: "six digits without a leading zero: 110001",
			Concepts: []string{"receiver:address.postalCode", "address.postalCode"}, Aliases: []string{"Pincode", "Pin code", "Receiver pin code", "Delivery pincode", "Postal code", "Recipient pincode", "Consignee pincode"}},
		itemCount: {Name: "ITEM_COUNT", Column: "item_count", Title: "Item count", Kind: entity.Integer, Required: true, Min: "1",
			Concepts: []string{"item.count"}, Aliases: []string{"Items", "Number of items", "Pieces", "Quantity", "Qty"}},
		// With a resolution of one gram.
		totalWeight: {Name: "TOTAL_WEIGHT", Column: "total_weight", Title: "Total weight", Kind: entity.Decimal, Unit: "kg", Required: true, Min: "0.001",
			Concepts: []string{"parcel.weight"}, Aliases: []string{"Weight", "Weight kg", "Total weight kg", "Gross weight"}},
		serviceType: {Name: "SERVICE_TYPE", Column: "service_type", Title: "Service type", Kind: entity.Enum, Required: true,
			Enum: []string{"EXPRESS", "STANDARD", "ECONOMY"}, Concepts: []string{"shipping.service"}, Aliases: []string{"Service", "Delivery type", "Shipping service"}},
		declaredValue: {Name: "DECLARED_VALUE", Column: "declared_value", Title: "Declared value", Kind: entity.Decimal, Min: "0", Max: "100000",
			Concepts: []string{"value.declared"}, Aliases: []string{"Value", "Invoice value", "Insured value"}},
		codAmount: {Name: "COD_AMOUNT", Column: "cod_amount", Title: "COD amount", Kind: entity.Decimal, Min: "0",
			Concepts: []string{"money.cod"}, Aliases: []string{"COD", "Cash on delivery", "Cash on delivery amount"}},
		specialInstructions: {Name: "SPECIAL_INSTRUCTIONS", Column: "special_instructions", Title: "Special instructions", Kind: entity.Text, MaxLength: 2000,
			Concepts: []string{"order.instructions", "record.note"}, Aliases: []string{"Instructions", "Remarks", "Delivery instructions", "Notes"}},
	}),
}
