package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// bucket gives access to Loadbay's bucket as its senders use it.
type bucket struct {
	stack  *stacktest.Stack
	client *awss3.Client
}

func (r *testStack) bucket() bucket {
	return bucket{r.Stack, awss3.NewFromConfig(r.AWSConfig(), func(o *awss3.Options) { o.UsePathStyle = true })}
}

func (b bucket) put(ctx context.Context, t *testing.T, key, body string, metadata map[string]string) {
	t.Helper()
	name := stacktest.Blueprint().Bucket.Name
	_, err := b.client.PutObject(ctx, &awss3.PutObjectInput{Bucket: &name, Key: &key, Body: strings.NewReader(body), Metadata: metadata})
	require.NoError(t, err)
}

// awaitObject waits for an object and returns its content.
func (b bucket) awaitObject(ctx context.Context, t *testing.T, key string) string {
	t.Helper()
	name := stacktest.Blueprint().Bucket.Name
	var out *awss3.GetObjectOutput
	b.stack.Await(t, key+" comes", func() bool {
		var err error
		out, err = b.client.GetObject(ctx, &awss3.GetObjectInput{Bucket: &name, Key: &key})
		return err == nil
	})
	defer out.Body.Close()
	body, err := io.ReadAll(out.Body)
	require.NoError(t, err)
	return string(body)
}

