package entity

// Content is what the values of a Text or Reference field are like, where its Kind does
// not say: it speaks for or against columns whose headers are unsure. Nothing is
// refused for it.
type Content uint8

// The contents of fields.
const (
	AnyContent   Content = iota
	PhoneNumbers         // telephone numbers
	CountryNames         // countries, by their names or codes
)
