package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/events/files"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// runGroup starts a Loadbay that the tests of a group share, with variables as "NAME=value".
func runGroup(t *testing.T, env ...string) (context.Context, *testStack) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), maxWait)
	t.Cleanup(cancel)
	return ctx, start(t, env...)
}

// uploadAndWait uploads a file directly to the bucket and waits for the job's end.
func (r *testStack) uploadAndWait(ctx context.Context, t *testing.T, create rawclient.CreateRequest, file string) *rawclient.Job {
	t.Helper()
	create.SizeBytes = int64(len(file))
	j, err := r.Upload(ctx, create, strings.NewReader(file))
	require.NoError(t, err)
	j, err = r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	return j
}

func TestImports(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)

	t.Run("workbook in one request", func(t *testing.T) {
		t.Parallel()
		var j rawclient.Job
		require.NoError(t, r.PostForm(ctx, http.MethodPut, "/api/memberships/import?periodId=1", "memberships.xlsx", files.Memberships, nil, &j))
		ended, err := r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
		require.NoError(t, err)
		require.Equal(t, "COMPLETED", ended.Status)
		var typed struct {
			TotalRows, Created, Skipped, Errors int
		}
		require.NoError(t, r.Get(ctx, "/api/memberships/import/"+j.Identifier, &typed))
		require.Equal(t, 14, typed.TotalRows)
		require.Equal(t, 8, typed.Created)
		require.Equal(t, 6, typed.Errors)
		results, err := r.Results(ctx, j.Identifier, "ERROR", 0, 50)
		require.NoError(t, err)
		var numbers []int64
		for _, result := range results {
			numbers = append(numbers, result.RowNumber)
		}
		require.Equal(t, []int64{6, 7, 8, 9, 11, 12}, numbers)
		require.Equal(t, "00017", stacktest.Query[string](t, r.Stack, `SELECT membership_number FROM memberships m JOIN persons p ON p.id = m.person_id WHERE p.first_name = 'Thandi'`))
		require.Equal(t, "1991-03-14", stacktest.Query[string](t, r.Stack, `SELECT birth_date::text FROM persons WHERE first_name = 'Thandi'`))
	})

	t.Run("same file twice, then as an upsert", func(t *testing.T) {
		t.Parallel()
		create := rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", AutoStart: true}
		file := "email,name\nx1@example.org,One\nx2@example.org,Two\n"
		first := r.uploadAndWait(ctx, t, create, file)
		require.Equal(t, int64(2), first.SuccessCount)
		second := r.uploadAndWait(ctx, t, create, file)
		require.Equal(t, "COMPLETED", second.Status)
		require.Equal(t, int64(2), second.ErrorCount)
		create.Mode = "upsert"
		third := r.uploadAndWait(ctx, t, create, "email,name\nx1@example.org,Uno\nx2@example.org,Two\nx3@example.org,Tres\n")
		summary, err := r.Summary(ctx, third.Identifier)
		require.NoError(t, err)
		require.Equal(t, rawclient.Summary{Created: 1, Updated: 1, Unchanged: 1}, summary)
		require.Equal(t, "Uno", stacktest.Query[string](t, r.Stack, `SELECT name FROM users WHERE email = 'x1@example.org'`))
	})

	t.Run("upsert of a file that is split into chunk objects", func(t *testing.T) {
		t.Parallel()
		create := rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", AutoStart: true, Mode: "upsert"}
		var file strings.Builder
		for _, unit := range utf16.Encode([]rune("\ufeffemail,name\ny1@example.org,One\ny2@example.org,Two\n")) {
			file.WriteString(string([]byte{byte(unit), byte(unit >> 8)}))
		}
		first := r.uploadAndWait(ctx, t, create, file.String())
		require.Equal(t, int64(2), first.SuccessCount, "%+v", first)
		summary, err := r.Summary(ctx, r.uploadAndWait(ctx, t, create, file.String()).Identifier)
		require.NoError(t, err)
		require.Equal(t, rawclient.Summary{Unchanged: 2}, summary)
	})

	for name, c := range map[string]struct{ file, code, says string }{
		"empty file":                    {" \n\n", "FILE_EMPTY", ""},
		"PDF named as a CSV":            {"%PDF-1.7\n%âãÏÓ\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n", "UNSUPPORTED_FORMAT", "PDF"},
		"missing required column":       {"mail,years\na@example.org,3\n", "REQUIRED_COLUMN_MISSING", "Name"},
		"unclosed quote":                {"email,name\na@example.org,\"open\nb@example.org,x\n", "FILE_CORRUPT", ""},
		"HTML instead of a spreadsheet": {"<!DOCTYPE html><html><body>404</body></html>", "UNSUPPORTED_FORMAT", "HTML"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", AutoStart: true}, c.file)
			require.Equal(t, "FAILED", j.Status)
			require.NotNil(t, j.Failure)
			require.Equal(t, c.code, j.Failure.Code, "%s", j.Failure.Message)
			require.Contains(t, j.Failure.Message, c.says)
			require.Regexp(t, `^[A-Z].*\.$`, j.Failure.Message, "a sentence")
			require.Zero(t, stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM users u JOIN import_jobs j ON j.id = u.source_job WHERE j.uuid = $1`, j.Identifier))
		})
	}

	t.Run("header without rows", func(t *testing.T) {
		t.Parallel()
		j := r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", AutoStart: true}, "email,name\n")
		require.Equal(t, "COMPLETED", j.Status)
		require.Zero(t, j.TotalRows)
		require.Equal(t, 100, j.ProgressPercent)
	})

	t.Run("invalid token", func(t *testing.T) {
		t.Parallel()
		err := rawclient.New("http://"+r.API, "forged").Get(ctx, "/api/imports", nil)
		var answer *rawclient.Error
		require.ErrorAs(t, err, &answer)
		require.Equal(t, http.StatusUnauthorized, answer.Status)
	})

	t.Run("unknown import type", func(t *testing.T) {
		t.Parallel()
		_, err := r.Upload(ctx, rawclient.CreateRequest{ImportType: "PLANET", Filename: "u.csv", SizeBytes: 3}, strings.NewReader("abc"))
		var answer *rawclient.Error
		require.ErrorAs(t, err, &answer)
		require.Equal(t, http.StatusBadRequest, answer.Status)
		require.Equal(t, "IMPORT_TYPE_UNKNOWN", answer.Code)
	})

	t.Run("another organisation's import is not found", func(t *testing.T) {
		t.Parallel()
		j := r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", AutoStart: true}, "email,name\nforeign@example.org,F\n")
		token, err := rawclient.LocalToken(ctx, "http://"+r.API, 2)
		require.NoError(t, err)
		err = rawclient.New("http://"+r.API, token).Get(ctx, "/api/imports/"+j.Identifier, nil)
		var answer *rawclient.Error
		require.ErrorAs(t, err, &answer)
		require.Equal(t, http.StatusNotFound, answer.Status)
	})
}

// The id of the request that created a job is in the log lines of every function that worked
// on it.
func TestRequestIDIsLoggedByAllFunctions(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	const id, canary = "request-4711", "canary.8f3a"
	body, err := json.Marshal(rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", SizeBytes: 0, AutoStart: true})
	require.NoError(t, err)
	file := "email,name\n" + canary + "@example.org," + canary + "\nnot " + canary + ",x\n"
	body = bytes.Replace(body, []byte(`"sizeBytes":0`), fmt.Appendf(nil, `"sizeBytes":%d`, len(file)), 1)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+r.API+"/api/imports", bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Request-ID", id)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, id, answer.Header.Get("X-Request-ID"))
	var j rawclient.Job
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &j))
	put, err := http.NewRequestWithContext(ctx, j.Upload.Method, j.Upload.URL, strings.NewReader(file))
	require.NoError(t, err)
	for name, value := range j.Upload.Headers {
		put.Header.Set(name, value)
	}
	stored, err := http.DefaultClient.Do(put)
	require.NoError(t, err)
	stored.Body.Close()
	require.Equal(t, http.StatusOK, stored.StatusCode)
	_, err = r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	for _, function := range []string{"analyze", "resolve", "split", "complete"} {
		r.Await(t, function+" logs the request's id", func() bool { // possibly after the job has ended
			log, err := os.ReadFile(filepath.Join(r.Dir, "logs", function+".log"))
			return err == nil && bytes.Contains(log, []byte(`"request_id":"`+id+`"`))
		})
	}
	r.Stop() // ends all logging
	logs, err := filepath.Glob(filepath.Join(r.Dir, "logs", "*.log"))
	require.NoError(t, err)
	for _, path := range logs {
		log, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(log), canary, "logs contain no cell values")
	}
}
