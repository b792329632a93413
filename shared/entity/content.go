package entity

// Content describes the usual values of a Text or Reference field beyond its Kind. Column
// matching uses it if a header is ambiguous; it never rejects a value.
type Content uint8

// The contents of fields.
const (
	AnyContent   Content = iota
	PhoneNumbers         // telephone numbers
	CountryNames         // countries, by name or code
)