func TestDropFolder(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	b := r.bucket()

	t.Run("file is imported and its result is stored", func(t *testing.T) {
		const place = "1/USER/-/-/2026/Mitglieder a+b.csv"
		b.put(ctx, t, "drop/"+place, "email;name\ndropped@example.org;Ada\nnobody;Ben\n", map[string]string{"loadbay": `{"mode":"upsert","options":{"delimiter":";"}}`})
		var result struct {
			Identifier, Status, ObjectKey string
			CreatedCount, ErrorCount      int
		}
		require.NoError(t, json.Unmarshal([]byte(b.awaitObject(ctx, t, "results/"+place+".result.json")), &result))
		require.Equal(t, "COMPLETED", result.Status)
		require.Equal(t, "drop/"+place, result.ObjectKey)
		require.Equal(t, []int{1, 1}, []int{result.CreatedCount, result.ErrorCount})
		require.Contains(t, b.awaitObject(ctx, t, "results/"+place+".errors.csv"), "CELL_EMAIL")
		require.Equal(t, int64(1), stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM import_jobs WHERE object_key = $1`, "drop/"+place))
		require.Equal(t, "upsert", stacktest.Query[string](t, r.Stack, `SELECT mode FROM import_jobs WHERE uuid = $1`, result.Identifier))

		book := r.fetchWorkbook(ctx, t, "/api/imports/"+result.Identifier+"/errors.xlsx")
		rows, err := book.GetRows(book.GetSheetList()[0])
		require.NoError(t, err)
		require.Len(t, rows, 2)
		require.Contains(t, rows[1], "nobody")
	})

	t.Run("files of the same name have separate results", func(t *testing.T) {
		const place = "1/USER/-/nightly.csv"
		b.put(ctx, t, "drop/"+place, "email,name\nmonday@example.org,Ada\n", nil)
		var monday, now struct {
			Identifier   string
			CreatedCount int
		}
		require.NoError(t, json.Unmarshal([]byte(b.awaitObject(ctx, t, "results/"+place+".result.json")), &monday))
		b.put(ctx, t, "drop/"+place, "email,name\ntuesday@example.org,Ben\nagain@example.org,Cid\n", nil)
		var kept struct{ Identifier string }
		require.NoError(t, json.Unmarshal([]byte(b.awaitObject(ctx, t, "results/"+place+"."+monday.Identifier+".result.json")), &kept))
		require.Equal(t, monday.Identifier, kept.Identifier)
		r.Await(t, "the second result is stored under the name", func() bool {
			return json.Unmarshal([]byte(b.awaitObject(ctx, t, "results/"+place+".result.json")), &now) == nil && now.Identifier != monday.Identifier
		})
		require.Equal(t, []int{1, 2}, []int{monday.CreatedCount, now.CreatedCount})
	})

	t.Run("invalid file is quarantined with its tags", func(t *testing.T) {
		const place = "1/PLANET/-/tagged.csv"
		name := stacktest.Blueprint().Bucket.Name
		_, err := b.client.PutObject(ctx, &awss3.PutObjectInput{
			Bucket: &name, Key: aws.String("drop/" + place), Body: strings.NewReader("a\n"), Tagging: aws.String("sender=them"),
		})
		require.NoError(t, err)
		b.awaitObject(ctx, t, "drop-quarantine/"+place) // the report is written first: it reserves the name
		require.Contains(t, b.awaitObject(ctx, t, "drop-quarantine/"+place+".reason.json"), "IMPORT_TYPE_UNKNOWN")
		tags, err := b.client.GetObjectTagging(ctx, &awss3.GetObjectTaggingInput{Bucket: &name, Key: aws.String("drop-quarantine/" + place)})
		require.NoError(t, err)
		require.Len(t, tags.TagSet, 1)
		require.Equal(t, "them", *tags.TagSet[0].Value)
	})

	t.Run("orders file is one batch, as in the API", func(t *testing.T) {
		orders := ordersHeader + orderRow("D-1", "411001", "1500")
		b.put(ctx, t, "drop/1/ORDER/-/orders.csv", orders, nil)
		require.Contains(t, b.awaitObject(ctx, t, "results/1/ORDER/-/orders.csv.result.json"), `"COMPLETED"`)
		var batches []struct {
			BatchID, Uploader, Status string
			CreatedCount              int
		}
		require.NoError(t, r.Get(ctx, "/api/orders/bulk-uploads?uploader=drop", &batches))
		require.Len(t, batches, 1)
		require.Regexp(t, `^BU\d{8}0001$`, batches[0].BatchID)
		require.Equal(t, 1, batches[0].CreatedCount)
		b.put(ctx, t, "drop/1/ORDER/-/again.csv", orders, nil)
		require.Contains(t, b.awaitObject(ctx, t, "drop-quarantine/1/ORDER/-/again.csv.reason.json"), "FILE_REPEATED")
	})

	t.Run("file in a profile's folder uses the profile", func(t *testing.T) {
		body := `{"name":"Web shop","importType":"USER","mapping":{"source":{"delimiter":"|"},"fields":[{"field":"EMAIL","from":["Who"]},{"field":"NAME","from":["What"]}]}}`
		require.NoError(t, r.Do(ctx, http.MethodPost, "/api/profiles", "application/json", strings.NewReader(body), nil))
		const file = "What|Who\nAda|shop@example.org\n"
		b.put(ctx, t, "drop/1/USER/-/Web shop/2026/users.csv", file, nil)
		require.Contains(t, b.awaitObject(ctx, t, "results/1/USER/-/Web shop/2026/users.csv.result.json"), `"COMPLETED"`)
		require.Equal(t, "Ada DROP_FOLDER", stacktest.Query[string](t, r.Stack, `
			SELECT u.name || ' ' || j.profile_choice FROM users AS u JOIN import_jobs AS j ON j.id = u.source_job WHERE u.email = 'shop@example.org'`))

		b.put(ctx, t, "drop/1/USER/-/Web shops/users.csv", file, nil)
		require.Contains(t, b.awaitObject(ctx, t, "drop-quarantine/1/USER/-/Web shops/users.csv.reason.json"), "PROFILE_UNKNOWN")
	})

	t.Run("quarantined file is listed, fixed and imported", func(t *testing.T) {
		const place = "1/USER/-/mended.csv"
		b.put(ctx, t, "drop/"+place+".options.json", `{"mode":"replace"}`, nil)
		b.put(ctx, t, "drop/"+place, "email,name\nmended@example.org,Ada\n", nil)
		b.awaitObject(ctx, t, "drop-quarantine/"+place+".reason.json")
		var aside []struct{ ID, ObjectKey, Code string }
		r.Await(t, "the file is listed", func() bool {
			return r.Get(ctx, "/api/drop/quarantine", &aside) == nil && len(aside) > 0 && aside[0].ObjectKey == "drop/"+place
		})
		require.Equal(t, "MODE_INVALID", aside[0].Code)
		b.put(ctx, t, "drop/"+place+".options.json", `{"mode":"upsert"}`, nil)
		r.post(ctx, t, http.MethodPost, "/api/drop/quarantine/"+aside[0].ID+"/retry", nil)
		require.Contains(t, b.awaitObject(ctx, t, "results/"+place+".result.json"), `"COMPLETED"`)
		require.NoError(t, r.Get(ctx, "/api/drop/quarantine", &aside))
		for _, q := range aside {
			require.NotEqual(t, "drop/"+place, q.ObjectKey)
		}
	})

	t.Run("cancelled import has a result", func(t *testing.T) {
		const place = "1/USER/-/cancelled.csv"
		b.put(ctx, t, "drop/"+place, "email,name,strange\ncancelled@example.org,Ada,x\n", map[string]string{"loadbay": `{"autoStart":false}`})
		var waiting []struct{ Identifier string }
		r.Await(t, "the import waits for decisions", func() bool {
			return r.Get(ctx, "/api/imports?filename=cancelled.csv&status=COLUMN_MAPPING", &waiting) == nil && len(waiting) == 1
		})
		r.post(ctx, t, http.MethodDelete, "/api/imports/"+waiting[0].Identifier, nil)
		require.Contains(t, b.awaitObject(ctx, t, "results/"+place+".result.json"), `"CANCELLED"`)
	})

	t.Run("file of an unknown type is quarantined with the reason", func(t *testing.T) {
		const place = "1/PLANET/-/a b.csv"
		b.put(ctx, t, "drop/"+place, "name\nVenus\n", nil)
		require.Contains(t, b.awaitObject(ctx, t, "drop-quarantine/"+place+".reason.json"), "IMPORT_TYPE_UNKNOWN")
		require.Equal(t, "name\nVenus\n", b.awaitObject(ctx, t, "drop-quarantine/"+place))
	})
}

// fetchWorkbook downloads a workbook from the API.
func (r *testStack) fetchWorkbook(ctx context.Context, t *testing.T, path string) *excelize.File {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.API+path, nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	book, err := excelize.OpenReader(answer.Body)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, book.Close()) })
	return book
}
