package mapping_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/concept"
	"github.com/loadbay/loadbay/shared/mapping/content"
)

// heldOut is a header row of a system that no word comes from.
type heldOut struct {
	sheet
	system, language string
}

func readHeldOut(t *testing.T) (lists []heldOut) {
	t.Helper()
	text, err := os.ReadFile("testdata/heldout.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			parts := strings.Split(heading, " | ")
			require.Len(t, parts, 3, heading)
			lists = append(lists, heldOut{sheet: sheet{kind: parts[0], title: heading}, system: parts[1], language: parts[2]})
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		list := &lists[len(lists)-1]
		for column := range strings.SplitSeq(line, " | ") {
			header, want, _ := strings.Cut(column, ">")
			list.columns = append(list.columns, mapping.Column{Index: len(list.columns), Header: header})
			list.want = append(list.want, want)
		}
	}
	return lists
}

// accuracy is how well the columns of lists are matched: those that are taken where a person is asked about
// unsure matches, those that are taken where nobody is asked, and those that are suggested.
type accuracy struct {
	certain, unasked                           score
	columns, without, fields, first, amongFive int
}

// measure matches the columns of the held-out lists and logs the confusions.
func measure(t *testing.T, matchers map[string]*mapping.Matcher, lists []heldOut) (a accuracy) {
	t.Helper()
	for i := range lists {
		list := &lists[i]
		for c, got := range matchers[list.kind].Match(list.columns) {
			want := list.want[c]
			a.columns++
			a.unasked.count(want, got)
			if got.Target != want {
				t.Logf("%s: %q means %q, matched to %q (%.2f, %s)", list.title, got.Column.Header, want, got.Target, got.Confidence, got.Reason)
			}
			place := 0
			if want != "" {
				a.fields++
				place = suggestedPlace(matchers[list.kind], got.Column.Header, want)
			} else {
				a.without++
			}
			if place == 1 || want != "" && got.Target == want {
				a.first++
			}
			if place > 0 || want != "" && got.Target == want {
				a.amongFive++
			} else if want != "" {
				t.Logf("%s: %q means %q, which is not suggested", list.title, got.Column.Header, want)
			}
			if got.Confidence < 1 {
				got.Target = ""
			}
			a.certain.count(want, got)
		}
	}
	for name, s := range map[string]*score{"taken under unsure": &a.certain, "taken when nobody is asked": &a.unasked} {
		t.Logf("%s: precision %s, recall %s", name, interval(s.right, s.right+s.wrong), interval(s.right, s.right+s.missed))
	}
	t.Logf("suggested first %s, among five %s", interval(a.first, a.fields), interval(a.amongFive, a.fields))
	return a
}

// requireAtLeast requires minimum shares: the precision and the recall of what is taken under unsure, and
// of what is suggested first and among five.
func (a *accuracy) requireAtLeast(t *testing.T, precision, recall, first, amongFive float64) {
	t.Helper()
	require.GreaterOrEqual(t, a.certain.precision(), precision)
	require.GreaterOrEqual(t, a.certain.recall(), recall)
	require.GreaterOrEqual(t, float64(a.first)/float64(a.fields), first)
	require.GreaterOrEqual(t, float64(a.amongFive)/float64(a.fields), amongFive)
}

// TestHeldOutSystems measures the matching of header rows of systems that no word comes from.
func TestHeldOutSystems(t *testing.T) {
	t.Parallel()
	lists := readHeldOut(t)
	languages := make(map[string]bool)
	for i := range lists {
		languages[lists[i].language] = true
	}
	a := measure(t, matchersByType(t), lists)
	t.Logf("%d columns, %d of them without a field, %d languages", a.columns, a.without, len(languages))
	require.GreaterOrEqual(t, a.columns, 1000)
	require.GreaterOrEqual(t, len(languages), 15)
	require.GreaterOrEqual(t, 4*a.without, a.columns)
	a.requireAtLeast(t, 0.98, 0.95, 0.98, 0.98)
}

// TestHeldOutSystemsOfDeclaredTypes measures the same for declared types whose fields have no aliases, only
// the concepts that a draft gives them.
func TestHeldOutSystemsOfDeclaredTypes(t *testing.T) {
	t.Parallel()
	lists := readHeldOut(t)
	matchers, fields := declaredMatchers(t, concept.Vocabulary{})
	for i := range lists {
		for c, want := range lists[i].want {
			if !fields[lists[i].kind][want] {
				lists[i].want[c] = ""
			}
		}
	}
	t.Log("with concepts")
	a := measure(t, matchers, lists)
	t.Logf("%d columns, %d of them without a field", a.columns, a.without)
	t.Log("without concepts")
	matchers, _ = declaredMatchers(t, nil)
	before := measure(t, matchers, lists)
	require.Greater(t, a.certain.recall(), before.certain.recall())
	a.requireAtLeast(t, 0.98, 0.9, 0.95, 0.95)
}

// suggestedPlace returns the place of the field among five suggestions, from 1; 0 if it is not one.
func suggestedPlace(m *mapping.Matcher, header, want string) int {
	for i, g := range m.RankTargets(header, &content.Summary{}, 5) {
		if g.Target == want {
			return i + 1
		}
	}
	return 0
}

// interval describes a share with its 95 % interval, as Wilson computes it.
func interval(part, all int) string {
	if all == 0 {
		return "none"
	}
	n, p, z := float64(all), float64(part)/float64(all), 1.96
	middle, margin := (p+z*z/(2*n))/(1+z*z/n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))/(1+z*z/n)
	return fmt.Sprintf("%s (%s–%s)", percent(p), percent(middle-margin), percent(middle+margin))
}

func percent(p float64) string {
	return fmt.Sprintf("%.1f %%", 100*p)
}
