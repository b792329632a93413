// Package files holds sample spreadsheets.
package files

import _ "embed"

// Memberships is a workbook of 14 members, six of whom cannot be imported.
//
//go:embed memberships.xlsx
var Memberships []byte

// Users is a CSV of four users, two of whom cannot be imported.
//
//go:embed users.csv
var Users []byte
