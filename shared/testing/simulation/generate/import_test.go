package generate_test

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
)

const seeds = 400

func allImports(int64) generate.RowState { return generate.Processed }

func TestSeedIsReproducible(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		first, again := generate.New(seed), generate.New(seed)
		require.Equal(t, first.String(), again.String())
		if first.Format != "xlsx" { // a workbook contains the time
			require.Equal(t, first.File, again.File)
		}
	}
}

// TestEveryFeatureIsGenerated: a feature that is never generated would never be tested.
func TestEveryFeatureIsGenerated(t *testing.T) {
	t.Parallel()
	seen := make(map[string]int)
	for seed := range uint64(seeds) {
		m := generate.New(seed)
		seen[m.Type+" "+string(m.Mode)]++
		seen[m.Format]++
		for _, part := range []string{"fields", "transforms", "separator"} {
			if strings.Contains(m.Mapping, part) {
				seen["mapping with "+part]++
			}
		}
		lines, counts, _ := m.Expect(allImports)
		if counts.Unchanged > 0 {
			seen["unchanged "+m.Type]++
		}
		if m.Mode == rowwrite.Upsert && counts.Updated > 0 && m.HasDuplicates() {
			seen["repeated "+m.Type]++
		}
		for _, l := range lines {
			seen[string(rune(l.Outcome))]++
			for _, code := range l.Codes {
				seen[code]++
			}
		}
	}
	for _, what := range []string{
		"USER insert", "USER upsert", "ARTICLE insert", "ARTICLE upsert", "COMMENT insert", "COMMENT upsert", "MEMBERSHIP insert", "MEMBERSHIP upsert",
		"unchanged USER", "unchanged ARTICLE", "unchanged COMMENT", "unchanged MEMBERSHIP", "unchanged EVENT_PARTICIPANT", "repeated USER", "repeated MEMBERSHIP",
		"mapping with fields", "mapping with transforms", "mapping with separator",
		"ORDER insert", "EVENT_PARTICIPANT upsert", "RESULT upsert", "csv", "csv-utf16", "ndjson", "xlsx", "C", "U", "S", "E", " ", "H",
		"ROW_WIDTH", "ROW_DUPLICATE", "ALREADY_EXISTS", "REFERENCE_NOT_FOUND", "CELL_UNRESOLVED", "CELL_REQUIRED", "CELL_EMAIL", "CELL_BOOLEAN",
		"CELL_UUID", "CELL_PATTERN", "CELL_ENUM", "CELL_TOO_LONG", "CELL_TOO_SMALL", "CELL_NUMBER",
	} {
		require.Positive(t, seen[what], what)
	}
}

// TestFilesContainRecords reads files with the standard library.
func TestFilesContainRecords(t *testing.T) {
	t.Parallel()
	read := 0
	for seed := range uint64(seeds) {
		m := generate.New(seed)
		// encoding/csv treats rows that end with a lone CR as one row.
		if m.Format != "csv" || strings.Count(string(m.File), "\r") != strings.Count(string(m.File), "\r\n") {
			continue
		}
		var options struct{ Delimiter string }
		require.NoError(t, json.Unmarshal([]byte(m.Options), &options))
		r := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(m.File), "\uFEFF")))
		r.Comma, r.FieldsPerRecord = rune(options.Delimiter[0]), -1
		records, err := r.ReadAll()
		require.NoError(t, err, "seed %d", seed)
		var got, want [][]string
		for _, record := range records {
			if strings.TrimSpace(strings.Join(record, "")) != "" {
				got = append(got, record)
			}
		}
		for _, record := range m.Records {
			var cells []string
			switch {
			case record.Outcome == rowwrite.Header:
				for _, c := range m.Columns {
					cells = append(cells, c.Header)
				}
			case record.Outcome == rowwrite.Blank:
				continue
			default:
				for _, c := range record.Cells {
					cells = append(cells, c.Raw)
				}
				if record.Ragged < 0 {
					cells = cells[:len(cells)-1]
				} else if record.Ragged > 0 {
					cells = append(cells, "more")
				}
			}
			want = append(want, cells)
		}
		require.Equal(t, want, got, "seed %d", seed)
		read++
	}
	require.Greater(t, read, seeds/10)
}

// TestUncommittedRowsChangeNothing: the expected result of a cancelled import is derived from the
// committed rows.
func TestUncommittedRowsChangeNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		m := generate.New(seed)
		lines, counts, untouched := m.Expect(func(int64) generate.RowState { return generate.NotCommitted })
		require.Zero(t, counts.Processed())
		for i, l := range lines {
			require.Equal(t, checker.Line{Outcome: m.Records[i].Outcome}, l)
		}
		_, _, again := m.Expect(func(int64) generate.RowState { return generate.DeadLettered })
		require.Equal(t, len(untouched), len(again))
		for i := range untouched {
			require.ElementsMatch(t, untouched[i].Want, again[i].Want)
		}
	}
}
