package recall_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/recall"
)

func column(header string, status job.MappingStatus, target string) job.MappedColumn {
	return job.MappedColumn{Header: header, Status: status, TargetField: target, Confirmed: true, Decided: true}
}

func TestOnlyWhatAPersonDecidedAboutColumnsIsRemembered(t *testing.T) {
	t.Parallel()
	untouched := column("Untouched", job.Ignored, "")
	untouched.Decided = false
	require.Equal(t, []job.ColumnDecision{
		{Key: "klasse", Header: "Klasse", TargetField: "TYPE"},
		{Key: "shoesize", Header: "Shoe size"},
		{Key: "twice", Header: "TWICE *", TargetField: "A"},
	}, recall.OfColumns(&job.Job{}, []job.MappedColumn{
		column("First name", job.AutoMatched, "FIRST_NAME"),
		column("Klasse", job.ManualMatched, "TYPE"),
		column("Shoe size", job.Ignored, ""),
		column("Nobody knows", job.Unresolved, ""),
		column("  ", job.Ignored, ""),
		column("twice", job.Ignored, ""),
		column("TWICE *", job.ManualMatched, "A"),
		column("Twice", job.ManualMatched, "B"),
		column(job.RowHeader, job.Ignored, ""),
		column(job.ErrorHeader, job.Ignored, ""),
		untouched,
	}))
}

func TestOnlyWhatAPersonDecidedAboutValuesIsRemembered(t *testing.T) {
	t.Parallel()
	require.Equal(t, []job.CellDecision{
		{TargetField: "TYPE", Key: "veteran", Value: "Veteran", EntityID: "7"},
		{TargetField: "TYPE", Key: "none", Value: "none"},
		{TargetField: "COUNTRY", Key: "veteran", Value: "Veteran", EntityID: "8"},
	}, recall.OfCells(&job.Job{}, []job.MappedCell{
		{TargetField: "TYPE", Value: "Veteran", Status: job.ManualMatched, EntityID: "7", Confirmed: true, Decided: true},
		{TargetField: "TYPE", Value: "VETERAN ", Status: job.ManualMatched, EntityID: "9", Confirmed: true, Decided: true},
		{TargetField: "TYPE", Value: "none", Status: job.Ignored, Confirmed: true, Decided: true},
		{TargetField: "TYPE", Value: "Senior", Status: job.AutoMatched, EntityID: "1"},
		{TargetField: "TYPE", Value: "???", Status: job.Ignored, Confirmed: true, Decided: true},
		{TargetField: "TYPE", Value: "open", Status: job.Unresolved},
		{TargetField: "COUNTRY", Value: "Veteran", Status: job.ManualMatched, EntityID: "8", Confirmed: true, Decided: true},
		{TargetField: "COUNTRY", Value: "by default", Status: job.ManualMatched, EntityID: "8", Confirmed: true},
	}))
}

func TestNothingOfADryRunIsRemembered(t *testing.T) {
	t.Parallel()
	rehearsal := &job.Job{DryRun: true}
	require.Empty(t, recall.OfColumns(rehearsal, []job.MappedColumn{column("Klasse", job.ManualMatched, "TYPE")}))
	require.Empty(t, recall.OfCells(rehearsal, []job.MappedCell{{TargetField: "TYPE", Value: "x", Status: job.Ignored, Confirmed: true, Decided: true}}))
}

func TestWhatIsRememberedComesBackAsDecisions(t *testing.T) {
	t.Parallel()
	require.Equal(t, []mapping.Decision{
		{Header: "Loadbay row", Ignored: true},
		{Header: "Loadbay message", Ignored: true},
		{Header: "Klasse", Target: "TYPE"},
		{Header: "Shoe size", Ignored: true},
	}, recall.ForColumns([]job.ColumnDecision{{Header: "Klasse", TargetField: "TYPE"}, {Header: "Shoe size"}}))
}

func TestKeysAreThoseOfTheMatching(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"datebirth", ""}, recall.HeaderKeys([]string{"DATE-birth (dd/mm/yyyy)", "*"}))
	require.Equal(t, []string{"u18", ""}, recall.ValueKeys([]string{" U 18 ", "???"}))
}
