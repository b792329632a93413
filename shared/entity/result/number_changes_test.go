package result

import (
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseMilliseconds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0:00": 0, "0:01": 1000, "59:59": 3_599_000, "1:00:00": 3_600_000, "1:02:03.5": 3_723_500, "00:00:00,04": 40, "100:00:00.123": 360_000_123,
	} {
		require.Equal(t, want, parseMilliseconds(text), text)
	}
}

// A race number can belong to only one participant; other claims are conflicts.
func TestClassifyNumberChanges(t *testing.T) {
	t.Parallel()
	ada, ben, cid := &participantEntry{id: 1, number: "10"}, &participantEntry{id: 2, number: "20"}, &participantEntry{id: 3}
	known := &eventEntries{
		byKey:    map[string]*participantEntry{"a": ada, "b": ben, "c": cid},
		byNumber: map[string]*participantEntry{"10": ada, "20": ben},
	}
	for name, c := range map[string]struct {
		claims []claim
		want   []string
	}{
		"unchanged number":                      {[]claim{{2, "a", "10"}}, nil},
		"change to a free number":               {[]claim{{2, "a", "11"}}, []string{"10>11 SIMPLE"}},
		"first number":                          {[]claim{{2, "c", "30"}}, []string{">30 SIMPLE"}},
		"another participant's number":          {[]claim{{2, "c", "20"}}, []string{">20 CONFLICT"}},
		"two participants swap numbers":         {[]claim{{2, "a", "20"}, {3, "b", "10"}}, []string{"10>20 CONFLICT", "20>10 CONFLICT"}},
		"two participants claim one number":     {[]claim{{2, "a", "11"}, {3, "c", "11"}}, []string{"10>11 CONFLICT", ">11 CONFLICT"}},
		"one participant claims two numbers":    {[]claim{{2, "a", "11"}, {3, "a", "12"}}, []string{"10>11 CONFLICT", "10>12 CONFLICT"}},
		"old and new number of one participant": {[]claim{{2, "a", "11"}, {3, "a", "10"}}, []string{"10>11 CONFLICT"}},
		"same change in two races":              {[]claim{{2, "a", "11"}, {9, "a", "11"}}, []string{"10>11 SIMPLE"}},
		"participant not in the event":          {[]claim{{2, "x", "11"}}, nil},
		"change of a refused row":               {[]claim{{99, "a", "11"}}, nil},
		"refused row claims the same number":    {[]claim{{99, "c", "11"}, {2, "a", "11"}}, []string{"10>11 SIMPLE"}},
		"refused row names it first":            {[]claim{{99, "a", "11"}, {2, "a", "11"}}, []string{"10>11 SIMPLE"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, change := range classifyNumberChanges(c.claims, known, map[int64]rowwrite.Error{99: {}}).Listed {
				got = append(got, change.From+">"+change.To+" "+change.Kind)
			}
			require.Equal(t, c.want, got)
		})
	}
}
