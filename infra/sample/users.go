// Package sample generates spreadsheets of any size, always identical for the same
// parameters: for the demonstration, the benchmark and tests.
//
// Tested by infra/tests/e2e and infra/tests/faults: imports of the files that it writes.
package sample

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// UserColumns are the columns of Users.
const UserColumns = "id,email,name,role,active,created_at,updated_at"

// Users writes a CSV of n users with seven columns. Every badEvery-th row has an
// invalid e-mail address; 0 means no such row.
func Users(w io.Writer, n, badEvery int) error {
	bad := userColumns
	bad.Cells = func(i int) []string {
		cells := userCells(i, badEvery > 0 && i%badEvery == 0)
		return cells[:]
	}
	return bad.CSV(w, n)
}

// UsersWorkbook writes the same users as a workbook.
func UsersWorkbook(w io.Writer, n int) error { return userColumns.Workbook(w, n) }

var userColumns = UserSheet(strings.Split(UserColumns, ",")...)

// UserSheet returns the users of Users with only these columns.
func UserSheet(columns ...string) Sheet {
	var places []int
	for place, name := range strings.Split(UserColumns, ",") {
		for _, column := range columns {
			if column == name {
				places = append(places, place)
			}
		}
	}
	return Sheet{Columns: columns, Cells: func(i int) []string {
		all, cells := userCells(i, false), make([]string, len(places))
		for c, place := range places {
			cells[c] = all[place]
		}
		return cells
	}}
}

// userCells returns the cells of the i-th user.
func userCells(i int, bad bool) [7]string {
	id := scatterID(uint64(i))
	email := fmt.Sprintf("user.%x.%d@example.org", uint16(id), i)
	if bad {
		email = fmt.Sprintf("user.%d at example.org", i)
	}
	return [7]string{
		fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", uint32(id>>32), uint16(id>>16), id&0xfff, (id>>12)&0xfff, i),
		email,
		"User Number " + strconv.Itoa(i),
		[...]string{"user", "editor", "author", "admin"}[i%4],
		strconv.FormatBool(i%7 != 0),
		fmt.Sprintf("2026-%02d-%02dT%02d:%02d:00Z", i%12+1, i%28+1, i%24, i%60),
		"2026-11-01T12:00:00Z",
	}
}

// scatterID spreads consecutive numbers over all numbers, so that ids fall at
// random places of an index, as real ids do (the finalizer of SplitMix64).
func scatterID(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
