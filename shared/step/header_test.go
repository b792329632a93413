package step_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// A header may contain text that neither the database nor an index can store. The file is
// imported nevertheless, and the job has a warning that its header was changed.
func TestUnstorableHeaders(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return `<c t="inlineStr"><is><t>` + s + `</t></is></c>` }
	long := strings.Repeat("long ", 6000)
	for name, file := range map[string]string{
		"workbook": string(xlsxtest.Workbook("<row>" + text("Email") + text("Full name") + text("Note_x0000_s") + text(long) + "</row>" +
			"<row>" + text("a@x.org") + text("Ann") + text("n") + text("l") + "</row>").Bytes(t)),
		"NDJSON": `{"email":"a@x.org","full name":"Ann","note\u0000s":"n","` + long + `":"l"}` + "\n",
		"CSV":    "Email,Full name,\"Note\x00s\"," + long + "\na@x.org,Ann,n,l\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 100)
			ref := e.create(t, "USER", "users", file, nil)
			e.prepare(t, ref)
			e.drain(t, false)
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.Regexp(t, "^[12] CREATED$", strings.Join(e.results(t, ref), "; "))
			require.Equal(t, string(problem.HeaderChanged), e.job(t, ref).WarningCodes[0], "the others are about columns that are not used")
		})
	}
}
