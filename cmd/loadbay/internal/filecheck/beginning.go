package filecheck

import (
	"context"
	"errors"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// beginningRows is the number of rows by which the type of a file is guessed.
const beginningRows = 20

// Beginning returns the header and the first rows of a file.
func Beginning(ctx context.Context, in Input) (header []string, rows [][]string, err error) {
	dialect, err := reader.Detect(ctx, in.Source, in.Options, in.Limits)
	if err != nil {
		return nil, nil, err
	}
	file, err := reader.Open(ctx, in.Source, dialect, in.Limits)
	if err != nil {
		return nil, nil, err
	}
	for len(rows) < beginningRows && file.Next() {
		rows = append(rows, texts(file.Row()))
	}
	return dialect.Header, rows, errors.Join(file.Err(), file.Close())
}

func texts(r *sheet.Row) []string {
	cells := make([]string, len(r.Cells))
	for i := range r.Cells {
		cells[i] = string(r.Cells[i].DisplayText())
	}
	return cells
}
