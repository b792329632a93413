// Package files holds sample files, one for each type of the catalogue. Each contains rows that
// cannot be imported.
//
// Tested by infra/tests/e2e: imports of these files through the whole service.
package files

import _ "embed"

// Users is a CSV of four users, two of whom cannot be imported.
//
//go:embed users.csv
var Users []byte

// Memberships is a workbook of 14 members of a period, six of whom cannot be imported.
//
//go:embed memberships.xlsx
var Memberships []byte

// Articles is an NDJSON of three articles by the users of Users; the author of the last is
// unknown.
//
//go:embed articles.ndjson
var Articles []byte

// Comments is a CSV of three comments on the first of Articles; the last belongs to an unknown
// article.
//
//go:embed comments.csv
var Comments []byte

// Orders is a CSV of four orders: two of the cells of the third are wrong, and
// the last repeats the first.
//
//go:embed orders.csv
var Orders []byte

// Participants is a workbook of seven entries in an event with the categories Open and Junior.
// The sixth is in another category; the person of the last one cannot be identified.
//
//go:embed participants.xlsx
var Participants []byte

// Results is a CSV of the results of Participants by registration number: one table for each
// category, separated by a blank line. One race number has changed; one participant and one
// category are unknown.
//
//go:embed results.csv
var Results []byte

// Periods is a CSV of three membership periods: the second exists in the local stack, the last
// ends before it starts.
//
//go:embed periods.csv
var Periods []byte

// Events is a CSV of three events; the last exists in the local stack.
//
//go:embed events.csv
var Events []byte

// Categories is a CSV of three categories of an event that has the category Open, spelt in
// another case; the last repeats the first.
//
//go:embed categories.csv
var Categories []byte
