package files

import "fmt"

var americanLocale = locale{
	women:  []string{"Mary-Ann", "Kaylee", "Brooke", "Dolores", "Sinéad"},
	men:    []string{"Tyler", "DeShawn", "Bob", "José", "Wyatt"},
	last:   []string{"O'Connor", "Smith", "Nguyen", "García", "MacDonald", "St. Clair"},
	domain: "club.example", phone: "(555) %04d-%04d",
}

// clubWorkbook is a club's workbook as maintained by a volunteer: a cover sheet, a title
// above the header, a header of two rows with merged groups, and totals below.
func clubWorkbook() source {
	return source{
		name: "club workbook", importType: "MEMBERSHIP", resource: "memberships", mode: "upsert", types: []string{"Senior", "Junior"}, key: "email",
		mapping: `{
			"source": {"sheetName": "Roster", "headerRow": 6, "headerRows": 2, "skipFooterRows": 2},
			"fields": [
				{"field": "LAST_NAME", "from": ["Member Last"]}, {"field": "FIRST_NAME", "from": ["Member First"]},
				{"field": "BIRTH_DATE", "from": ["Member DOB"]}, {"field": "GENDER", "from": ["Member Sex"]},
				{"field": "EMAIL", "from": ["Contact Email"]}, {"field": "PHONE", "from": ["Contact Phone"]},
				{"field": "MEMBERSHIP_NUMBER", "from": ["Membership No."]}, {"field": "MEMBERSHIP_TYPE_ID", "from": ["Membership Type"]},
				{"field": "JOINED_ON", "from": ["Membership Since"]}
			],
			"ignore": ["Contact State", "Membership Dues"]
		}`,
		values: []valueDecision{
			{Field: "MEMBERSHIP_TYPE_ID", Value: "Adult (18+)", To: "Senior"}, {Field: "MEMBERSHIP_TYPE_ID", Value: "Youth", To: "Junior"},
			{Field: "MEMBERSHIP_TYPE_ID", Value: "Life", Then: "create"},
		},
		edition: clubEdition,
	}
}

func clubEdition(n int) file {
	f := file{name: fmt.Sprintf("Club Roster v%d FINAL.xlsx", n)}
	w := newWorkbook("Cover")
	w.setRow("Cover", 2, "Riverside Track Club", "", "")
	w.setRow("Cover", 4, "Prepared by", "The secretary")
	w.setRow("Cover", 5, "Season", 2026)
	w.sheet("Roster")
	w.setRow("Roster", 1, "Riverside Track Club")
	w.setRow("Roster", 2, "Member roster, confidential")
	w.setRow("Roster", 3, fmt.Sprintf("Printed for the meeting no. %d", n))
	w.setRow("Roster", 5, "Member", "", "", "", "Contact", "", "", "Membership", "", "", "")
	w.merge("Roster", "A5:D5", "E5:G5", "H5:K5", "A1:K1")
	w.setRow("Roster", 6, "Last", "First", "DOB", "Sex", "Email", "Phone", "State", "No.", "Type", "Since", "Dues")
	kinds := map[string]string{"Adult (18+)": "Senior", "Youth": "Junior", "Life": "Life"}
	at := 7
	for _, i := range personNumbers(n) {
		p := americanLocale.person(i)
		if n == 2 && i <= firstEditionEnd {
			p.phone = fmt.Sprintf("555-%04d", i)
		}
		kind := p.pick("Adult (18+)", "Adult (18+)", "Youth", "Life")
		w.setRow("Roster", at, p.last, p.first, p.born, p.choose("F", "M"), p.email, p.phone, p.pick("OR", "WA", "CA"), 4000+i, kind, p.joined, 120.5)
		f.rows = append(f.rows, p.memberRow(row{"membership_number": fmt.Sprint(4000 + i), "type_id": kinds[kind]}))
		at++
	}
	w.setRow("Roster", at, "Total members", len(f.rows), "", "", "", "", "", "", "", "", float64(len(f.rows))*120.5)
	w.setRow("Roster", at+1, "* dues are payable by January 31")
	w.sheet("Lists")
	for i, word := range []any{"Adult (18+)", "Youth", "Life"} {
		w.setRow("Lists", i+1, word)
	}
	w.formatDates("Roster", "C", "J")
	f.content = w.bytes()
	return f
}
