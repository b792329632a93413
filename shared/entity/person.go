package entity

// PersonTable is the table of persons, and PersonKeyColumn its column with their PersonKey.
const (
	PersonTable     = "persons"
	PersonKeyColumn = "identity_key"
)

// Person holds the fields that identify and describe a person. The types that concern people
// share them, so that a roster's headers have the same meaning in all of them.
type Person struct {
	FirstName, LastName, Email, IdentityNumber, BirthDate Field
}

// PersonFields returns the fields of the person that exports of a type join from the table persons
// under the alias.
func PersonFields(alias string) Person {
	return Person{
		FirstName: Field{
			Name: "FIRST_NAME", Column: "first_name", Expr: alias + ".first_name", Title: "First name", Kind: Text, Required: true, MaxLength: 100, Personal: true, Table: PersonTable,
			Concepts: []string{"person.givenName"}, Aliases: append([]string{"FN", "Given name", "Forename", "Christian name"}, genericNameAliases...),
		},
		LastName: Field{
			Name: "LAST_NAME", Column: "last_name", Expr: alias + ".last_name", Title: "Last name", Kind: Text, Required: true, MaxLength: 100, Personal: true, Table: PersonTable,
			Concepts: []string{"person.familyName"}, Aliases: append([]string{"LN", "Surname", "Family name"}, genericNameAliases...),
		},
		Email: Field{
			Name: personEmailField, Column: "email", Expr: alias + ".email", Title: "Email", Kind: Email, Identifying: true, MaxLength: 254, Personal: true, Table: PersonTable,
			Concepts: []string{"contact.email"}, Aliases: []string{"E-mail", "Mail", "Email address", "E-mail address"},
		},
		IdentityNumber: Field{
			Name: "ID_NUMBER", Column: "identity_number", Expr: alias + ".identity_number", Title: "Identity number", Kind: Text, Identifying: true, MaxLength: 50, Personal: true, Table: PersonTable,
			Concepts: []string{"person.nationalId", "person.passport"}, Aliases: []string{"ID no", "National id", "National id number", "Passport", "Passport number", "ID/Passport", "ID/Passport number", "SA ID number", "Identity no"},
		},
		BirthDate: Field{
			Name: "BIRTH_DATE", Column: "birth_date", Expr: alias + ".birth_date", Title: "Date of birth", Kind: Date, PastOnly: true, Personal: true, Table: PersonTable,
			Concepts: []string{"person.birthDate"}, Aliases: []string{"DOB", "Birthday", "Birthdate", "Born"},
		},
	}
}

// genericNameAliases come after all specific aliases: "Name" is the last name if there is a first
// name, the first name if there is a last name, and otherwise the full name, which is neither.
var genericNameAliases = []string{"Name"}

const personEmailField = "EMAIL"

// RequirePersonIdentifier returns the rule that a row must have a value that identifies its person.
func RequirePersonIdentifier() Rule {
	return Rule{
		Kind: AnyOf, Fields: []string{"ID_NUMBER", personEmailField, "BIRTH_DATE"}, Field: personEmailField,
		Message: "Add an e-mail address, an identity number or a date of birth to identify the person.",
	}
}
