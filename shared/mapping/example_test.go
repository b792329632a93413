package mapping_test

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/mapping"
)

// Headers that clearly mean a field are matched; uncertain ones are left to a person.
func ExampleMatcher_Match() {
	matcher, err := mapping.New(mapping.Dictionary{
		Subjects: []string{"member"},
		Targets: []mapping.Target{
			{Name: "FIRST_NAME", Title: "First name", Aliases: []string{"given name"}, Required: true},
			{Name: "EMAIL", Title: "Email", Aliases: []string{"e-mail address"}},
			{Name: "JOINED", Title: "Joined", Kind: mapping.Date},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	columns := []mapping.Column{
		{Index: 0, Header: "Member first name *"},
		{Index: 1, Header: "E-Mail Adress"},
		{Index: 2, Header: "joined date"},
		{Index: 3, Header: "Shoe size"},
		{Index: 4, Header: "Remarks"},
	}
	for _, m := range matcher.Match(columns) {
		fmt.Printf("%-20q %-10s %.2f %s\n", m.Column.Header, m.Target, m.Confidence, m.Status)
	}
	// Output:
	// "Member first name *" FIRST_NAME 0.96 AUTO_MATCHED
	// "E-Mail Adress"      EMAIL      0.95 AUTO_MATCHED
	// "joined date"        JOINED     0.96 AUTO_MATCHED
	// "Shoe size"                     0.00 UNRESOLVED
	// "Remarks"                       0.00 UNRESOLVED
}

// A person decides which entity a value matches; the most similar ones are offered first.
func ExampleRanking_Nearest() {
	ranking := mapping.NewRanking([]mapping.Candidate{{ID: 1, Name: "Full member"}, {ID: 2, Name: "Junior member"}, {ID: 3, Name: "Honorary"}})
	for _, s := range ranking.Nearest("juniour members", 2) {
		fmt.Println(s.ID, s.Name)
	}
	// Output:
	// 2 Junior member
	// 1 Full member
}
