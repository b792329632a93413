package sheet

// StopBeforeFooter ends a stream before the row of that number, from which on nothing is
// data; 0 leaves it as it is. What follows is read, and counted with the header: it is
// not data either.
func StopBeforeFooter(rows Rows, footer int64) Rows {
	if footer == 0 {
		return rows
	}
	return &footerRows{Rows: rows, footer: footer}
}

type footerRows struct {
	Rows
	footer      int64
	footerCount int64 // rows of the footer
}

// Next implements Rows.
func (f *footerRows) Next() bool {
	for f.Rows.Next() {
		if f.Row().Number < f.footer {
			return true
		}
		f.footerCount++
	}
	return false
}

// Counts implements Rows.
func (f *footerRows) Counts() Counts {
	c := f.Rows.Counts()
	c.Rows -= f.footerCount
	c.Header += f.footerCount
	return c
}

// FindFooterRow is the number of the first of the last n rows of a stream, which it reads to
// its end: what leaves them out when it is StopBeforeFooter's. 0 where there are no rows, or
// n is 0.
func FindFooterRow(rows Rows, n int) (int64, error) {
	if n == 0 {
		return 0, nil
	}
	last := make([]int64, 0, n) // a ring
	count := 0
	for ; rows.Next(); count++ {
		if len(last) < n {
			last = append(last, rows.Row().Number)
		} else {
			last[count%n] = rows.Row().Number
		}
	}
	switch err := rows.Err(); {
	case err != nil:
		return 0, err
	case count < n && count > 0:
		return last[0], nil
	case count == 0:
		return 0, nil
	}
	return last[count%n], nil
}
