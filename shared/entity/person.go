package entity

// Person are the fields by which types that are about people know them. They are
// declared once, so that a roster's headers mean the same whichever type it is
// imported as.
type Person struct {
	FirstName, LastName, Email, IdentityNumber, BirthDate Field
}

// PersonFields returns the fields of the person that exports of a type join
// under that alias of the table persons.
func PersonFields(alias string) Person {
	return Person{
		FirstName: Field{
			Name: "FIRST_NAME", Column: "first_name", Expr: alias + ".first_name", Title: "First name", Kind: Text, Required: true, MaxLength: 100,
			Aliases: append([]string{"FN", "Given name", "Forename", "Christian name"}, genericNameAliases...),
		},
		LastName: Field{
			Name: "LAST_NAME", Column: "last_name", Expr: alias + ".last_name", Title: "Last name", Kind: Text, Required: true, MaxLength: 100,
			Aliases: append([]string{"LN", "Surname", "Family name"}, genericNameAliases...),
		},
		Email: Field{
			Name: personEmailField, Column: "email", Expr: alias + ".email", Title: "Email", Kind: Email, Identifying: true, MaxLength: 254,
			Aliases: []string{"E-mail", "Mail", "Email address", "E-mail address"},
		},
		IdentityNumber: Field{
			Name: "ID_NUMBER", Column: "identity_number", Expr: alias + ".identity_number", Title: "Identity number", Kind: Text, Identifying: true, MaxLength: 50,
			Aliases: []string{"ID no", "National id", "National id number", "Passport", "Passport number", "ID/Passport", "ID/Passport number", "SA ID number", "Identity no"},
		},
		BirthDate: Field{
			Name: "BIRTH_DATE", Column: "birth_date", Expr: alias + ".birth_date", Title: "Date of birth", Kind: Date, PastOnly: true,
			Aliases: []string{"DOB", "Birthday", "Birthdate", "Born"},
		},
	}
}

// genericNameAliases is what "Name" can be, after everything that says which name it is: beside
// a first name the last name, beside a last name the first name, alone or beside both
// the whole name, which is neither.
var genericNameAliases = []string{"Name"}

const personEmailField = "EMAIL"

// RequirePersonIdentifier asks a row for one thing by which its person can be recognised.
func RequirePersonIdentifier() Rule {
	return Rule{
		Kind: AnyOf, Fields: []string{"ID_NUMBER", personEmailField, "BIRTH_DATE"}, Field: personEmailField,
		Message: "Give an e-mail address, an identity number or a date of birth, so that the person can be recognised.",
	}
}
