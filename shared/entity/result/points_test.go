package result

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPoints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code                   string
		position, time, winner int64
		want                   string
	}{
		"nobody counts":                 {noPoints, 1, 1000, 1000, ""},
		"first of a table":              {"wpca-road-league", 1, 0, 0, "50"},
		"last of a table":               {"wpca-road-league", 10, 0, 0, "3"},
		"behind the table":              {"wpca-road-league", 11, 0, 0, "0"},
		"the winner's time":             {"sa-school", 1, 3_600_000, 3_600_000, "100.00"},
		"half as fast":                  {"sa-school", 9, 7_200_000, 3_600_000, "50.00"},
		"rounded up":                    {"sa-school", 2, 3_000, 2_000, "66.67"},
		"a winner without a time":       {"sa-school", 2, 3_000, 0, ""},
		"somebody without a time":       {"sa-school", 2, 0, 3_000, ""},
		"a millisecond behind in hours": {"sa-school", 2, 36_000_001, 36_000_000, "100.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calculator, err := calculatorOf(c.code)
			require.NoError(t, err)
			require.Equal(t, c.want, calculator.points(c.position, c.time, c.winner))
		})
	}
	_, err := calculatorOf("fifa")
	require.ErrorContains(t, err, "fifa")
}

func TestCalculatorsAreDataWithAnOrigin(t *testing.T) {
	t.Parallel()
	const valid = `{"provenance": "x", "calculators": [{"code": "league", "table": [5, 3, 3, 0]}]}`
	read, err := readCalculators([]byte(valid))
	require.NoError(t, err)
	require.Equal(t, []string{noPoints, "league"}, []string{read[0].Code, read[1].Code})
	for name, calculators := range map[string]string{
		"of no origin":        `{"calculators": []}`,
		"not JSON":            `[`,
		"a misspelt member":   `{"provenance": "x", "calculators": [{"code": "a", "tables": [1]}]}`,
		"no code":             `{"provenance": "x", "calculators": [{"table": [1]}]}`,
		"twice":               `{"provenance": "x", "calculators": [{"code": "a", "table": [1]}, {"code": "a", "table": [1]}]}`,
		"the code of none":    `{"provenance": "x", "calculators": [{"code": "none", "table": [1]}]}`,
		"no points":           `{"provenance": "x", "calculators": [{"code": "a"}]}`,
		"both ways":           `{"provenance": "x", "calculators": [{"code": "a", "table": [1], "percent": true}]}`,
		"points that rise":    `{"provenance": "x", "calculators": [{"code": "a", "table": [1, 2]}]}`,
		"negative points":     `{"provenance": "x", "calculators": [{"code": "a", "table": [1, -1]}]}`,
		"decimals of a table": `{"provenance": "x", "calculators": [{"code": "a", "table": [1], "decimals": 1}]}`,
	} {
		_, err := readCalculators([]byte(calculators))
		require.Error(t, err, name)
	}
}

func TestMilliseconds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0:00": 0, "0:01": 1000, "59:59": 3_599_000, "1:00:00": 3_600_000, "1:02:03.5": 3_723_500, "00:00:00,04": 40, "100:00:00.123": 360_000_123,
	} {
		require.Equal(t, want, milliseconds(text), text)
	}
}

// TestChanges holds what a conflict is: a race number can only be somebody's.
func TestChanges(t *testing.T) {
	t.Parallel()
	ada, ben, cid := &entry{id: 1, number: "10"}, &entry{id: 2, number: "20"}, &entry{id: 3}
	known := &entries{
		byKey:  map[string]*entry{"a": ada, "b": ben, "c": cid},
		number: map[string]*entry{"10": ada, "20": ben},
	}
	for name, c := range map[string]struct {
		claims []claim
		want   []string
	}{
		"the number that one has":          {[]claim{{2, "a", "10"}}, nil},
		"a free number":                    {[]claim{{2, "a", "11"}}, []string{"10>11 SIMPLE"}},
		"a first number":                   {[]claim{{2, "c", "30"}}, []string{">30 SIMPLE"}},
		"somebody's number":                {[]claim{{2, "c", "20"}}, []string{">20 CONFLICT"}},
		"two who change theirs":            {[]claim{{2, "a", "20"}, {3, "b", "10"}}, []string{"10>20 CONFLICT", "20>10 CONFLICT"}},
		"two for one number":               {[]claim{{2, "a", "11"}, {3, "c", "11"}}, []string{"10>11 CONFLICT", ">11 CONFLICT"}},
		"two numbers for one":              {[]claim{{2, "a", "11"}, {3, "a", "12"}}, []string{"10>11 CONFLICT", "10>12 CONFLICT"}},
		"the old number and a new one":     {[]claim{{2, "a", "11"}, {3, "a", "10"}}, []string{"10>11 CONFLICT"}},
		"the same change in two races":     {[]claim{{2, "a", "11"}, {9, "a", "11"}}, []string{"10>11 SIMPLE"}},
		"somebody who is not in the event": {[]claim{{2, "x", "11"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, change := range changes(c.claims, known).Listed {
				got = append(got, change.From+">"+change.To+" "+change.Kind)
			}
			require.Equal(t, c.want, got)
		})
	}
}
