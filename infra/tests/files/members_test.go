package files

import (
	"fmt"

	"golang.org/x/text/encoding/charmap"
)

var (
	dutchLocale = locale{
		women: []string{"Sanne", "Fleur", "Zoë", "Renée"}, men: []string{"Daan", "Jeroen", "René", "Sjoerd"},
		last: []string{"de Vries", "van den Berg", "Jansen", "in 't Veld"}, domain: "vereniging.example", phone: "06-%04d%04d",
	}
	spanishLocale = locale{
		women: []string{"María José", "Begoña", "Núria", "Inés"}, men: []string{"Ángel", "Íñigo", "José Ramón", "Óscar"},
		last: []string{"García Márquez", "Núñez", "Ibáñez", "de la Fuente"}, domain: "socios.example", phone: "6%04d %04d",
	}
	polishLocale = locale{
		women: []string{"Małgorzata", "Żaneta", "Agnieszka", "Łucja"}, men: []string{"Wojciech", "Stanisław", "Łukasz", "Grzegorz"},
		last: []string{"Wiśniewska", "Dąbrowski", "Źrebiec", "Gołębiowski"}, domain: "klub.example", phone: "5%04d%04d",
	}
)

// memberList holds the differences between member lists in several languages.
type memberList struct {
	locale
	file             string // with a placeholder for the edition
	header           []string
	delimiter, date  string
	woman, man       string
	kinds, countries map[string]string // value in the file → value in the database
	encode           func(text []byte) []byte
}

// edition returns a list with the columns in the order of header: number, first and last
// name, gender, born, e-mail, phone, country, kind, joined.
func (l memberList) edition(n int) file {
	lines := [][]string{l.header}
	f := file{name: fmt.Sprintf(l.file, n)}
	for _, i := range personNumbers(n) {
		p := l.person(i)
		if n == 2 && i <= firstEditionEnd {
			p.phone = fmt.Sprintf("+%09d", i)
		}
		kind, land, gender, salutation := p.pick(sortedKeys(l.kinds)...), p.pick(sortedKeys(l.countries)...), p.gender(), p.choose(l.woman, l.man)
		if i%23 == 0 {
			gender, salutation = "", "?"
		}
		lines = append(lines, []string{
			fmt.Sprintf("L%04d", i), p.first, p.last, salutation, p.born.Format(l.date), p.email, p.phone, land, kind, p.joined.Format(l.date),
		})
		f.rows = append(f.rows, p.memberRow(row{"membership_number": fmt.Sprintf("L%04d", i), "gender": gender, "country_id": l.countries[land], "type_id": l.kinds[kind]}))
	}
	f.content = l.encode(delimitedFile(l.delimiter, "\r\n", lines))
	return f
}

// mapping returns the mapping document that assigns a field to each column of the header.
func (l memberList) mapping() string {
	fields := ""
	for i, field := range []string{
		"MEMBERSHIP_NUMBER", "FIRST_NAME", "LAST_NAME", "GENDER", "BIRTH_DATE", "EMAIL", "PHONE", "ID_COUNTRY", "MEMBERSHIP_TYPE_ID", "JOINED_ON",
	} {
		if i > 0 {
			fields += ", "
		}
		fields += fmt.Sprintf(`{"field": %q, "from": [%q]`, field, l.header[i])
		if field == "BIRTH_DATE" || field == "JOINED_ON" {
			fields += `, "dateOrder": "dmy"`
		}
		fields += "}"
	}
	return `{"fields": [` + fields + `]}`
}

// source returns a source of such lists.
func (l memberList) source(name string) source {
	s := source{
		name: name, importType: "MEMBERSHIP", resource: "memberships", mode: "upsert", types: []string{"Senior", "Junior"}, key: "email", mapping: l.mapping(), edition: l.edition,
		values: []valueDecision{{Field: "GENDER", Value: l.woman, To: "FEMALE"}, {Field: "GENDER", Value: "?", Then: "empty"}},
	}
	if l.man != "Man" { // recognised by the field
		s.values = append(s.values, valueDecision{Field: "GENDER", Value: l.man, To: "MALE"})
	}
	for _, kind := range sortedKeys(l.kinds) {
		if to := l.kinds[kind]; to != kind {
			s.values = append(s.values, valueDecision{Field: "MEMBERSHIP_TYPE_ID", Value: kind, To: to})
		} else {
			s.values = append(s.values, valueDecision{Field: "MEMBERSHIP_TYPE_ID", Value: kind, Then: "create"})
		}
	}
	return s
}

