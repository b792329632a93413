package step_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// rowMessages returns the messages of a row.
func (e *engine) rowMessages(t *testing.T, ref job.Ref, row int64) (texts []string) {
	t.Helper()
	for _, line := range e.messages(t, ref) {
		if text, ok := strings.CutPrefix(line, fmt.Sprintf("%d ", row)); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// TestPlaceholderReferenceIsNoReference: orders of different people with a placeholder as their
// reference are different orders.
func TestPlaceholderReferenceIsNoReference(t *testing.T) {
	t.Parallel()
	for _, placeholder := range []string{"N/A", "-", "TBD", "null", "#N/A", "none", "?", "0", "0000", "x", "XXX"} {
		t.Run(placeholder, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 2)
			var file strings.Builder
			file.WriteString(orderHeader)
			for items := range 5 {
				file.WriteString(orderLine(placeholder, items+1))
			}
			ref := e.orders(t, file.String()+orderLine("A-1", 1), false)
			require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED", "5 CREATED", "6 CREATED", "7 CREATED"}, e.results(t, ref))
			require.Equal(t, int64(5), postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM bulk_upload_row WHERE idempotency_basis = 'HASH'`))
			require.Equal(t, int64(1), postgrestest.Query[int64](t, e.Database, `SELECT count(client_reference) FROM orders`))
			require.Contains(t, e.job(t, ref).WarningCodes,
				"PLACEHOLDER_IGNORED: Client reference: placeholders such as N/A or - are read as empty cells; such orders are recognised by all of their values")
		})
	}
}

func TestOrdersWithReferencesCauseNoWarning(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	ref := e.orders(t, orderHeader+orderLine("A-1", 1)+orderLine("", 2)+orderLine("4E10", 3)+orderLine("NA-17", 4), false)
	require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED", "5 CREATED"}, e.results(t, ref))
	require.Empty(t, e.job(t, ref).WarningCodes)
}

// TestShortenedNumberIsError: a number that a spreadsheet program has shortened identifies nothing,
// and nobody can be called at it.
func TestShortenedNumberIsError(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.orders(t, orderHeader+
		orderLine("5.00123E+11", 1)+
		strings.Replace(orderLine("A-1", 1), "0801234567", "9.19801E+11", 1)+
		strings.Replace(orderLine("A-2", 1), "7,", "5.00123E+11,", 1), false)
	require.Equal(t, []string{"2 ERROR CLIENT_REFERENCE CELL_PRECISION", "3 ERROR SENDER_CONTACT CELL_PRECISION", "4 ERROR CLIENT_ID CELL_PRECISION"}, e.results(t, ref))
	const message = "The number has lost digits, as in scientific notation. Format the column as text and write the whole number."
	require.Equal(t, []string{"Client reference: " + message}, e.rowMessages(t, ref, 2))
	require.Equal(t, []string{"Sender contact: " + message}, e.rowMessages(t, ref, 3))
}

// TestRequiredKeyRejectsPlaceholder checks the text keys of all types with one table.
func TestRequiredKeyRejectsPlaceholder(t *testing.T) {
	t.Parallel()
	const author = "11111111-1111-4111-8111-111111111111"
	for importType, c := range map[string]struct{ header, line, field string }{
		"USER":           {"email,name", "%s,Ann", "EMAIL"},
		"ARTICLE":        {"slug,title,body,author_id", "%s,T,B," + author, "SLUG"},
		"PERIOD":         {"name,starts_on,ends_on", "%s,2026-01-01,2026-12-31", "NAME"},
		"EVENT":          {"name,starts_on", "%s,2026-01-01", "NAME"},
		"EVENT_CATEGORY": {"name", "%s", "NAME"},
	} {
		t.Run(importType, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 100)
			e.Exec(t, `INSERT INTO users (organisation_id, id, email, name) VALUES (1, '`+author+`', 'author@x.org', 'Author')`)
			e.Exec(t, `INSERT INTO events (organisation_id, id, name) VALUES (1, 77, 'Race')`)
			file := c.header + "\n"
			for _, text := range []string{"N/A", "-", "tbd", "null", "0000", "5.00123E+11"} {
				file += fmt.Sprintf(c.line, text) + "\n"
			}
			ref := e.create(t, importType, "file.csv", file, func(j *job.Job) {
				if importType == "EVENT_CATEGORY" {
					j.ContextID = new(int64(77))
				}
			})
			e.prepare(t, ref)
			e.drain(t, false)
			lost := "CELL_PRECISION"
			if importType == "USER" {
				lost = "CELL_EMAIL"
			}
			required := " ERROR " + c.field + " CELL_REQUIRED"
			require.Equal(t, []string{"2" + required, "3" + required, "4" + required, "5" + required, "6" + required, "7 ERROR " + c.field + " " + lost}, e.results(t, ref))
			require.Contains(t, e.rowMessages(t, ref, 2)[0], "This is a placeholder, not a value.")
		})
	}
}

func TestNamesMayBeWordsForMissingValues(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.create(t, "EVENT", "file.csv", "name\nTest\nUnknown\nX\n", nil)
	e.prepare(t, ref)
	e.drain(t, false)
	require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED"}, e.results(t, ref))
}

// TestSkippedDuplicateNamesDifferences: a corrected address under the same reference is not dropped
// without a word, whichever row was written first.
func TestSkippedDuplicateNamesDifferences(t *testing.T) {
	t.Parallel()
	for _, chunkRows := range []int{1, 100} {
		for _, backwards := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d rows a chunk, backwards %v", chunkRows, backwards), func(t *testing.T) {
				t.Parallel()
				e := setup(t, chunkRows)
				corrected := strings.NewReplacer("2 Hill Street", "3 Dale Road", "2.50", "2.500").Replace(orderLine("A-1", 4))
				ref := e.orders(t, orderHeader+orderLine("A-1", 1)+corrected, backwards)
				require.Equal(t, []string{"2 CREATED", "3 SKIPPED  ROW_DUPLICATE"}, e.results(t, ref))
				require.Equal(t, []string{"Row 2 of this file is the same order, with another value of: Receiver address, Item count. The values of this row were not saved."}, e.rowMessages(t, ref, 3))

				ref = e.orders(t, orderHeader+orderLine("A-1", 1)+corrected+corrected, backwards)
				require.Equal(t, []string{"This order was already created by an earlier upload."}, e.rowMessages(t, ref, 2))
				for _, row := range []int64{3, 4} {
					require.Equal(t, []string{"This order was already created by an earlier upload, with another value of: Receiver address, Item count. The values of this row were not saved."}, e.rowMessages(t, ref, row))
				}
			})
		}
	}
}

// TestSkippedMemberNamesDifferences: an insert that finds the member says what it did not save.
func TestSkippedMemberNamesDifferences(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	const header = "First name,Surname,Email,Phone,Membership type\n"
	require.Equal(t, []string{"2 CREATED"}, e.roster(t, header+"Kim,Alpha,kim@x.org,0801234567,Senior\n", rowwrite.Insert, false))
	ref := e.create(t, "MEMBERSHIP", "roster.csv", header+"Kim,Alpha,kim@x.org,0809999999,Junior\nKim,Alpha,kim@x.org,,Senior\n", func(j *job.Job) { member(j); j.Mode = rowwrite.Insert })
	e.prepare(t, ref)
	e.drain(t, false)
	require.Equal(t, []string{"2 SKIPPED  ALREADY_EXISTS", "3 SKIPPED  ALREADY_EXISTS"}, e.results(t, ref))
	require.Equal(t, []string{"This person is already a member in this period, with another value of: Phone, Membership type. The values of this row were not saved."}, e.rowMessages(t, ref, 2))
	require.Equal(t, []string{"This person is already a member in this period."}, e.rowMessages(t, ref, 3))
}
