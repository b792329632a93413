package mapping_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/mapping/concept"
)

// Minimum accuracy of the matching over all types.
const (
	minPrecision = 0.98
	minRecall    = 0.92
)

// score counts the outcomes for headers with a known meaning.
type score struct{ right, wrong, missed, refused int }

func (s *score) count(want string, got mapping.Match) {
	switch {
	case got.Target == want && want == "":
		s.refused++
	case got.Target == want:
		s.right++
	case got.Target != "":
		s.wrong++
		if want != "" {
			s.missed++
		}
	default:
		s.missed++
	}
}

func (s *score) add(o score) {
	s.right, s.wrong, s.missed, s.refused = s.right+o.right, s.wrong+o.wrong, s.missed+o.missed, s.refused+o.refused
}

func (s *score) precision() float64 { return share(s.right, s.wrong) }
func (s *score) recall() float64    { return share(s.right, s.missed) }

// share returns the share of right ones; 1 if there are none at all.
func share(right, others int) float64 {
	if right+others == 0 {
		return 1
	}
	return float64(right) / float64(right+others)
}

func (s *score) log(t *testing.T, name string) {
	t.Helper()
	t.Logf("%-18s precision %.3f  recall %.3f  (%d matched correctly, %d wrongly, %d not matched, %d correctly left out)",
		name, s.precision(), s.recall(), s.right, s.wrong, s.missed, s.refused)
}

// TestSingleHeaderAccuracy measures the matching of single headers.
func TestSingleHeaderAccuracy(t *testing.T) {
	t.Parallel()
	matchers := matchersByType(t)
	byType := make(map[string]*score)
	var order []string
	for _, line := range readTSV(t, "testdata/headers.tsv") {
		kind, header, want := line[0], strings.ReplaceAll(line[1], `\n`, "\n"), target(line[2])
		if byType[kind] == nil {
			byType[kind], order = &score{}, append(order, kind)
		}
		require.Contains(t, matchers, kind)
		got := matchers[kind].Match([]mapping.Column{{Header: header}})[0]
		if got.Target != want {
			t.Logf("%s: %q means %q, matched to %q (%.2f, %s)", kind, header, want, got.Target, got.Confidence, got.Reason)
		}
		byType[kind].count(want, got)
	}
	requireQuality(t, byType, order)
}

// TestHeaderRowAccuracy measures the matching of header rows, in which columns compete.
func TestHeaderRowAccuracy(t *testing.T) {
	t.Parallel()
	matchers := matchersByType(t)
	byType := make(map[string]*score)
	var order []string
	for _, sheet := range readSheets(t) {
		if byType[sheet.kind] == nil {
			byType[sheet.kind], order = &score{}, append(order, sheet.kind)
		}
		require.Contains(t, matchers, sheet.kind)
		for i, got := range matchers[sheet.kind].Match(sheet.columns) {
			if got.Target != sheet.want[i] {
				t.Logf("%s, %s: %q means %q, matched to %q (%.2f, %s)",
					sheet.kind, sheet.title, got.Column.Header, sheet.want[i], got.Target, got.Confidence, got.Reason)
			}
			byType[sheet.kind].count(sheet.want[i], got)
		}
	}
	requireQuality(t, byType, order)
}

func requireQuality(t *testing.T, byType map[string]*score, order []string) {
	t.Helper()
	var all score
	for _, kind := range order {
		byType[kind].log(t, kind)
		all.add(*byType[kind])
	}
	all.log(t, "all")
	require.Len(t, order, 7, "every import type is measured")
	require.GreaterOrEqual(t, all.precision(), minPrecision)
	require.GreaterOrEqual(t, all.recall(), minRecall)
}

type sheet struct {
	kind, title string
	columns     []mapping.Column
	want        []string
}

func readSheets(t *testing.T) []sheet {
	t.Helper()
	var sheets []sheet
	for _, line := range readTSV(t, "testdata/sheets.tsv") {
		if line[0] == "##" {
			sheets = append(sheets, sheet{kind: line[1], title: line[2]})
			continue
		}
		s := &sheets[len(sheets)-1]
		s.columns = append(s.columns, mapping.Column{Index: len(s.columns), Header: line[0], Samples: line[2:]})
		s.want = append(s.want, target(line[1]))
	}
	return sheets
}

// readTSV returns the fields of the lines that are not comments.
func readTSV(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	var lines [][]string
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		if !strings.HasPrefix(scanner.Text(), "# ") {
			lines = append(lines, strings.Split(scanner.Text(), "\t"))
		}
	}
	require.NoError(t, scanner.Err())
	return lines
}

func target(field string) string {
	if field == "-" {
		return ""
	}
	return field
}

// matchersByType returns a matcher for each import type, created from its declaration as in
// the analysis.
func matchersByType(t *testing.T) map[string]*mapping.Matcher {
	t.Helper()
	matchers := make(map[string]*mapping.Matcher)
	for kind, d := range dictionaries() {
		m, err := mapping.New(d)
		require.NoError(t, err, kind)
		matchers[kind] = m
	}
	return matchers
}

func dictionaries() map[string]mapping.Dictionary {
	out := make(map[string]mapping.Dictionary)
	for _, of := range catalog.New().Types() {
		d := columnmatch.Dictionary(of.Declaration(), nil)
		d.Concepts = concept.Vocabulary{}
		out[of.Declaration().Name] = d
	}
	return out
}
