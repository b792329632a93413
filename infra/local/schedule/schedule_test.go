package schedule_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/schedule"
)

func TestNext(t *testing.T) {
	t.Parallel()
	// Friday, half past the hour, between two minutes.
	const from = "2026-11-20T16:30:20Z"
	for expression, want := range map[string]string{
		"rate(1 minute)":                  "2026-11-20T16:31:20Z",
		"rate(12 hours)":                  "2026-11-21T04:30:20Z",
		"rate(7 days)":                    "2026-11-27T16:30:20Z",
		"cron(* * * * ? *)":               "2026-11-20T16:31:00Z",
		"cron(0 2 * * ? *)":               "2026-11-21T02:00:00Z",
		"cron(30 16 * * ? *)":             "2026-11-21T16:30:00Z",
		"cron(31 16 * * ? *)":             "2026-11-20T16:31:00Z",
		"cron(0/15 * * * ? *)":            "2026-11-20T16:45:00Z",
		"cron(*/20 17 * * ? *)":           "2026-11-20T17:00:00Z",
		"cron(5,10 0-3 * * ? *)":          "2026-11-21T00:05:00Z",
		"cron(0 18 ? * MON-FRI *)":        "2026-11-20T18:00:00Z",
		"cron(0 10 ? * mon-fri *)":        "2026-11-23T10:00:00Z",
		"cron(0 10 ? * 1 *)":              "2026-11-22T10:00:00Z",
		"cron(0 10 ? * L *)":              "2026-11-21T10:00:00Z",
		"cron(0 10 ? * 6L *)":             "2026-11-27T10:00:00Z",
		"cron(0 10 ? * 3#2 *)":            "2026-12-08T10:00:00Z",
		"cron(0 8 1 * ? *)":               "2026-12-01T08:00:00Z",
		"cron(0 8 L * ? *)":               "2026-11-30T08:00:00Z",
		"cron(0 8 L FEB ? *)":             "2027-02-28T08:00:00Z",
		"cron(0 8 31 * ? *)":              "2026-12-31T08:00:00Z",
		"cron(0 8 29 2 ? *)":              "2028-02-29T08:00:00Z",
		"cron(0 8 21W * ? *)":             "2026-12-21T08:00:00Z", // Saturday, 21 November: the Friday before has passed at 8
		"cron(0 18 21W * ? *)":            "2026-11-20T18:00:00Z",
		"cron(0 8 22W * ? *)":             "2026-11-23T08:00:00Z",
		"cron(0 8 1W AUG ? *)":            "2027-08-02T08:00:00Z", // the 1st is a Sunday
		"cron(0 8 1W MAY ? *)":            "2027-05-03T08:00:00Z", // the 1st is a Saturday: not into April
		"cron(0 8 31W JAN ? *)":           "2027-01-29T08:00:00Z", // the 31st is a Sunday: not into February
		"cron(0 0 1 1 ? 2030)":            "2030-01-01T00:00:00Z",
		"cron(0 0 1 JAN-MAR ? 2028/2)":    "2028-01-01T00:00:00Z",
		"cron(59 23 31 12 ? 2199)":        "2199-12-31T23:59:00Z",
		"cron(0 0 1 1 ? 2020)":            "",
		"cron(0 0 30 2 ? *)":              "",
		"cron(0 0 1,15 * ? 2027)":         "2027-01-01T00:00:00Z",
		"cron(0 0 10/10 * ? *)":           "2026-11-30T00:00:00Z",
		"cron(0 0 ? * TUE-THU/2 *)":       "2026-11-24T00:00:00Z",
		"cron(15 10 ? * 6L 2026-2030)":    "2026-11-27T10:15:00Z",
		"cron(0/5 8-17 ? * MON-FRI *)":    "2026-11-20T16:35:00Z",
		"cron(0,30 0 1 1-12/3 ? *)":       "2027-01-01T00:00:00Z",
		"cron(0 12 ? JAN,FEB SAT#5 *)":    "2027-01-30T12:00:00Z",
		"cron(0 12 ? * SAT#5 2026)":       "",
		"cron(0 12 ? OCT-DEC SAT#4 2026)": "2026-11-28T12:00:00Z",
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			e, err := schedule.Parse(expression)
			require.NoError(t, err)
			at, err := time.Parse(time.RFC3339, from)
			require.NoError(t, err)
			next := e.Next(at)
			if want == "" {
				require.True(t, next.IsZero(), next.String())
				return
			}
			require.Equal(t, want, next.Format(time.RFC3339))
		})
	}
}

func TestParseRefusesWhatEventBridgeWould(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{
		"cron(0 0 ? 12 SUN,WED#2 *)",
		"cron(0 2 * * *)",
		"cron(0 2 * * * *)",
		"cron(0 2 ? * ? *)",
		"cron(60 2 * * ? *)",
		"cron(0 24 * * ? *)",
		"cron(0 2 0 * ? *)",
		"cron(0 2 * 13 ? *)",
		"cron(0 2 ? * 0 *)",
		"cron(0 2 ? * 2#6 *)",
		"cron(5-1 2 * * ? *)",
		"cron(*/0 2 * * ? *)",
		"cron(0 2 * * ? 1969)",
		"cron(0 2 32W * ? *)",
		"cron(0 2 ? * XL *)",
		"rate(1 minutes)",
		"rate(5 minute)",
		"rate(0 minutes)",
		"rate(5 seconds)",
		"at(2026-01-01T00:00:00)",
		"rate(1 minute",
		"",
	} {
		_, err := schedule.Parse(expression)
		require.Error(t, err, expression)
	}
}

func TestRunFiresEachScheduleAtItsTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // time begins at midnight, 1 January 2000
		begin := time.Now()
		type fired struct {
			function string
			after    time.Duration
		}
		var all []fired
		var last map[string]any
		firing := make(chan func())
		r, err := schedule.New([]blueprint.Schedule{
			{Name: "often", Expression: "rate(1 minute)", Function: "reconcile"},
			{Name: "nightly", Expression: "cron(2 0 * * ? *)", Function: "purge"},
		}, func(_ context.Context, function string, event []byte) {
			done := make(chan struct{})
			firing <- func() {
				all = append(all, fired{function, time.Since(begin)})
				require.NoError(t, json.Unmarshal(event, &last))
				close(done)
			}
			<-done
			if function == "reconcile" {
				time.Sleep(90 * time.Second) // longer than its interval
			}
		})
		require.NoError(t, err)
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute+time.Second)
		defer stop()
		ended := make(chan struct{})
		go func() { r.Run(ctx); close(ended) }()
		for running := true; running; {
			select {
			case record := <-firing:
				record()
			case <-ended:
				running = false
			}
		}
		require.ElementsMatch(t, []fired{
			{"reconcile", 0}, {"purge", 2 * time.Minute}, {"reconcile", 2 * time.Minute}, {"reconcile", 4 * time.Minute},
		}, all)
		require.Equal(t, "Scheduled Event", last["detail-type"])
		require.Equal(t, "aws.events", last["source"])
		require.Equal(t, "2000-01-01T00:04:00Z", last["time"])
		require.Equal(t, []any{"arn:aws:events:us-east-1:000000000000:rule/loadbay-often-local"}, last["resources"])
	})
}

func TestNewNamesTheScheduleThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := schedule.New([]blueprint.Schedule{{Name: "nightly", Expression: "cron(daily)", Function: "purge"}}, nil)
	require.ErrorContains(t, err, "nightly")
}
