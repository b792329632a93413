package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/text/encoding/unicode"
)

// nestedAccounts are accounts as exported by a program: NDJSON with nested objects.
func nestedAccounts() source {
	return source{
		name: "nested NDJSON", importType: "USER", resource: "users", mode: "upsert", key: "id", other: []string{"updated_at"},
		mapping: `{
			"fields": [
				{"field": "ID", "from": ["id"]}, {"field": "NAME", "from": ["profile.name.given", "profile.name.family"], "separator": " "},
				{"field": "EMAIL", "from": ["profile.email"]}, {"field": "ROLE", "from": ["account.role"]}, {"field": "ACTIVE", "from": ["account.active"]},
				{"field": "CREATED_AT", "from": ["audit.createdAt"]}
			],
			"ignore": ["tags", "audit.source", "profile.phones"]
		}`,
		edition: func(n int) file {
			f := file{name: fmt.Sprintf("accounts-%d.ndjson", n)}
			var lines bytes.Buffer
			for _, i := range personNumbers(n) {
				p := frenchLocale.person(i)
				id, role, active := fmt.Sprintf("00000000-0000-4000-8000-%012d", i), p.pick("editor", "reader"), p.random.IntN(4) > 0
				line, err := json.Marshal(map[string]any{
					"id": id, "tags": []string{"imported", p.pick("a", "b")},
					"profile": map[string]any{"name": map[string]any{"given": p.first, "family": p.last}, "email": p.email, "phones": []string{p.phone}},
					"account": map[string]any{"role": role, "active": active},
					"audit":   map[string]any{"createdAt": p.joined.Format(time.RFC3339), "source": nil},
				})
				if err != nil {
					panic(err)
				}
				lines.Write(append(line, '\n'))
				f.rows = append(f.rows, row{
					"id": id, "name": p.first + " " + p.last, "email": p.email, "role": role, "active": fmt.Sprint(active), "created_at": p.joined.Format(time.RFC3339),
				})
			}
			f.content = lines.Bytes()
			return f
		},
	}
}

// unicodeEvents are events saved by Excel as Unicode text: UTF-16 with tabs.
func unicodeEvents() source {
	const form = "02.01.2006"
	sixth := germanLocale.person(6).joined.Format(form)
	return source{
		name: "UTF-16 tabs", importType: "EVENT", resource: "events", mode: "upsert", key: "name", other: []string{"id"},
		typo:    typo{expected: sixth, wrong: "31.02.2026", correction: sixth},
		mapping: `{"fields": [{"field": "NAME", "from": ["Bezeichnung"]}, {"field": "STARTS_ON", "from": ["Termin"]}], "ignore": ["Ort"]}`,
		edition: func(n int) file {
			lines := [][]string{{"Bezeichnung", "Termin", "Ort"}}
			f := file{name: fmt.Sprintf("Termine %d.txt", n)}
			for _, i := range personNumbers(n) {
				p := germanLocale.person(i)
				name := fmt.Sprintf("%s %d", p.pick("Straßenlauf", "Αγώνας δρόμου", "駅伝", "Забег", "\"Großer\" Preis"), i)
				lines = append(lines, []string{name, p.joined.Format(form), p.pick("Αθήνα", "東京", "Köln")})
				f.rows = append(f.rows, row{"name": name, "starts_on": isoDate(p.joined)})
			}
			f.content = encodeText(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), delimitedFile("\t", "\r\n", lines))
			return f
		},
	}
}
