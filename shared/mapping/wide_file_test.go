package mapping_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/content"
)

// wideFile returns 50 columns as files have them, with 200 values each: a third of them are fields, and
// the others mean nothing to the type.
func wideFile() (columns []mapping.Column, values [][]string) {
	headers := []string{
		"Mitgliedsnummer", "Vorname", "Nachname", "Geburtsdatum", "E-Mail", "Mobil", "Land", "Geschlecht", "Eintrittsdatum", "Art der Mitgliedschaft",
		"Straße und Hausnummer", "Postleitzahl", "Ort", "Telefon dienstlich", "Notfallkontakt Name", "Notfallkontakt Telefon", "IBAN", "Kontoinhaber",
		"Zahlungsart", "Beitrag", "Bemerkungen", "Created By", "Last Login", "Emergency Contact Email", "T-Shirt Size",
	}
	texts := []string{"M-%03d", "Anna%d", "Lang%d", "%02d.01.1990", "anna%d@example.org", "+49 171 23456%02d", "Deutschland%d"}
	for i := range 50 {
		column := mapping.Column{Index: i, Header: headers[i%len(headers)]}
		if i >= len(headers) {
			column.Header = fmt.Sprintf("Custom attribute %d %s", i, headers[i%len(headers)])
		}
		all := make([]string, 200)
		for row := range all {
			all[row] = fmt.Sprintf(texts[i%len(texts)], row%28+1)
		}
		column.Samples = all[:50]
		columns, values = append(columns, column), append(values, all)
	}
	return columns, values
}

// BenchmarkWideFile is the work of an analysis for 50 columns and 200 rows: detecting the contents,
// matching the columns and ranking the fields for each. make bench-mapping compares it with another
// commit.
func BenchmarkWideFile(b *testing.B) {
	columns, values := wideFile()
	d := dictionaries()["MEMBERSHIP"]
	b.ReportAllocs()
	started := processorTime(b)
	for b.Loop() {
		contents := content.NewColumns(len(columns))
		for i, all := range values {
			for _, v := range all {
				contents.Add(i, []byte(v), 0)
			}
		}
		m, err := mapping.New(d)
		require.NoError(b, err)
		matches := m.Match(columns)
		m.ApplySamples(matches, true)
		for i := range columns {
			s := contents.Summary(i)
			m.RankTargets(columns[i].Header, &s, 5)
		}
	}
	b.ReportMetric(float64(processorTime(b)-started)/float64(b.N), "cpu-ns/op")
}

// processorTime returns the processor time of the process in nanoseconds. Unlike the time on a clock,
// it does not depend on what else the machine does.
func processorTime(b *testing.B) int64 {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return used.Utime.Nano() + used.Stime.Nano()
}
