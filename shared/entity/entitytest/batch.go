// Package entitytest contains helpers for tests of import types, and a suite that every type of
// the catalogue must pass.
package entitytest

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Batch returns rows of a type from texts, "" for an empty cell, numbered from 2. fields are the
// columns of the declaration that are mapped. The rows belong to organisation 1.
func Batch(t testing.TB, typ entity.Type, mode rowwrite.Mode, source int64, fields []string, rows ...[]string) *entity.Batch {
	t.Helper()
	d := typ.Declaration()
	mapped := make([]bool, len(d.Fields))
	places := make([]int, len(fields))
	for i, name := range fields {
		places[i] = slices.IndexFunc(d.Fields, func(f entity.Field) bool { return f.Column == name })
		require.GreaterOrEqual(t, places[i], 0, "%s has no column %s", d.Name, name)
		mapped[places[i]] = true
	}
	b := entity.NewBatch(d, mapped, len(rows))
	b.Organisation, b.JobKey, b.Mode = 1, source, mode
	for n, row := range rows {
		require.Len(t, row, len(fields))
		for i, text := range row {
			appendText(t, &b.Columns[places[i]], d.Fields[places[i]].Kind, text)
		}
		b.Commit(int64(n) + 2)
	}
	b.Results = make([]entity.Result, b.Len())
	return b
}

// appendText adds a value in the same way as the file reader.
func appendText(t testing.TB, c *entity.Column, kind entity.Kind, text string) {
	t.Helper()
	if text == "" {
		c.AppendNull()
		return
	}
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	switch kind {
	case entity.UUID:
		c.AppendUUID(uuid.MustParse(text))
	case entity.Integer, entity.Reference:
		n, err := strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
		c.AppendInt64(n)
	case entity.Boolean:
		c.AppendBool(text == "true")
	case entity.Date:
		day, err := time.Parse(time.DateOnly, text)
		require.NoError(t, err)
		c.AppendDate(int32(day.Sub(epoch) / (24 * time.Hour)))
	case entity.Timestamp:
		parsed, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		c.AppendInt64(parsed.Sub(epoch).Microseconds())
	default:
		c.AppendText([]byte(text))
	}
}

// Outcomes lists the results in short form: the outcome, or "FIELD CODE" of a rejected row.
func Outcomes(b *entity.Batch) []string {
	words := map[rowwrite.Outcome]string{rowwrite.Created: "created", rowwrite.Updated: "updated", rowwrite.Unchanged: "unchanged", rowwrite.Skipped: "skipped"}
	out := make([]string, len(b.Results))
	for i, r := range b.Results {
		if out[i] = words[r.Outcome]; r.Outcome == rowwrite.Errored {
			out[i] = r.Errors[0].Field + " " + string(r.Errors[0].Code)
		}
	}
	return out
}
