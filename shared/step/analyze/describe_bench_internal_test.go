package analyze

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/mapping/content"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/sheet/value"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

// rosterFile returns a file of 20,000 rows and twelve columns of all kinds.
func rosterFile() []byte {
	var b strings.Builder
	b.WriteString("id,email,name,role,active,created,updated,phone,country,amount,note,code\n")
	for i := range 20_000 {
		fmt.Fprintf(&b, "%08x-0000-4000-8000-%012x,user%d@example.org,User Number %d,editor,%v,2024-01-%02dT10:00:00Z,%d/%d/2024,+49 30 %d,Germany,%d.50,some words %d,A-%d\n",
			i, i, i, i, i%2 == 0, 1+i%28, 1+i%12, 1+i%28, 1_000_000+i, i, i, i%100)
	}
	return []byte(b.String())
}

// BenchmarkSurvey measures the cost per row of an analysis that may ask questions: reading the row,
// surveying its dates and numbers, and collecting content statistics.
func BenchmarkSurvey(b *testing.B) {
	file := rosterFile()
	bucket := steptest.NewBucket()
	require.NoError(b, bucket.Put(b.Context(), "file", "", file))
	source := bucket.Open(b.Context(), object.Version{Key: "file", Size: int64(len(file))})
	dialect, err := reader.Detect(b.Context(), source, sheet.Options{}, sheet.DefaultLimits())
	require.NoError(b, err)
	for _, of := range []string{"reading", "and dates and numbers", "and contents"} {
		b.Run(of, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				f := findings{dialect: dialect, locales: value.NewSurvey(dialect), content: content.NewColumns(len(dialect.Header))}
				rows, err := reader.Open(b.Context(), source, dialect, sheet.DefaultLimits())
				require.NoError(b, err)
				for rows.Next() {
					if of != "reading" {
						f.locales.Add(rows.Row())
					}
					if of == "and contents" {
						f.addContent(rows.Row())
					}
				}
				require.NoError(b, rows.Err())
			}
		})
	}
}
