package sample

import (
	"fmt"
	"strconv"
)

// Comments returns comments by the author AuthorID(1) on the articles of Articles.
func Comments() Sheet {
	articles := Articles()
	return Sheet{
		Columns: []string{"body", "article_id", "user_id"},
		Cells: func(i int) []string {
			return []string{"Remark number " + strconv.Itoa(i), articles.Cells(i)[0], AuthorID(1)}
		},
	}
}

// Memberships returns first memberships, of the type Senior.
func Memberships() Sheet {
	return Sheet{
		Columns: []string{"First name", "Last name", "Email", "Membership type"},
		Cells: func(i int) []string {
			n := strconv.Itoa(i)
			return []string{"Given" + n, "Family" + n, "member" + n + "@example.org", "Senior"}
		},
	}
}

// Orders returns orders of one client.
func Orders() Sheet {
	return Sheet{
		Columns: []string{
			"clientId", "clientReference", "senderName", "senderAddress", "senderContact", "receiverName", "receiverAddress",
			"receiverCity", "receiverPincode", "itemCount", "totalWeight", "serviceType", "declaredValue",
		},
		Cells: func(i int) []string {
			n := strconv.Itoa(i)
			return []string{
				"90", "REF-" + n, "Acme", "1 Dock Road", "0801234567", "Receiver " + n, n + " Hill Street",
				"Pune", "411001", strconv.Itoa(i%9 + 1), "2.5", "EXPRESS", "1500",
			}
		},
	}
}

// Participants returns entries for an event in the category Open.
func Participants() Sheet {
	return Sheet{
		Columns: []string{"First name", "Last name", "Email", "Registration number", "Race number", "Category"},
		Cells: func(i int) []string {
			n := strconv.Itoa(i)
			return []string{"Given" + n, "Family" + n, "runner" + n + "@example.org", registrationNumber(i), n, "Open"}
		},
	}
}

// Results returns results of Participants, by registration number.
func Results() Sheet {
	return Sheet{
		Columns: []string{"Category", "Seq", "REGID", "Bib", "Time", "Status"},
		Cells: func(i int) []string {
			n := strconv.Itoa(i)
			return []string{"Open", n, registrationNumber(i), n, fmt.Sprintf("%d:%02d:%02d", 1+i/3600, i/60%60, i%60), ""}
		},
	}
}

func registrationNumber(i int) string { return "R-" + strconv.Itoa(i) }
