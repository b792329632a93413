package files

import "fmt"

var italianLocale = locale{
	women:  []string{"Niccolò Maria", "Giulia", "Beatrice", "Chiara", "Letizia"},
	men:    []string{"Matteo", "Nicolò", "Giosuè", "Alessandro", "Elia"},
	last:   []string{"Dell'Acqua", "Rossi", "Colò", "Esposito", "De Luca", "Forlì"},
	domain: "corsa.example", phone: "3%03d %04d",
}

// raceEntries are the entries of a race with a timekeeper who writes in another language.
// Unknown clubs are created without a question, so values that are not clubs need a
// decision in advance.
func raceEntries() source {
	return source{
		name: "race entries", importType: "EVENT_PARTICIPANT", resource: "event_participants", categories: []string{"Open", "Veterans", "Junior"},
		key: "registration_number", other: []string{"id"},
		mapping: `{
			"fields": [
				{"field": "RACE_NUMBER", "from": ["Pettorale"]}, {"field": "LAST_NAME", "from": ["Cognome"]}, {"field": "FIRST_NAME", "from": ["Nome"]},
				{"field": "BIRTH_DATE", "from": ["Nato/a il"], "dateOrder": "dmy"}, {"field": "EVENT_CATEGORY_NAME", "from": ["Cat."]},
				{"field": "CUSTOM_LIST_1", "from": ["Società"]}, {"field": "REGISTRATION_NUMBER", "from": ["Codice iscrizione"]},
				{"field": "EMAIL", "from": ["Posta elettronica"]}
			],
			"ignore": ["Sesso", "Pagato"],
			"values": [{"field": "CUSTOM_LIST_1", "value": "-", "then": "empty"}]
		}`,
		values: []valueDecision{
			{Field: "EVENT_CATEGORY_NAME", Value: "Assoluti", To: "Open"}, {Field: "EVENT_CATEGORY_NAME", Value: "Veterani", To: "Veterans"},
			{Field: "EVENT_CATEGORY_NAME", Value: "Allievi", To: "Junior"},
		},
		edition: func(n int) file {
			lines := [][]string{{"Pettorale", "Cognome", "Nome", "Nato/a il", "Sesso", "Cat.", "Società", "Codice iscrizione", "Posta elettronica", "Pagato"}}
			f := file{name: fmt.Sprintf("iscritti_%d.csv", n)}
			categories := map[string]string{"Assoluti": "Open", "Veterani": "Veterans", "Allievi": "Junior"}
			for _, i := range personNumbers(n) {
				p := italianLocale.person(i)
				category, club := p.pick("Assoluti", "Veterani", "Allievi"), p.pick("A.S.D. Lupi", "Podistica Forlì", "-")
				listed := club
				if club == "-" {
					listed = ""
				}
				lines = append(lines, []string{
					fmt.Sprint(i), p.last, p.first, p.born.Format("02/01/2006"), p.choose("F", "M"), category, club, fmt.Sprintf("IT-%04d", i), p.email, p.pick("sì", "no"),
				})
				f.rows = append(f.rows, withoutEmpty(row{
					"race_number": fmt.Sprint(i), "last_name": p.last, "first_name": p.first, "birth_date": isoDate(p.born), "category": categories[category],
					"custom1": listed, "registration_number": fmt.Sprintf("IT-%04d", i), "email": p.email,
				}))
			}
			f.content = delimitedFile(",", "\n", lines)
			return f
		},
	}
}
