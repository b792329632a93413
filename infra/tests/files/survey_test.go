package files

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// sortedKeys returns a map's keys in sorted order.
func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// wideColumns is the number of columns of the survey.
const wideColumns = 300

// wideSurvey is a survey's export in which seven columns describe the respondent; many of
// the others have the names of fields.
func wideSurvey() source {
	header := surveyHeader()
	mapping, err := json.Marshal(map[string]any{
		"fields": []map[string]any{
			{"field": "FIRST_NAME", "from": []string{"respondent_first"}}, {"field": "LAST_NAME", "from": []string{"respondent_last"}},
			{"field": "EMAIL", "from": []string{"respondent_email"}}, {"field": "BIRTH_DATE", "from": []string{"respondent_dob"}},
			{"field": "ID_COUNTRY", "from": []string{"respondent_country"}}, {"field": "MEMBERSHIP_TYPE_ID", "from": []string{"plan"}},
			{"field": "MEMBERSHIP_NUMBER", "from": []string{"respondent_no"}},
		},
		"ignore": slices.DeleteFunc(slices.Clone(header), func(h string) bool { return h == "plan" || len(h) > 11 && h[:11] == "respondent_" }),
	})
	if err != nil {
		panic(err)
	}
	return source{
		name: "300 columns", importType: "MEMBERSHIP", resource: "memberships", mode: "upsert", types: []string{"Senior", "Junior"}, key: "email",
		mapping: string(mapping),
		values:  []valueDecision{{Field: "MEMBERSHIP_TYPE_ID", Value: "plan_a", To: "Senior"}, {Field: "MEMBERSHIP_TYPE_ID", Value: "plan_b", To: "Junior"}},
		edition: surveyEdition,
	}
}

// surveyHeader places the respondent's columns between those of the questions.
func surveyHeader() []string {
	about := map[int]string{
		3: "respondent_no", 40: "respondent_first", 41: "respondent_last", 120: "respondent_email", 180: "respondent_dob", 222: "respondent_country", 299: "plan",
	}
	tempting := []string{"Emergency contact name", "Guardian email", "Preferred name", "Phone (other)", "Interview date", "Country visited", "Type of shoe", "Gender of dog"}
	header := make([]string, wideColumns)
	for i := range header {
		switch {
		case about[i] != "":
			header[i] = about[i]
		case i%30 == 7 && i/30 < len(tempting):
			header[i] = tempting[i/30]
		default:
			header[i] = fmt.Sprintf("Q%d: How often do you run in week %d?", i, i%52+1)
		}
	}
	return header
}

func surveyEdition(n int) file {
	header := surveyHeader()
	lines := [][]string{header}
	f := file{name: fmt.Sprintf("survey-%d.csv", n)}
	kinds := map[string]string{"plan_a": "Senior", "plan_b": "Junior"}
	for _, i := range personNumbers(n) {
		p := americanLocale.person(i)
		kind := p.pick("plan_a", "plan_b")
		cells := map[string]string{
			"respondent_no": fmt.Sprint(700 + i), "respondent_first": p.first, "respondent_last": p.last, "respondent_email": p.email, "respondent_dob": isoDate(p.born),
			"respondent_country": "US", "plan": kind, "Guardian email": "guardian@other.example", "Phone (other)": "555-0000", "Interview date": isoDate(p.joined),
			"Emergency contact name": "Somebody Else", "Country visited": "France", "Gender of dog": "female",
		}
		line := make([]string, wideColumns)
		for c, name := range header {
			if line[c] = cells[name]; line[c] == "" {
				line[c] = p.pick("", "never", "1", "2", "3 or more")
			}
		}
		lines = append(lines, line)
		f.rows = append(f.rows, row{
			"membership_number": fmt.Sprint(700 + i), "first_name": p.first, "last_name": p.last, "email": p.email, "birth_date": isoDate(p.born), "country_id": "US", "type_id": kinds[kind],
		})
	}
	f.content = delimitedFile(",", "\n", lines)
	return f
}
