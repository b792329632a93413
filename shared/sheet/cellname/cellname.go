// Package cellname names the columns of spreadsheets.
package cellname

// Column returns the name of a column, from 0: A, B, …, Z, AA.
func Column(column int) string {
	name := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}
