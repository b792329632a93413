package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// maxSheetRows is the maximum number of rows in a sheet of a workbook, without its header.
const maxSheetRows = 1<<20 - 1

// measureMatrix measures files of every size, shape and format: as new rows, as duplicates, as
// upserts that change nothing, and as upserts with half unchanged and half new rows.
func (b *bench) measureMatrix(ctx context.Context, cfg Config) error {
	began := time.Now()
	b.printHeading()
	for _, rows := range cfg.Rows {
		for _, subj := range []benchTable{narrowUsers, articleTable} {
			for _, format := range []string{"csv", "xlsx"} {
				if time.Since(began) > cfg.Limit {
					fmt.Fprintf(b.out, "%8d  %-17s  %s is not measured: BENCH_LIMIT reached\n", rows, subj.name, format)
					continue
				}
				if err := b.measureCell(ctx, subj, format, rows); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// measureCell measures files of one size, shape and format.
func (b *bench) measureCell(ctx context.Context, subj benchTable, format string, rows int) error {
	if format == "xlsx" && rows > maxSheetRows {
		fmt.Fprintf(b.out, "%8d  %-17s  too many rows for a sheet of a workbook\n", rows, subj.name)
		return nil
	}
	if err := b.resetTable(ctx, subj); err != nil {
		return err
	}
	if err := b.measureCopy(ctx, subj, rows); err != nil {
		return err
	}
	b.printPeer(subj, rows, `psql \copy`, b.peers.singleCopy)
	b.printPeer(subj, rows, `two \copy, half a file each`, b.peers.parallelCopy)
	n := int64(rows)
	for _, s := range []step{
		{format, "insert", "new", rawclient.Summary{Created: n}},
		{format, "insert", "duplicates", rawclient.Summary{Error: n}},
		{format, "upsert", "all there", rawclient.Summary{Unchanged: n}},
		{format, "upsert", "half there", rawclient.Summary{}},
	} {
		if s.want == (rawclient.Summary{}) {
			left, err := b.deleteHalf(ctx, subj)
			if err != nil {
				return err
			}
			s.want = rawclient.Summary{Created: n - left, Unchanged: left}
		}
		if err := b.runStep(ctx, subj, rows, s); err != nil {
			return err
		}
	}
	return nil
}
