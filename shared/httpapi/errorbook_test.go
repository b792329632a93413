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
	"github.com/loadbay/loadbay/shared/problem"
)

// errorBooks writes what the test sets.
type errorBooks struct {
	book  []byte
	fail  error
	asked []string // types and jobs
}

func (e *errorBooks) Write(_ context.Context, out io.Writer, j *job.Job, of *entity.Declaration) (int64, error) {
	e.asked = append(e.asked, of.Name+" "+string(j.ID))
	const part = 1 << 20
	for rest := e.book; len(rest) > 0; rest = rest[min(part, len(rest)):] {
		if _, err := out.Write(rest[:min(part, len(rest))]); err != nil {
			return 0, err
		}
	}
	return 1, e.fail
}

// created is what is written in the bucket in memory.
type created struct {
	in   *objects
	key  string
	body bytes.Buffer
}

func (o *objects) Create(_ context.Context, key, _ string) object.Writer {
	return &created{in: o, key: key}
}

func (c *created) Write(p []byte) (int, error) { return c.body.Write(p) }
func (c *created) Size() int64                 { return int64(c.body.Len()) }
func (c *created) Complete() error {
	return c.in.PutNew(context.Background(), c.key, "", c.body.Bytes())
}
func (c *created) Abort(because error) error { return because }

// errorBook asks for the error workbook of an import.
func (b *bundle) errorBook(t *testing.T, id string) answer {
	t.Helper()
	return b.do(t, get("/api/imports/"+id+"/errors.xlsx"))
}

func TestASmallErrorWorkbookIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.rows(t)
	const binary = "PK\x03\x04\x00\xff\xfe\x80" // what no text encoding survives
	b.books.book = []byte(binary)
	a := b.errorBook(t, id)
	require.Equal(t, http.StatusOK, a.Code, a.Body)
	require.Equal(t, binary, a.Body.String())
	require.Equal(t, `attachment; filename="`+id+`-errors.xlsx"`, a.Header().Get("Content-Disposition"))
	require.Equal(t, []string{"MEMBERSHIP " + id}, b.books.asked)
}

// TestALargeErrorWorkbookIsLedTo crosses the size that a response can have: base64
// makes four bytes of three, and Lambda takes 6 MB.
func TestALargeErrorWorkbookIsLedTo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.rows(t)
	b.books.book = bytes.Repeat([]byte{0xff}, 3_900_000)
	require.Equal(t, http.StatusOK, b.errorBook(t, id).Code)

	b.books.book = bytes.Repeat([]byte{0xff}, 4_500_000)
	a := b.errorBook(t, id)
	doc := decode[fields](a, http.StatusFound)
	require.Equal(t, a.Header().Get("Location"), doc["url"])
	key := "exports/1/" + id + "-errors.xlsx"
	require.Contains(t, doc["url"], "https://bucket.example/"+key+"?")
	require.Equal(t, string(b.books.book), b.objects.stored[key])

	delete(b.objects.stored, key)
	b.books.fail = io.ErrUnexpectedEOF
	b.errorBook(t, id).refused(500, problem.Internal)
	require.NotContains(t, b.objects.stored, key)
}

func TestErrorWorkbooksThatAreNotThere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	b.errorBook(t, id).refused(409, problem.StillRunning)
	b.errorBook(t, "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4").refused(404, problem.NotFound)
	stranger := get("/api/imports/" + id + "/errors.xlsx")
	stranger.claims = map[string]string{"organisation_id": "2"}
	b.do(t, stranger).refused(404, problem.NotFound)

	b.finish(t, id, "CU")
	require.Equal(t, http.StatusNoContent, b.errorBook(t, id).Code)
	require.Empty(t, b.books.asked)
}

func TestTheFileOfAnErrorWorkbookIsGone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.books.fail = problem.New(problem.UploadMissing, "not there")
	b.errorBook(t, b.rows(t)).refused(410, problem.Gone)
}
