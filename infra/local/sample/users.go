// Package sample writes spreadsheets of any size, always the same for the same
// numbers: for the demonstration, the benchmark and tests.
package sample

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// UserColumns are the columns of Users.
const UserColumns = "id,email,name,role,active,created_at,updated_at"

// Users writes a CSV of n users with seven columns. Every badEvery-th row has an
// address that is none; 0 for no such row.
func Users(w io.Writer, n, badEvery int) error {
	out := bufio.NewWriterSize(w, 1<<20)
	if _, err := out.WriteString(UserColumns + "\n"); err != nil {
		return err
	}
	var line []byte
	for i := 1; i <= n; i++ {
		line = line[:0]
		for c, cell := range user(i, badEvery > 0 && i%badEvery == 0) {
			if c > 0 {
				line = append(line, ',')
			}
			line = append(line, cell...)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// UsersWorkbook writes the same users as a workbook.
func UsersWorkbook(w io.Writer, n int) error {
	f := excelize.NewFile()
	defer f.Close()
	rows, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		return err
	}
	cells := make([]any, 7)
	for c, name := range strings.Split(UserColumns, ",") {
		cells[c] = name
	}
	for i := 0; i <= n; i++ {
		if i > 0 {
			for c, cell := range user(i, false) {
				cells[c] = cell
			}
		}
		if err := rows.SetRow("A"+strconv.Itoa(i+1), cells); err != nil {
			return err
		}
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	return f.Write(w)
}

// user returns the cells of the i-th user.
func user(i int, bad bool) [7]string {
	id := scatter(uint64(i))
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

// scatter spreads consecutive numbers over all numbers, so that ids fall at
// random places of an index, as real ones do (the finalizer of SplitMix64).
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
