package recall_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/recall"
)

func TestWarningsSayWhatWasDecidedWhereAndWhen(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.FixedZone("", 3600))
	var w recall.Warnings
	require.Empty(t, w.Lines())
	w.Column(&job.ColumnDecision{Header: "Klasse", TargetField: "TYPE", DecidedAt: at, DecidedIn: "5f0c"})
	w.Column(&job.ColumnDecision{Header: "Shoe\x00" + strings.Repeat("e", 100), DecidedAt: at})
	w.Cell("VETERAN", &job.CellDecision{TargetField: "TYPE", Value: "veteran", EntityID: "7", DecidedAt: at, DecidedIn: "5f0c"})
	w.Cell("kids", &job.CellDecision{TargetField: "TYPE", Create: true, DecidedAt: at, DecidedIn: "5f0c"})
	w.Cell("none", &job.CellDecision{TargetField: "TYPE", DecidedAt: at, DecidedIn: "5f0c"})
	require.Equal(t, []string{
		`DECISION_REMEMBERED: column "Klasse" is TYPE, as decided in import 5f0c at 2026-11-21T08:30:00Z`,
		`DECISION_REMEMBERED: column "Shoe\x00` + strings.Repeat("e", 55) + `" is ignored, as decided in an import that is not known any more at 2026-11-21T08:30:00Z`,
		`DECISION_REMEMBERED: value "VETERAN" of TYPE is 7, as decided in import 5f0c at 2026-11-21T08:30:00Z`,
		`DECISION_REMEMBERED: value "kids" of TYPE gets an entity of its own, as decided in import 5f0c at 2026-11-21T08:30:00Z`,
		`DECISION_REMEMBERED: value "none" of TYPE is ignored, as decided in import 5f0c at 2026-11-21T08:30:00Z`,
	}, w.Lines())
}

func TestWarningsAreBounded(t *testing.T) {
	t.Parallel()
	var w recall.Warnings
	for range 10_000 {
		w.Cell("x", &job.CellDecision{TargetField: "TYPE"})
	}
	require.Len(t, w.Lines(), 51)
	require.Equal(t, "DECISION_REMEMBERED: and 9950 more", w.Lines()[50])
}
