package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping"
)

// people is a dictionary for testing rules, not accuracy.
func people(t *testing.T) *mapping.Matcher {
	t.Helper()
	m, err := mapping.New(mapping.Dictionary{
		Subjects: []string{"member"},
		Targets: []mapping.Target{
			{Name: "FIRST_NAME", Title: "First name", Aliases: []string{"FN", "Given name", "Name"}, Required: true},
			{Name: "LAST_NAME", Title: "Last name", Aliases: []string{"Surname"}, Required: true},
			{Name: "EMAIL", Title: "Email", Aliases: []string{"E-mail address", "Contact"}, Kind: mapping.Email},
			{Name: "PHONE", Title: "Phone", Aliases: []string{"Telephone", "Mobile", "Contact"}},
			{Name: "BIRTH_DATE", Title: "Date of birth", Aliases: []string{"DOB"}, Kind: mapping.Date},
			{Name: "MEMBER_NUMBER", Title: "Member number"},
			{Name: "ACTIVE", Title: "Active", Kind: mapping.Boolean},
			{Name: "LENGTH", Title: "Länge", Kind: mapping.Decimal},
			{Name: "SKILLS", Title: "Skills", Kind: mapping.List},
		},
	})
	require.NoError(t, err)
	return m
}

func columns(headers ...string) []mapping.Column {
	out := make([]mapping.Column, len(headers))
	for i, h := range headers {
		out[i] = mapping.Column{Index: i, Header: h}
	}
	return out
}

func targets(matches []mapping.Match) []string {
	out := make([]string, len(matches))
	for i, m := range matches {
		out[i] = m.Target
	}
	return out
}

func TestMatchConfidence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header, target string
		low, high      float64
		reason         mapping.Reason
	}{
		{"FirstName", "FIRST_NAME", 1, 1, mapping.ByName},
		{"FIRST_NAME", "FIRST_NAME", 1, 1, mapping.ByName},
		{"FN", "FIRST_NAME", 1, 1, mapping.ByAlias},
		{"First Name *", "FIRST_NAME", 1, 1, mapping.ByName},
		{"First_Nm", "FIRST_NAME", 0.80, 0.99, mapping.BySimilarity},
		{"Frist name", "FIRST_NAME", 0.80, 0.99, mapping.BySimilarity},
		{"Name (first)", "FIRST_NAME", 0.80, 0.99, mapping.BySimilarity},
		{"memberno", "MEMBER_NUMBER", 0.80, 0.99, mapping.BySimilarity},
		{"Member #", "MEMBER_NUMBER", 1, 1, mapping.ByName},
		{"Geburtsdatum", "", 0, 0, mapping.Unknown},
		{"Unknown Col", "", 0, 0, mapping.Unknown},
		{"Full name", "", 0, 0, mapping.Unknown},
		{"Number of members", "", 0, 0, mapping.Unknown},
		{"Emergency phone", "", 0, 0, mapping.Unknown},
		{"D.O.B. (dd/mm/yyyy)", "BIRTH_DATE", 1, 1, mapping.ByAlias},
		{"Laenge [cm]", "LENGTH", 1, 1, mapping.ByName},
		{"  \u200bLÄNGE:\u00a0", "LENGTH", 1, 1, mapping.ByName},
		{"Ｅｍａｉｌ", "EMAIL", 1, 1, mapping.ByName},
		{"", "", 0, 0, mapping.NoHeader},
		{" -- ", "", 0, 0, mapping.NoHeader},
	} {
		t.Run(c.header, func(t *testing.T) {
			t.Parallel()
			got := people(t).Match(columns(c.header))[0]
			require.Equal(t, c.target, got.Target)
			require.GreaterOrEqual(t, got.Confidence, c.low)
			require.LessOrEqual(t, got.Confidence, c.high)
			require.Equal(t, c.reason, got.Reason)
			if c.target == "" {
				require.Equal(t, mapping.Unresolved, got.Status)
			} else {
				require.Equal(t, mapping.AutoMatched, got.Status)
			}
		})
	}
}

