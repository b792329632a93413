// Package sample writes spreadsheets of any size, always the same for the same
// numbers: for the demonstration, the benchmark and tests.
package sample

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
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
	roles := [...]string{"user", "editor", "author", "admin"}
	var line []byte
	for i := 1; i <= n; i++ {
		id := scatter(uint64(i))
		line = line[:0]
		line = fmt.Appendf(line, "%08x-%04x-4%03x-8%03x-%012x,", uint32(id>>32), uint16(id>>16), id&0xfff, (id>>12)&0xfff, i)
		if badEvery > 0 && i%badEvery == 0 {
			line = append(line, "user."...)
			line = strconv.AppendInt(line, int64(i), 10)
			line = append(line, " at example.org,"...)
		} else {
			line = fmt.Appendf(line, "user.%x.%d@example.org,", uint16(id), i)
		}
		line = append(line, "User Number "...)
		line = strconv.AppendInt(line, int64(i), 10)
		line = append(line, ',')
		line = append(line, roles[i%len(roles)]...)
		line = fmt.Appendf(line, ",%t,2026-%02d-%02dT%02d:%02d:00Z,2026-11-01T12:00:00Z\n", i%7 != 0, i%12+1, i%28+1, i%24, i%60)
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// scatter spreads consecutive numbers over all numbers, so that ids fall at
// random places of an index, as real ones do (the finalizer of SplitMix64).
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
