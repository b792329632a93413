package files

import (
	"fmt"
	"time"
)

var frenchLocale = locale{
	women:  []string{"Éloïse", "Anaïs", "Françoise", "Zoé", "Marie-Thérèse", "Inès"},
	men:    []string{"François", "Jérôme", "Noël", "Loïc", "André", "Jean-Baptiste"},
	last:   []string{"Lefèvre", "d'Ormesson", "Besançon", "Müller", "Le Goff", "Noël"},
	domain: "societe.example", phone: "06 %04d %04d",
}

// frenchHR is a list of employees with names in two columns, and with boolean values as
// written by Excel or by hand.
func frenchHR() source {
	return source{
		name: "french HR", importType: "USER", resource: "users", mode: "upsert", key: "email", other: []string{"id", "updated_at"},
		mapping: `{
			"fields": [
				{"field": "NAME", "from": ["Prénom", "Nom"], "separator": " "},
				{"field": "EMAIL", "from": ["Courriel professionnel"], "transforms": [{"op": "lower"}]},
				{"field": "ROLE", "from": ["Profil"], "transforms": [{"op": "map", "values": {"Administrateur": "admin", "Responsable": "manager", "Employé": "user"}}]},
				{"field": "ACTIVE", "from": ["Compte actif"]},
				{"field": "CREATED_AT", "from": ["Date d'entrée"], "dateOrder": "dmy"}
			],
			"ignore": ["Matricule", "Service", "Temps de travail"]
		}`,
		values: []valueDecision{{Field: "ACTIVE", Value: "En congé", To: "true"}, {Field: "ACTIVE", Value: "Parti", To: "false"}},
		edition: func(n int) file {
			lines := [][]string{{"Matricule", "Nom", "Prénom", "Courriel professionnel", "Service", "Profil", "Compte actif", "Date d'entrée", "Temps de travail"}}
			f := file{name: fmt.Sprintf("effectif-%d.csv", n)}
			actives := map[string]string{"Oui": "true", "VRAI": "true", "En congé": "true", "Non": "false", "FAUX": "false", "Parti": "false"}
			roles := map[string]string{"Administrateur": "admin", "Responsable": "manager", "Employé": "user"}
			for _, i := range personNumbers(n) {
				p := frenchLocale.person(i)
				active, role := p.pick("Oui", "Oui", "VRAI", "Non", "FAUX", "En congé", "Parti"), p.pick("Administrateur", "Responsable", "Employé")
				if n == 2 && i <= firstEditionEnd {
					active = "Parti"
				}
				lines = append(lines, []string{
					fmt.Sprintf("M%05d", i), p.last, p.first, p.choose("", " ") + p.email, p.pick("Comptabilité", "Achats; ventes", "Recherche"), role, active,
					p.joined.Format("02/01/2006"), p.pick("100 %", "80 %"),
				})
				f.rows = append(f.rows, row{
					"name": p.first + " " + p.last, "email": p.email, "role": roles[role], "active": actives[active], "created_at": p.joined.Format(time.RFC3339),
				})
			}
			f.content = append([]byte("\xef\xbb\xbf"), delimitedFile(";", "\r\n", lines)...)
			return f
		},
	}
}
