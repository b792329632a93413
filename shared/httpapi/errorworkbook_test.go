package httpapi_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
)

// fakeErrorWorkbooks writes configured content.
type fakeErrorWorkbooks struct {
	workbook  []byte
	fail      error
	requested []string // types and jobs
}

func (e *fakeErrorWorkbooks) Write(_ context.Context, out io.Writer, _ translation.Language, j *job.Job, of *entity.Declaration) (int64, error) {
	e.requested = append(e.requested, of.Name+" "+string(j.ID))
	const part = 1 << 20
	for rest := e.workbook; len(rest) > 0; rest = rest[min(part, len(rest)):] {
		if _, err := out.Write(rest[:min(part, len(rest))]); err != nil {
			return 0, err
		}
	}
	return 1, e.fail
}

// createdObject is an object in the in-memory bucket.
type createdObject struct {
	in   *fakeObjects
	key  string
	body bytes.Buffer
}

func (o *fakeObjects) Create(_ context.Context, key, _ string) object.Writer {
	return &createdObject{in: o, key: key}
}

func (c *createdObject) Write(p []byte) (int, error) { return c.body.Write(p) }
func (c *createdObject) Size() int64                 { return int64(c.body.Len()) }
func (c *createdObject) Complete() error {
	return c.in.PutIfAbsent(context.Background(), c.key, "", c.body.Bytes())
}
func (c *createdObject) Abort(because error) error { return because }

// getErrorWorkbook requests the error workbook of an import.
func (b *bundle) getErrorWorkbook(t *testing.T, id string) apiResponse {
	t.Helper()
	return b.do(t, get("/api/imports/"+id+"/errors.xlsx"))
}

func TestSmallErrorWorkbookIsInline(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createRows(t)
	const binary = "PK\x03\x04\x00\xff\xfe\x80" // binary data that no text encoding preserves
	b.errorWorkbooks.workbook = []byte(binary)
	a := b.getErrorWorkbook(t, id)
	require.Equal(t, http.StatusOK, a.Code, a.Body)
	require.Equal(t, binary, a.Body.String())
	require.Equal(t, `attachment; filename="`+id+`-errors.xlsx"`, a.Header().Get("Content-Disposition"))
	require.Equal(t, []string{"MEMBERSHIP " + id}, b.errorWorkbooks.requested)
}

// A workbook above the response limit is redirected: base64 turns three bytes into four, and Lambda
// accepts 6 MB.
func TestLargeErrorWorkbookRedirects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createRows(t)
	b.errorWorkbooks.workbook = bytes.Repeat([]byte{0xff}, 3_900_000)
	require.Equal(t, http.StatusOK, b.getErrorWorkbook(t, id).Code)

	b.errorWorkbooks.workbook = bytes.Repeat([]byte{0xff}, 4_500_000)
	a := b.getErrorWorkbook(t, id)
	doc := decode[fields](a, http.StatusFound)
	require.Equal(t, a.Header().Get("Location"), doc["url"])
	key := "exports/1/" + id + "-errors.xlsx"
	require.Contains(t, doc["url"], "https://bucket.example/"+key+"?")
	require.Equal(t, string(b.errorWorkbooks.workbook), b.objects.stored[key])

	delete(b.objects.stored, key)
	b.errorWorkbooks.fail = io.ErrUnexpectedEOF
	b.getErrorWorkbook(t, id).requireProblem(500, problem.Internal)
	require.NotContains(t, b.objects.stored, key)
}

func TestMissingErrorWorkbooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	b.getErrorWorkbook(t, id).requireProblem(409, problem.StillRunning)
	b.getErrorWorkbook(t, "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4").requireProblem(404, problem.NotFound)
	stranger := get("/api/imports/" + id + "/errors.xlsx")
	stranger.claims = map[string]string{"organisation_id": "2"}
	b.do(t, stranger).requireProblem(404, problem.NotFound)

	b.finishJob(t, id, "CU")
	require.Equal(t, http.StatusNoContent, b.getErrorWorkbook(t, id).Code)
	require.Empty(t, b.errorWorkbooks.requested)
}

func TestErrorWorkbookOfPurgedFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.errorWorkbooks.fail = problem.New(problem.UploadMissing, "not there")
	b.getErrorWorkbook(t, b.createRows(t)).requireProblem(410, problem.Gone)
}
