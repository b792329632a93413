package entity

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// upsertGroups writes the groups, with one statement for each key by which they are identified.
func (t *Table) upsertGroups(ctx context.Context, tx pgx.Tx, b *Batch, groups []group) error {
	for k := range t.Keys {
		mine := groups
		if slices.ContainsFunc(groups, func(g group) bool { return g.key != k }) {
			mine = nil
			for _, g := range groups {
				if g.key == k {
					mine = append(mine, g)
				}
			}
		}
		if err := t.upsertByKey(ctx, tx, b, k, mine); err != nil {
			return err
		}
	}
	return nil
}

// upsertByKey inserts or updates one entity per group and sets the outcome.
func (t *Table) upsertByKey(ctx context.Context, tx pgx.Tx, b *Batch, k int, groups []group) error {
	if len(groups) == 0 {
		return nil
	}
	part, cells := mergeGroups(b, groups)
	sql, params := t.insertSQL(part, cells)
	contextColumn := ""
	if t.Context != "" {
		contextColumn = t.Context + ", "
	}
	sql += fmt.Sprintf(`
		ON CONFLICT (organisation_id, %s%s) DO UPDATE SET %s
		WHERE (e.source_job IS DISTINCT FROM excluded.source_job OR e.source_row <= excluded.source_row OR e.source_cells IS NOT NULL) AND %s
		RETURNING source_row, `+IsCreated,
		contextColumn, t.Keys[k].uniqueExpr(b.Declaration.Fields[b.Declaration.FieldIndex(t.Keys[k].Field)].Column), t.assignments(part), MarkUpdated(lastRowExpr))
	// Row → whether it created the entity; absent if a later row had written it already.
	inserted := make(map[int64]bool, len(groups))
	_, err := Query(ctx, tx, sql, params, func(v [][]byte) error {
		inserted[Int64(v[0])] = Int64(v[1]) == 1
		return nil
	})
	if err != nil {
		return err
	}
	for g := range groups {
		made, written := inserted[b.Row(groups[g].last())]
		if made {
			b.Results[groups[g].first()].Outcome = rowwrite.Created
		}
		if !written {
			last := &b.Results[groups[g].last()]
			last.Errors = append(last.Errors, rowwrite.Error{
				Code: problem.RowSuperseded, Message: "A later row of this file overwrites the same entry.",
			})
		}
	}
	return nil
}

// mergeGroups returns a batch of one row per group. The row has the last value of each field among
// the group's rows, and the number of the group's last row. The second result holds
// source_cells for each row.
func mergeGroups(b *Batch, groups []group) (*Batch, *Column) {
	places, several := make([]int, len(groups)), false
	for g := range groups {
		places[g] = groups[g].last()
		several = several || len(groups[g].rows) > 1
	}
	part := b.subset(places)
	var sources [][]int // by field and group: the row that contains the value
	if several {
		sources = make([][]int, len(b.Columns))
		for c := range b.Columns {
			sources[c] = lastGivers(&b.Columns[c], groups)
			part.Columns[c] = b.Columns[c].Pick(sources[c])
		}
	}
	return part, sourceCellsColumn(b, part, sources)
}

// lastGivers returns, for each group, the last row that has a value in the column.
func lastGivers(c *Column, groups []group) []int {
	rows := make([]int, len(groups))
	for g := range groups {
		rows[g] = groups[g].last()
		for i := len(groups[g].rows) - 1; i >= 0; i-- {
			if _, ok := c.Bytes(groups[g].rows[i]); ok {
				rows[g] = groups[g].rows[i]
				break
			}
		}
	}
	return rows
}

// sourceCellsColumn returns source_cells of each row of the part as an array literal; nil if no
// row needs any.
func sourceCellsColumn(b, part *Batch, givers [][]int) *Column {
	if givers == nil && !part.hasEmptyCells() {
		return nil
	}
	cells := NewColumn(Text, part.Len())
	var literal []byte
	for i := range part.Len() {
		literal = literal[:0]
		elements := 0
		for c := range part.Columns {
			row := part.Row(i)
			if _, ok := part.Columns[c].Bytes(i); !ok {
				row = 0
			} else if givers != nil {
				row = b.Row(givers[c][i])
			}
			if !part.Mapped[c] || row == part.Row(i) {
				continue
			}
			for ; elements < c; elements++ {
				literal = append(literal, "NULL,"...)
			}
			literal = append(strconv.AppendInt(literal, row, 10), ',')
			elements++
		}
		if elements == 0 {
			cells.AppendNull()
			continue
		}
		literal[len(literal)-1] = '}'
		cells.AppendText(append([]byte{'{'}, literal...))
	}
	if cells.nulls == cells.Len() {
		return nil
	}
	return &cells
}

// hasEmptyCells reports whether a row has no value for a mapped field.
func (b *Batch) hasEmptyCells() bool {
	for c := range b.Columns {
		if b.Mapped[c] && b.Columns[c].nulls > 0 {
			return true
		}
	}
	return false
}

// The row that wrote a field of the entity, and the row that contains its new value; %d is the
// field's element of source_cells. 0 means none.
const (
	writerExpr = "coalesce(e.source_cells[%[1]d], e.source_row)"
	giverExpr  = "coalesce(excluded.source_cells[%[1]d], excluded.source_row)"
	// lastRowExpr is the row to which an update attributes the entity.
	lastRowExpr = "CASE WHEN e.source_job = excluded.source_job THEN greatest(e.source_row, excluded.source_row) ELSE excluded.source_row END"
)

// assignments returns the SET list: each field gets the value of the later row. Empty cells have
// no value, and rows of other imports count as earlier.
func (t *Table) assignments(b *Batch) string {
	var set, rows []string
	if t.UpdatedAtColumn != "" && !b.mapsColumn(t.UpdatedAtColumn) {
		set = append(set, t.UpdatedAtColumn+" = now()")
	}
	for i := range b.Declaration.Fields {
		if !b.Mapped[i] {
			rows = append(rows, "NULL")
			continue
		}
		set = append(set, fmt.Sprintf(`%[2]s = CASE
				WHEN excluded.source_cells[%[1]d] = 0 THEN e.%[2]s
				WHEN e.source_job IS DISTINCT FROM excluded.source_job OR `+writerExpr+` <= `+giverExpr+` THEN excluded.%[2]s
				ELSE e.%[2]s
			END`, i+1, b.Declaration.Fields[i].Column))
		rows = append(rows, fmt.Sprintf("nullif(greatest("+writerExpr+", "+giverExpr+"), greatest(e.source_row, excluded.source_row))", i+1))
	}
	set = append(set, "source_job = excluded.source_job",
		"source_row = "+lastRowExpr,
		fmt.Sprintf(`source_cells = CASE
				WHEN e.source_job IS DISTINCT FROM excluded.source_job THEN excluded.source_cells
				WHEN e.source_cells IS NULL AND excluded.source_cells IS NULL THEN NULL
				ELSE ARRAY[%s]::int4[]
			END`, strings.Join(rows, ", ")))
	return strings.Join(set, ", ")
}

func (b *Batch) mapsColumn(name string) bool {
	for i := range b.Declaration.Fields {
		if b.Declaration.Fields[i].Column == name {
			return b.Mapped[i]
		}
	}
	return false
}