func TestColumnsCompete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		headers, want []string
	}{
		"field name wins over an alias in any position": {
			[]string{"Telephone", "Phone"}, []string{"", "PHONE"},
		},
		"first column wins between two aliases": {
			[]string{"Mobile", "Telephone"}, []string{"", "PHONE"},
		},
		"exact header wins over a similar one": {
			[]string{"First_Nm", "Given name"}, []string{"", "FIRST_NAME"},
		},
		"losing column does not get a weaker field": {
			[]string{"First name", "Frist name", "Name"}, []string{"FIRST_NAME", "", ""},
		},
		"shared alias gets the field without another column": {
			[]string{"Contact", "Email"}, []string{"PHONE", "EMAIL"},
		},
		"shared alias of two free fields stays unresolved": {
			[]string{"Contact"}, []string{""},
		},
		"two columns with the same header stay unresolved": {
			[]string{"Email", "Surname", "e-mail"}, []string{"", "LAST_NAME", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, targets(people(t).Match(columns(c.headers...))))
		})
	}
}

func TestUnresolvedReasons(t *testing.T) {
	t.Parallel()
	got := people(t).Match(columns("Contact", "Phone", "Telephone", "Email", "Email"))
	require.Equal(t, []string{"", "PHONE", "", "", ""}, targets(got))
	require.Equal(t, mapping.TargetTaken, got[2].Reason)
	require.Equal(t, mapping.Ambiguous, got[3].Reason)
	require.Equal(t, mapping.Ambiguous, got[4].Reason)
}

func TestSamplesBreakTies(t *testing.T) {
	t.Parallel()
	emails := []string{"ann@example.org", "", "bob@example.net"}
	phones := []string{"021 555 1234", "+49 30 123"}
	for name, c := range map[string]struct {
		columns []mapping.Column
		want    []string
	}{
		"addresses decide a shared alias": {
			[]mapping.Column{{Header: "Contact", Samples: emails}}, []string{"EMAIL"},
		},
		"other values decide a shared alias": {
			[]mapping.Column{{Header: "Contact", Samples: phones}}, []string{"PHONE"},
		},
		"values decide between equal headers": {
			[]mapping.Column{{Header: "Email", Samples: []string{"yes", "no"}}, {Header: "Email", Samples: emails}}, []string{"", "EMAIL"},
		},
		"header outweighs values": {
			[]mapping.Column{{Header: "Surname", Samples: emails}, {Header: "Email", Samples: phones}}, []string{"LAST_NAME", "EMAIL"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, targets(people(t).Match(c.columns)))
		})
	}
}

func TestNewRejectsInvalidDictionaries(t *testing.T) {
	t.Parallel()
	_, err := mapping.New(mapping.Dictionary{Targets: []mapping.Target{{Name: "A"}, {Name: "A"}, {Name: " "}, {Name: "B", Aliases: []string{"*"}}}})
	require.ErrorContains(t, err, "A is listed twice")
	require.ErrorContains(t, err, "target 2 has no name")
	require.ErrorContains(t, err, `target B has the blank alias "*"`)
	m, err := mapping.New(mapping.Dictionary{})
	require.NoError(t, err)
	require.Empty(t, m.Match(columns("Anything"))[0].Target)
}

// An object is never a single value, regardless of its key; it may be a list, which the rows
// decide.
func TestNestedValuesMatchOnlyLists(t *testing.T) {
	t.Parallel()
	nested := columns("First name", "Surname", "Skills")
	for i := range nested {
		nested[i].Nested, nested[i].Samples = true, []string{`{"first":"Ann"}`}
	}
	matches := people(t).Match(nested)
	require.Equal(t, []string{"", "", "SKILLS"}, targets(matches))
	require.Equal(t, mapping.Unresolved, matches[0].Status)
	require.Equal(t, mapping.Unresolved, matches[1].Status)
}
