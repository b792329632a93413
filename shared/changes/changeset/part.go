package changeset

// Part is some changes of one transaction.
type Part struct {
	Changes []Change
	// At is the time of the transaction, as Postgres writes it: values that are it were
	// given by the database, not by a file.
	At string
}
