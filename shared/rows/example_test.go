package rows_test

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Valid rows are collected in a batch, with a typed column for each field. For the other
// rows, all errors are reported at once.
func ExampleDecoder_Add() {
	user, _ := catalog.New().ByName("USER")
	plan, err := rows.NewPlan(user.Declaration(), []job.MappedColumn{
		{ColumnIndex: 0, Header: "Mail", TargetField: "EMAIL"},
		{ColumnIndex: 1, Header: "Name", TargetField: "NAME"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	decoder := rows.NewDecoder(plan, &job.Job{OrganisationID: 1}, &sheet.Dialect{}, 10)
	for n, cells := range [][2]string{
		{"Ann@Example.com", " Ann "},
		{"bob at example.com", ""},
	} {
		row := &sheet.Row{Number: int64(n + 2)}
		for _, text := range cells {
			row.Cells = append(row.Cells, sheet.Cell{Kind: sheet.Text, Bytes: []byte(text)})
		}
		for _, fault := range decoder.Add(row) {
			fmt.Printf("row %d: %s %s: %s\n", row.Number, fault.Field, fault.Code, fault.Message)
		}
	}
	batch := decoder.Batch
	for i, f := range batch.Declaration.Fields {
		if batch.Mapped[i] {
			fmt.Printf("row %d: %s is %q\n", batch.Row(0), f.Name, batch.Columns[i].String(0))
		}
	}
	fmt.Println("rows in the batch:", batch.Len())
	// Output:
	// row 3: EMAIL CELL_EMAIL: Email: This is not an e-mail address, such as ada@example.org.
	// row 3: NAME CELL_REQUIRED: Name: A value is required. Enter a text of up to 200 characters.
	// row 2: EMAIL is "ann@example.com"
	// row 2: NAME is "Ann"
	// rows in the batch: 1
}
