package files

import (
	"fmt"

	"golang.org/x/text/encoding/charmap"
)

var germanLocale = locale{
	women:  []string{"Anna", "Käthe", "Jörgine", "Ursula", "Zoë", "Heike", "Margarete"},
	men:    []string{"Jürgen", "Björn", "Hans-Peter", "Günter", "Paul", "Sören", "Uwe"},
	last:   []string{"Müller", "Groß", "Schäfer", "von der Heide", "Özdemir", "Krüger", "Weiß", "Lang"},
	domain: "verein.example", phone: "0%03d/%04d",
}

// germanCRM is a customer list as a German office exports it: Windows-1252,
// semicolons, "Name" for the last name, a form of address for the gender.
func germanCRM() source {
	return source{
		name: "german CRM", importType: "MEMBERSHIP", resource: "memberships", mode: "upsert", types: []string{"Senior", "Junior"}, key: "email",
		mapping: `{
			"fields": [
				{"field": "MEMBERSHIP_NUMBER", "from": ["Kd-Nr."]}, {"field": "GENDER", "from": ["Anrede"]},
				{"field": "LAST_NAME", "from": ["Name"]}, {"field": "FIRST_NAME", "from": ["Vorname"]},
				{"field": "PHONE", "from": ["Telefon privat"]}, {"field": "EMAIL", "from": ["E-Mail"]},
				{"field": "BIRTH_DATE", "from": ["Geb.-Datum"]}, {"field": "ID_COUNTRY", "from": ["Land"]},
				{"field": "MEMBERSHIP_TYPE_ID", "from": ["Mitgliedsart"]}, {"field": "JOINED_ON", "from": ["Eintritt"]}
			],
			"ignore": ["Straße", "PLZ", "Ort", "Beitrag €"]
		}`,
		values: []valueDecision{
			{Field: "GENDER", Value: "Frau", To: "FEMALE"}, {Field: "GENDER", Value: "Herr", To: "MALE"}, {Field: "GENDER", Value: "Firma", Then: "empty"},
			{Field: "MEMBERSHIP_TYPE_ID", Value: "Erwachsene", To: "Senior"}, {Field: "MEMBERSHIP_TYPE_ID", Value: "Jugendliche", To: "Junior"},
			{Field: "MEMBERSHIP_TYPE_ID", Value: "Ehrenmitglied", Then: "create"},
		},
		edition: germanEdition,
	}
}

func germanEdition(n int) file {
	lines := [][]string{{"Kd-Nr.", "Anrede", "Name", "Vorname", "Straße", "PLZ", "Ort", "Telefon privat", "E-Mail", "Geb.-Datum", "Land", "Mitgliedsart", "Eintritt", "Beitrag €"}}
	f := file{name: fmt.Sprintf("Kundenliste %d.csv", n)}
	kinds := map[string]string{"Erwachsene": "Senior", "Jugendliche": "Junior", "Ehrenmitglied": "Ehrenmitglied"}
	lands := map[string]string{"Deutschland": "DE", "Österreich": "AT", "Schweiz": "CH"}
	for _, i := range personNumbers(n) {
		p := germanLocale.person(i)
		if n == 2 && i <= firstEditionEnd {
			p.phone = fmt.Sprintf("+49 40 %06d", i) // new phone number after a move
		}
		number, kind, land := fmt.Sprint(10_000+i), p.pick("Erwachsene", "Jugendliche", "Ehrenmitglied"), p.pick("Deutschland", "Deutschland", "Österreich", "Schweiz")
		salutation, gender := p.choose("Frau", "Herr"), p.gender()
		if i%19 == 0 {
			salutation, gender = "Firma", ""
		}
		lines = append(lines, []string{
			number, salutation, p.last, p.first, "Große Straße " + fmt.Sprint(i), fmt.Sprintf("0%04d", i), "Köln", p.phone, p.email,
			p.born.Format("02.01.2006"), land, kind, p.joined.Format("02.01.2006"), fmt.Sprintf("1.%03d,50 €", i),
		})
		f.rows = append(f.rows, p.memberRow(row{"membership_number": number, "gender": gender, "country_id": lands[land], "type_id": kinds[kind]}))
	}
	f.content = encodeText(charmap.Windows1252, delimitedFile(";", "\r\n", lines))
	return f
}
