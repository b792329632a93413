package entitytable

// Personal says where a declared table has data of persons.
type Personal struct {
	Of *Table
	// Keys are the columns with values that identify a person in a request to erase one.
	Keys    []string
	Columns []PersonalColumn
}

// PersonalColumn is a column with personal values.
type PersonalColumn struct {
	Name  string
	Array bool // an array of texts
	// Distinctive values can tell persons apart.
	Distinctive bool
	// Erased is the SQL of the value of a row e that replaces an erased one; "" if none can.
	Erased string
}