func utf8(text []byte) []byte { return text }

func dutchMembers() source {
	return memberList{
		locale: dutchLocale, file: "ledenlijst-%d.csv", delimiter: ";", date: "02-01-2006", woman: "Vrouw", man: "Man", encode: utf8,
		header: []string{"Lidnr", "Voornaam", "Achternaam", "Geslacht (m/v)", "Geboren op", "E-mailadres", "Mobiel nummer", "Land van herkomst", "Soort lid", "Lid sinds"},
		kinds:  map[string]string{"Volwassene": "Senior", "Jeugdlid": "Junior", "Erelid": "Erelid"}, countries: map[string]string{"Nederland": "NL", "België": "BE"},
	}.source("dutch members")
}

func spanishMembers() source {
	return memberList{
		locale: spanishLocale, file: "socios %d.csv", delimiter: ",", date: "02/01/2006", woman: "Mujer", man: "Hombre", encode: utf8,
		header: []string{"Nº de socio", "Nombre de pila", "Apellidos", "Sexo", "F. nacimiento", "Correo", "Teléfono móvil", "Nacionalidad", "Tipo de socio", "Fecha de alta"},
		kinds:  map[string]string{"Adulto": "Senior", "Infantil": "Junior"}, countries: map[string]string{"España": "ES", "Portugal": "PT"},
	}.source("spanish members")
}

func polishMembers() source {
	return memberList{
		locale: polishLocale, file: "członkowie %d.csv", delimiter: ";", date: "02.01.2006", woman: "Kobieta", man: "Mężczyzna",
		encode: func(text []byte) []byte { return encodeText(charmap.Windows1250, text) },
		header: []string{"Nr członkowski", "Imię", "Nazwisko", "Płeć", "Data urodzenia", "Adres e-mail", "Telefon komórkowy", "Kraj", "Rodzaj członkostwa", "Data przystąpienia"},
		kinds:  map[string]string{"Dorosły": "Senior", "Młodzieżowy": "Junior"}, countries: map[string]string{"Polska": "PL", "Niemcy": "DE"},
	}.source("polish members")
}

// mixedDates is a list that several people have edited: dates as date cells, with month
// names, month before day in one column and day before month in the other.
func mixedDates() source {
	return source{
		name: "mixed dates", importType: "MEMBERSHIP", resource: "memberships", mode: "upsert", types: []string{"Senior"}, key: "email",
		mapping: `{
			"fields": [
				{"field": "FIRST_NAME", "from": ["First name"]}, {"field": "LAST_NAME", "from": ["Last name"]}, {"field": "EMAIL", "from": ["Email"]},
				{"field": "BIRTH_DATE", "from": ["Date of birth"], "dateOrder": "mdy"}, {"field": "JOINED_ON", "from": ["Joined on"], "dateOrder": "dmy"},
				{"field": "MEMBERSHIP_TYPE_ID", "constant": "Senior"}
			]
		}`,
		edition: func(n int) file {
			f := file{name: fmt.Sprintf("kept by several %d.xlsx", n)}
			w := newWorkbook("Members")
			w.setRow("Members", 1, "First name", "Last name", "Email", "Date of birth", "Joined on")
			w.formatDates("Members", "D", "E")
			for at, i := range personNumbers(n) {
				p := americanLocale.person(i)
				var born, joined any = p.born, p.joined
				switch i % 4 {
				case 1:
					born, joined = p.born.Format("1/2/2006"), p.joined.Format("02/01/2006")
				case 2:
					born, joined = p.born.Format("January 2, 2006"), p.joined.Format("2.1.2006")
				case 3:
					born, joined = p.born.Format("2006-01-02"), p.joined.Format("2 Jan 2006")
				}
				w.setRow("Members", at+2, p.first, p.last, p.email, born, joined)
				f.rows = append(f.rows, row{
					"first_name": p.first, "last_name": p.last, "email": p.email, "birth_date": isoDate(p.born), "joined_on": isoDate(p.joined), "type_id": "Senior",
				})
			}
			f.content = w.bytes()
			return f
		},
	}
}
