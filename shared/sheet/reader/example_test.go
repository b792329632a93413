package reader_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// The format of a file is detected from its content, not from its name or content type.
func Example() {
	file := strings.NewReader("Members of 2026;;\nName;Town;Born\nAnn;Bern;31.12.1990\n\nBob;\"Basel;\nRiehen\";01.02.1985\n")
	ctx, limits := context.Background(), sheet.DefaultLimits()

	dialect, err := reader.Detect(ctx, file, sheet.Options{}, limits)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, delimiter %q, header in row %d: %q\n", dialect.Format, dialect.Delimiter, dialect.HeaderRow, dialect.Header)

	rows, err := reader.Open(ctx, file, dialect, limits)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		fmt.Printf("row %d:", rows.Row().Number)
		for _, cell := range rows.Row().Cells {
			fmt.Printf(" %q", cell.Bytes)
		}
		fmt.Println()
	}
	counts := rows.Counts()
	fmt.Printf("%d lines: %d rows, %d blank, %d of the header; %v\n", counts.Lines, counts.Rows, counts.Blank, counts.Header, rows.Err())
	// Output:
	// csv, delimiter ";", header in row 2: ["Name" "Town" "Born"]
	// row 3: "Ann" "Bern" "31.12.1990"
	// row 5: "Bob" "Basel;\nRiehen" "01.02.1985"
	// 5 lines: 2 rows, 1 blank, 2 of the header; <nil>
}

// A file is cut once. Each chunk is then read independently, by any process and in any
// order, with the same result.
func ExampleCut() {
	file := strings.NewReader("email,name\na@example.com,Ann\nb@example.com,Bob\nc@example.com,Cy\n")
	ctx, limits := context.Background(), sheet.DefaultLimits()
	dialect, err := reader.Detect(ctx, file, sheet.Options{}, limits)
	if err != nil {
		fmt.Println(err)
		return
	}
	counts, err := reader.Cut(ctx, file, dialect, 2, limits, func(_ context.Context, c sheet.Chunk, _ []byte) error {
		fmt.Printf("chunk %d: rows %d to %d in %d bytes\n", c.Index, c.FirstRow, c.FirstRow+int64(c.Lines)-1, c.Length)
		return nil
	})
	fmt.Printf("%d lines: %d rows, %d blank, %d of the header; %v\n", counts.Lines, counts.Rows, counts.Blank, counts.Header, err)
	// Output:
	// chunk 0: rows 2 to 3 in 36 bytes
	// chunk 1: rows 4 to 4 in 17 bytes
	// 4 lines: 3 rows, 0 blank, 1 of the header; <nil>
}
