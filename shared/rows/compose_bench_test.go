package rows_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/transform"
)

// BenchmarkCompose decodes rows of two fields, with unchanged columns and with joined and
// transformed columns.
func BenchmarkCompose(b *testing.B) {
	user, _ := catalog.New().ByName("USER")
	row := &sheet.Row{Number: 2, Cells: []sheet.Cell{text("ada@example.org"), text("LANG"), text("ada")}}
	for name, columns := range map[string][]job.MappedColumn{
		"plain":   {{ColumnIndex: 0, TargetField: "EMAIL"}, {ColumnIndex: 1, TargetField: "NAME"}},
		"joined":  {{ColumnIndex: 0, TargetField: "EMAIL"}, {ColumnIndex: 1, TargetField: "NAME", ExtraColumns: []int{2}, Separator: " "}},
		"changed": {{ColumnIndex: 0, TargetField: "EMAIL"}, {ColumnIndex: 1, TargetField: "NAME", Transforms: []transform.Step{{Op: transform.Trim}, {Op: transform.Replace, Old: "A", New: "a"}}}},
	} {
		b.Run(name, func(b *testing.B) {
			plan, err := rows.NewPlan(user.Declaration(), columns)
			require.NoError(b, err)
			decoder := rows.NewDecoder(plan, &job.Job{OrganisationID: 1}, &sheet.Dialect{Format: sheet.CSV}, 5000)
			b.ReportAllocs()
			for b.Loop() {
				if decoder.Add(row) != nil {
					b.Fatal("the row was refused")
				}
				if decoder.Batch.Len() == 5000 {
					b.StopTimer()
					decoder = rows.NewDecoder(plan, &job.Job{OrganisationID: 1}, &sheet.Dialect{Format: sheet.CSV}, 5000)
					b.StartTimer()
				}
			}
		})
	}
}
