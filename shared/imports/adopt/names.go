package adopt

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxName is the maximum length of the name of a type or field.
const maxName = 63

// words splits a name of the database into words: unit_price and UnitPrice are "unit", "price".
func words(name string) []string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.FieldsFunc(strings.ToLower(b.String()), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// fieldName returns the name of a type or field for a name of the database.
func fieldName(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.Join(words(name), "_")) {
		switch r = unicode.ToUpper(r); {
		case r == 'ß', r == 'ẞ':
			b.WriteString("SS")
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r):
			b.WriteByte('X')
		}
	}
	text := b.String()
	if text == "" || text[0] < 'A' || text[0] > 'Z' {
		text = "X" + text
	}
	return strings.TrimRight(text[:min(len(text), maxName)], "_")
}

// distinct returns a name that taken does not contain, and adds it.
func distinct(name string, taken map[string]bool) string {
	unique := name
	for n := 2; taken[unique]; n++ {
		suffix := fmt.Sprintf("_%d", n)
		unique = name[:min(len(name), maxName-len(suffix))] + suffix
	}
	taken[unique] = true
	return unique
}

// title returns a title for people, without a last word such as "id".
func title(name, without string) string {
	w := words(name)
	if n := len(w); n > 1 && w[n-1] == without {
		w = w[:n-1]
	} else if n == 1 && without != "" && len(w[0]) > len(without)+2 {
		w[0] = strings.TrimSuffix(w[0], without)
	}
	if len(w) == 0 {
		return name
	}
	text := []rune(strings.Join(w, " "))
	text[0] = unicode.ToUpper(text[0])
	return string(text)
}

// subject returns the singular of a table's name.
func subject(table string) string {
	text := strings.ToLower(title(table, ""))
	switch {
	case strings.HasSuffix(text, "ies") && len(text) > len("ties"):
		return strings.TrimSuffix(text, "ies") + "y"
	case strings.HasSuffix(text, "sses"), strings.HasSuffix(text, "xes"), strings.HasSuffix(text, "ches"), strings.HasSuffix(text, "shes"):
		return strings.TrimSuffix(text, "es")
	case strings.HasSuffix(text, "s") && !strings.HasSuffix(text, "ss") && !strings.HasSuffix(text, "us") && !strings.HasSuffix(text, "is"):
		return strings.TrimSuffix(text, "s")
	}
	return text
}

// compact returns a name's words without anything between them: some databases fold UnitPrice to
// unitprice.
func compact(name string) string { return strings.Join(words(name), "") }

// endsIn reports whether a name ends in one of the words.
func endsIn(name string, endings ...string) bool {
	text := compact(name)
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(text, ending) })
}

// is reports whether a name is one of the words.
func is(name string, list ...string) bool { return slices.Contains(list, compact(name)) }

// isCode reports whether a column's name is that of a text by which people identify something.
func isCode(name string) bool {
	w := words(name)
	if len(w) == 0 || endsIn(name, "postalcode", "postcode", "zipcode", "areacode", "phonenumber", "faxnumber") {
		return false
	}
	return endsIn(name, "code", "sku", "number", "email", "emailaddress", "isbn", "ean", "gtin", "barcode", "slug", "login", "loginid", "username",
		"externalid", "abbreviation", "symbol", "reference") || slices.Contains([]string{"no", "nr", "ref", "key", "iso", "vin", "upc"}, w[len(w)-1])
}

// isName reports whether a column's name is that of a name of the table's rows: name, or the table's
// own name.
func isName(table, name string) bool {
	return compact(name) == compact(subject(table)) || endsIn(name, "name", "title", "label") && !isFirstName(name) && !isLastName(name) && !endsIn(name, "middlename", "filename", "username", "contactname", "jobtitle", "contacttitle") && !is(name, "titleofcourtesy")
}

func isFirstName(name string) bool { return endsIn(name, "firstname", "givenname", "forename") }
func isLastName(name string) bool  { return endsIn(name, "lastname", "surname", "familyname") }

// isEmail reports whether a column's name is that of an e-mail address.
func isEmail(name string) bool { return endsIn(name, "email", "emailaddress", "mailaddress") }

// isPersonal reports whether a column's name is that of data about a person.
func isPersonal(name string) bool {
	return isEmail(name) || isFirstName(name) || isLastName(name) ||
		endsIn(name, "middlename", "fullname", "phone", "phonenumber", "mobile", "fax", "birthdate", "dateofbirth", "birthday", "iban", "passport",
			"nationalid", "nationalidnumber", "gender", "salary", "loginid", "username") || is(name, "dob", "ssn", "sex", "maritalstatus")
}
