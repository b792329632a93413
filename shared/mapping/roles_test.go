package mapping_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A header of another person or organisation than the row is about is not matched to the field of the row
// itself.
func TestRolesWithoutFieldMatchNothing(t *testing.T) {
	t.Parallel()
	m := matchersByType(t)["MEMBERSHIP"]
	for _, header := range []string{
		"Supplier email", "Teacher email", "Landlord email", "Lieferant E-Mail", "E-Mail des Vermieters", "Klassenlehrer E-Mail",
		"E-mail du locataire", "Correo del proveedor", "Email insegnante", "E-mail docent", "E-mail nauczyciela", "Lärarens e-post",
		"Opettajan sähköposti", "E-mail učitele", "Email furnizorului", "Email καθηγητή", "Email арендатора", "监护人邮箱",
		"학부모 이메일", "Beneficiary email", "Hausarzt E-Mail",
	} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, m.Match(columns(header))[0].Target)
		})
	}
}

// Each of two columns that share words gets its own field.
func TestPairsAreDecidedTogether(t *testing.T) {
	t.Parallel()
	matchers := matchersByType(t)
	for headers, want := range map[string]string{
		"Name;Vorname": "LAST_NAME FIRST_NAME", "Nom;Prénom": "LAST_NAME FIRST_NAME", "Nombre;Apellidos": "FIRST_NAME LAST_NAME",
		"Nome;Cognome": "FIRST_NAME LAST_NAME", "Имя;Фамилия": "FIRST_NAME LAST_NAME", "Jméno;Příjmení": "FIRST_NAME LAST_NAME",
		"姓;名": "LAST_NAME FIRST_NAME", "Ad;Soyad": "FIRST_NAME LAST_NAME", "Nume;Prenume": "LAST_NAME FIRST_NAME",
	} {
		t.Run(headers, func(t *testing.T) {
			t.Parallel()
			got := matchers["MEMBERSHIP"].Match(columns(strings.Split(headers, ";")...))
			require.Equal(t, want, strings.Join(targets(got), " "))
		})
	}
}
