package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestCreateByForm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body, contentType := form(t,
		part{"importType", "", "MEMBERSHIP"}, part{"contextId", "", "11"}, part{"mode", "", "upsert"},
		part{"options", "", `{"delimiter":","}`}, part{"file", "roster.csv", roster})

	a := b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType})

	doc := decode[fields](a, http.StatusCreated)
	id := doc["identifier"].(string)
	require.Equal(t, "/api/imports/"+id, a.Header().Get("Location"))
	require.NotEmpty(t, a.Header().Get("Retry-After"))
	require.Equal(t, "UPLOADED", doc["status"])
	require.Equal(t, "roster.csv", doc["originalFilename"])
	require.NotContains(t, doc, "upload")
	require.Equal(t, roster, b.objects.stored["uploads/1/"+id+"/source"])
	require.Equal(t, []job.Ref{{JobID: job.ID(id), OrganisationID: 1}}, b.workflow.started)

	j := b.job(t, 1, id)
	require.Equal(t, rowwrite.Upsert, j.Mode)
	require.JSONEq(t, `{"delimiter":","}`, string(j.Options))
	require.NotNil(t, j.UploadedAt)
	require.Equal(t, int64(11), *j.ContextID)
	require.False(t, j.AutoStart)
	require.Equal(t, byte('7'), id[14], "the id is a UUID of version 7")
}

func TestCreateForUpload(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const sum = "9aaa9eb63da886fa0ac5ad9bc00590db1c40e21b0874042018aacc32a4f09837"

	a := b.announceUsers(t, nil, fields{"sha256": strings.ToUpper(sum), "autoStart": true})

	doc := decode[fields](a, http.StatusCreated)
	id := doc["identifier"].(string)
	upload := doc["upload"].(fields)
	require.Equal(t, "PUT", upload["method"])
	// The base64 of sum, escaped.
	require.Equal(t, "https://bucket.example/uploads/1/"+id+"/source?sha256=mqqetj2ohvoKxa2bwAWQ2xxA4hsIdAQgGKrMMqTwmDc%3D", upload["url"])
	require.Equal(t, fields{"Content-Type": "text/csv", "Content-Length": "31"}, upload["headers"])
	require.Empty(t, b.workflow.started, "the import does not start before its file arrives")
	j := b.job(t, 1, id)
	require.Nil(t, j.UploadedAt)
	require.Equal(t, sum, j.SHA256)
	require.True(t, j.AutoStart)
}

func TestCreateRejectsInvalidDocuments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const good = `{"importType":"USER","filename":"u.csv","sizeBytes":10}`
	for name, c := range map[string]struct {
		body, contentType string
		status            int
		code              problem.Code
	}{
		"not JSON":                   {`{`, "application/json", 400, problem.BadJSON},
		"empty":                      {``, "application/json", 400, problem.BadJSON},
		"content after the document": {good + `{}`, "application/json", 400, problem.BadJSON},
		"unknown member":             {`{"importType":"USER","filename":"u.csv","sizeBytes":10,"sizeByte":1}`, "application/json", 400, problem.BadJSON},
		"member of the wrong type":   {`{"importType":"USER","filename":"u.csv","sizeBytes":"10"}`, "application/json", 400, problem.BadJSON},
		"unsupported media type":     {good, "text/csv", 415, problem.MediaTypeInvalid},
		"no media type":              {good, "", 415, problem.MediaTypeInvalid},
		"no size":                    {`{"importType":"USER","filename":"u.csv"}`, "application/json", 400, problem.ParameterInvalid},
		"negative size":              {`{"importType":"USER","filename":"u.csv","sizeBytes":-1}`, "application/json", 400, problem.ParameterInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b.do(t, request{method: "POST", path: "/api/imports", body: c.body, contentType: c.contentType}).requireProblem(c.status, c.code)
		})
	}
}

