package mapping

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeaderKey(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"First Name":                         "firstname",
		"first_name":                         "firstname",
		"firstName":                          "firstname",
		"FIRST-NAME":                         "firstname",
		"  First\n\tName : ":                 "firstname",
		"\ufeffFirst\u00a0Name":              "firstname",
		"First Name *":                       "firstname",
		"First name (required)":              "firstname",
		"3. First name":                      "firstname",
		"b) First name":                      "firstname",
		"First name(s)":                      "firstname",
		"Name (first)":                       "namefirst", // more specific than "Name"
		"Sender's name":                      "sendername",
		"IDNumber":                           "idnumber",
		"ID No.":                             "idnumber",
		"ID #":                               "idnumber",
		"N° ID":                              "numberid",
		"№":                                  "number",
		"No of items":                        "countitems",
		"Number of items":                    "countitems",
		"E-Mail":                             "email",
		"D.O.B.":                             "dob",
		"DOB dd/mm/yyyy":                     "dob",
		"Datum (TT.MM.JJJJ)":                 "datum",
		"Finish time (hh:mm:ss)":             "finishtime",
		"Weight (kg)":                        "weight",
		"Weight in kg":                       "weight",
		"total_weight_kg":                    "totalweight",
		"Gender M/F":                         "gender",
		"Active (Y/N)":                       "activeyesno",
		"Custom1":                            "custom1",
		"Lap 1 2":                            "lap1-2",
		"Prénom":                             "prenom",
		"Straße":                             "strasse",
		"GRÖẞE":                              "grosse",
		"Číslo účtu":                         "cislouctu",
		"Имя":                                "имя",
		"氏名":                                 "氏名",
		"Ｅｍａｉｌ":                              "email",
		"(kg)":                               "kg", // only a note, so the note is the name
		"Phone (home":                        "phonehome",
		"":                                   "",
		" *: -- ":                            "",
		"\xff\xfe":                           "",
		"Men & Women":                        "menandwomen",
		"Preis (in EUR)":                     "preis",
		"ID-Number (13 digits)":              "idnumber",
		"Surname (as shown in the passport)": "surname",
	} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, HeaderKey(header))
		})
	}
}

func TestSpellings(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Lange", "Laenge"}, foldedSpellings("Länge"))
	require.Equal(t, []string{"Lange", "Laenge"}, foldedSpellings("La\u0308nge"), "a combining accent is folded too")
	require.Equal(t, []string{"Prenom"}, foldedSpellings("Prénom"))
	require.Equal(t, []string{"Name"}, foldedSpellings("Name"))
}

func TestValueKey(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"Junior (U-18)": "junioru18",
		"18+":           "18plus",
		"A-":            "aminus",
		"-5":            "minus5",
		"7.5 km":        "7-5km",
		"10-12":         "10-12",
		"10/12":         "10-12",
		"1012":          "1012",
		"< 18":          "under18",
		"Men & Women":   "menandwomen",
		"Côte d’Ivoire": "cotedivoire",
		" . ":           "",
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, ValueKey(value))
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"createdDateTime": "created date time",
		"HTTPStatusCode":  "http status code",
		"UserIDs":         "user ids",
		"custom2list":     "custom 2 list",
		"eMail":           "e mail",
		"नाम":             "नाम",
	} {
		require.Equal(t, want, strings.Join(splitWords(text), " "))
	}
}

// TestDistances checks values worked out by hand in the literature.
func TestDistances(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b  string
		edits int
		jw    float64
	}{
		{"martha", "marhta", 1, 0.961},
		{"dixon", "dicksonx", 4, 0.813},
		{"dwayne", "duane", 2, 0.840},
		{"kitten", "sitting", 3, 0.746},
		{"ca", "abc", 3, 0},
		{"same", "same", 0, 1},
		{"", "abc", 3, 0},
	} {
		require.Equal(t, c.edits, edits([]rune(c.a), []rune(c.b)), "%s, %s", c.a, c.b)
		require.InDelta(t, c.jw, jaroWinkler([]rune(c.a), []rune(c.b)), 0.001, "%s, %s", c.a, c.b)
	}
}

func TestLikeness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header, name string
		low, high    float64
	}{
		{"name", "name", 1, 1},
		{"names", "name", otherWordForm, otherWordForm},
		{"categories", "category", otherWordForm, otherWordForm},
		{"license", "licence", otherWordForm, otherWordForm},
		{"nm", "name", abbreviated, abbreviated},
		{"joining", "join", inflectedWord, inflectedWord},
		{"wrse", "warehouse", 0, 0},                     // only some of its consonants
		{"wrhs", "warehouse", clippedWord, clippedWord}, // all of them
		{"regist", "registration", clippedWord, clippedWord},
		{"emial", "email", 0.80, 0.99},
		{"descripton", "description", 0.80, 0.99},
		{"nmae", "name", 0.80, 0.99},
		{"game", "name", 0, 0},       // different first letter
		{"nave", "name", 0, 0},       // in four letters, each change makes another word
		{"county", "country", 0, 0},  // an existing word
		{"updates", "updated", 0, 0}, // different ending
		{"timer", "time", 0, 0},
		{"custom1", "custom2", 0, 0},
	} {
		h, n := newWord(c.header, ordinaryWords[c.header]), newWord(c.name, true)
		l := wordSimilarity(&h, &n)
		require.GreaterOrEqual(t, l, c.low, "%s, %s", c.header, c.name)
		require.LessOrEqual(t, l, c.high, "%s, %s", c.header, c.name)
	}
}
