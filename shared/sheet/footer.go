package sheet

// StopBeforeFooter ends a stream before the row with that number, the first of the footer; 0
// returns the whole stream. The footer is read and counted with the header, because it
// contains no data.
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

// FindFooterRow reads a stream to its end and returns the number of the first of its last n rows,
// for StopBeforeFooter. It returns 0 if there are no rows or n is 0.
func FindFooterRow(rows Rows, n int) (int64, error) {
	if n == 0 {
		return 0, nil
	}
	last := make([]int64, 0, n) // ring buffer
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