func TestCreateRejectsInvalidValues(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, c := range map[string]struct {
		changes fields
		status  int
		code    problem.Code
	}{
		"unknown type":                        {fields{"importType": "PEOPLE"}, 400, problem.ImportTypeUnknown},
		"no type":                             {fields{"importType": ""}, 400, problem.ImportTypeUnknown},
		"unknown mode":                        {fields{"mode": "replace"}, 400, problem.ModeInvalid},
		"empty file":                          {fields{"sizeBytes": 0}, 400, problem.FileEmpty},
		"one byte above the limit":            {fields{"sizeBytes": 500<<20 + 1}, 413, problem.FileTooLarge},
		"checksum too short":                  {fields{"sha256": "abc"}, 400, problem.ParameterInvalid},
		"no filename":                         {fields{"filename": " "}, 400, problem.FilenameInvalid},
		"NUL in the filename":                 {fields{"filename": "a\x00.csv"}, 400, problem.FilenameInvalid},
		"line break in the filename":          {fields{"filename": "a\r\nX-Evil: 1.csv"}, 400, problem.FilenameInvalid},
		"filename of 256 characters":          {fields{"filename": strings.Repeat("ü", 256)}, 400, problem.FilenameInvalid},
		"context that the type does not have": {fields{"contextId": 11}, 422, problem.ContextInvalid},
		"context missing":                     {fields{"importType": "MEMBERSHIP"}, 422, problem.ContextInvalid},
		"context unknown":                     {fields{"importType": "MEMBERSHIP", "contextId": 99}, 404, problem.NotFound},
		"context of another organisation":     {fields{"importType": "MEMBERSHIP", "contextId": 22}, 404, problem.NotFound},
		"another organisation":                {fields{"organisationId": 2}, 404, problem.NotFound},
		"unknown option":                      {fields{"options": fields{"delimeter": ";"}}, 400, problem.OptionInvalid},
		"option out of range":                 {fields{"options": fields{"sheetIndex": -1}}, 400, problem.OptionInvalid},
		"unknown encoding":                    {fields{"options": fields{"encoding": "klingon"}}, 400, problem.OptionInvalid},
		"options are a list":                  {fields{"options": []int{1}}, 400, problem.OptionInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b.announceUsers(t, nil, c.changes).requireProblem(c.status, c.code)
		})
	}
	t.Cleanup(func() {
		require.Empty(t, b.objects.stored)
		require.Empty(t, b.workflow.started)
	})
}

func TestCreateAcceptsLimits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, changes := range map[string]fields{
		"largest file":              {"sizeBytes": 500 << 20},
		"longest filename":          {"filename": strings.Repeat("ü", 255)},
		"path as the filename":      {"filename": "../../etc/passwd"},
		"caller's own organisation": {"organisationId": 1},
		"unknown content type":      {"contentType": "chemical/x-pdb"},
		"invalid content type":      {"contentType": "\nnonsense"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := decode[fields](b.announceUsers(t, nil, changes), http.StatusCreated)
			if name, ok := changes["filename"]; ok {
				require.Equal(t, name, doc["originalFilename"], "the filename is kept as a label")
			}
			upload, err := json.Marshal(doc["upload"])
			require.NoError(t, err)
			require.Contains(t, string(upload), "/uploads/1/"+doc["identifier"].(string)+"/source")
		})
	}
}

func TestInvalidForms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	file, kind := part{"file", "u.csv", users}, part{"importType", "", "USER"}
	for name, c := range map[string]struct {
		parts  []part
		status int
		code   problem.Code
	}{
		"form without a file":          {[]part{kind}, 400, problem.ParameterInvalid},
		"form with two files":          {[]part{kind, file, file}, 400, problem.ParameterInvalid},
		"form with an empty file":      {[]part{kind, {"file", "u.csv", ""}}, 400, problem.FileEmpty},
		"file without a name":          {[]part{kind, {"file", "", users}}, 400, problem.FilenameInvalid},
		"unknown form field":           {[]part{kind, file, {"importtype", "", "USER"}}, 400, problem.ParameterInvalid},
		"duplicate form field":         {[]part{kind, kind, file}, 400, problem.ParameterInvalid},
		"context that is not a number": {[]part{kind, file, {"contextId", "", "eleven"}}, 400, problem.ParameterInvalid},
		"invalid flag":                 {[]part{kind, file, {"autoStart", "", "yes"}}, 400, problem.ParameterInvalid},
		"options that are not JSON":    {[]part{kind, file, {"options", "", "{"}}, 400, problem.OptionInvalid},
		"form field too long":          {[]part{kind, file, {"mode", "", strings.Repeat("x", 192<<10)}}, 400, problem.BadRequest},
		"checksum mismatch":            {[]part{kind, file, {"sha256", "", strings.Repeat("0", 64)}}, 422, problem.ChecksumMismatch},
		"one byte above 4 MB":          {[]part{kind, {"file", "u.csv", strings.Repeat("x", 4<<20+1)}}, 413, problem.FileTooLarge},
		"far above 4 MB":               {[]part{kind, {"file", "u.csv", strings.Repeat("x", 5<<20)}}, 413, problem.FileTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, contentType := form(t, c.parts...)
			p := b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType}).requireProblem(c.status, c.code)
			if c.code == problem.FileTooLarge {
				require.Contains(t, p["detail"], "POST /api/imports as JSON", "the detail explains how to send the file instead")
			}
		})
	}
	for name, c := range map[string]request{
		"truncated form":   {body: "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nabc", contentType: "multipart/form-data; boundary=x"},
		"missing boundary": {body: "--x--", contentType: "multipart/form-data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.method, c.path = "POST", "/api/imports"
			b.do(t, c).requireProblem(400, problem.BadRequest)
		})
	}
}

func TestMaxFormFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body, contentType := form(t, part{"importType", "", "USER"}, part{"file", "u.csv", strings.Repeat("x", 4<<20)})
	doc := decode[fields](b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType}), http.StatusCreated)
	require.Len(t, b.objects.stored["uploads/1/"+doc["identifier"].(string)+"/source"], 4<<20)
}
