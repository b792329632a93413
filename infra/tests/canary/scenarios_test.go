package canary

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/lambdahost"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// scenarios returns the ways in which values pass through the service.
func scenarios() map[string]func(*testing.T, *harness) {
	all := map[string]func(*testing.T, *harness){
		"imported":                      importFile,
		"uploaded past the API":         uploadFile,
		"asked about, answered":         answerQuestions,
		"asked about, cancelled":        cancelImport,
		"rows refused one by one":       rejectRows,
		"poison and undeliverable rows": poisonRows,
		"participants and results":      importWholeFiles,
		"orders":                        importOrders,
		"exports":                       exportBySelection,
		"dropped":                       dropFile,
		"dropped in a wrong place":      quarantineFile,
		"fetched":                       fetchFile,
		"error pages":                   requestErrors,
	}
	for name, f := range failingFiles() {
		all["failed: "+name] = f
	}
	return all
}

// request calls the API. It records an error response unless the request itself contains a value.
func (w *harness) request(t *testing.T, method, path, body string, header http.Header) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+w.API+path, strings.NewReader(body))
	require.NoError(t, err)
	if header != nil {
		r.Header = header
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	if got.StatusCode/100 > 3 && !strings.Contains(path+body, w.valueNeedle) {
		w.record(document{fmt.Sprintf("answer to %s %s", method, path), text})
	}
	return got.StatusCode, text
}

// createImport uploads a file with the value in its name; most files are sent this way.
func (w *harness) createImport(t *testing.T, importType, ending string, file []byte, fields map[string]string) *rawclient.Job {
	t.Helper()
	all := map[string]string{"importType": importType}
	for name, value := range fields {
		all[name] = value
	}
	var j rawclient.Job
	require.NoError(t, w.PostForm(t.Context(), http.MethodPost, "/api/imports", w.valueNeedle+ending, file, all, &j))
	return &j
}

var autoStart = map[string]string{"autoStart": "true"}

func importFile(t *testing.T, w *harness) {
	file := fmt.Sprintf("email,name,role,%[2]s column\nok@%[1]s.example,%[1]s Ann,%[1]s,%[1]s\n,%[1]s,,\nok2@%[1]s.example,%[1]s Ben,,\n", w.valueNeedle, w.headerNeedle)
	j := w.createImport(t, "USER", ".csv", []byte(file), map[string]string{"autoStart": "true", "options": `{"delimiter":","}`})
	w.awaitEnd(t, j.Identifier, "COMPLETED", "")
	w.requestEverything(t, j.Identifier)
}

// requestEverything makes all read requests for a job, including ones that make no sense.
func (w *harness) requestEverything(t *testing.T, id string) {
	t.Helper()
	at := "/api/imports/" + id
	for _, get := range []string{"?includeMappings=true", "/column-mappings", "/cell-mappings", "/cell-mappings/candidates?targetField=NO_SUCH_FIELD", "/results", "/results?outcome=NONE", "/results/summary", "/errors.xlsx", "/rows", "/rows/counts", "/annotated.xlsx"} {
		w.request(t, http.MethodGet, at+get, "", nil)
	}
	w.request(t, http.MethodPut, at+"/column-mappings", `[{"id":1,"ignore":true}]`, nil)
	w.request(t, http.MethodPut, at+"/cell-mappings", `[{"id":1,"ignore":true}]`, nil)
	w.request(t, http.MethodPost, at+"/column-mappings/confirm", "", nil)
	w.request(t, http.MethodPost, at+"/cell-mappings/confirm", "", nil)
	w.request(t, http.MethodPost, at+"/start", "", nil)
	w.request(t, http.MethodGet, at+"/rows?q="+w.valueNeedle, "", nil)
	w.request(t, http.MethodPatch, at+"/rows", `{"rows":[{"row":3,"cells":{"EMAIL":"right@`+w.valueNeedle+`.example","NAME":"`+w.valueNeedle+`"}}]}`, nil)
	w.request(t, http.MethodPatch, at+"/rows", `{"where":{"field":"NAME"},"transform":[{"op":"default","value":"`+w.valueNeedle+`"}]}`, nil)
	w.request(t, http.MethodPost, at+"/annotated", "", nil)
	w.request(t, http.MethodPost, at+"/retry", `{"rows":"all-errors"}`, nil)
	w.request(t, http.MethodGet, "/v1/imports/"+id+"/errors", "", nil)
	w.request(t, http.MethodGet, "/api/memberships/import/"+id, "", nil)
}

func uploadFile(t *testing.T, w *harness) {
	file := "email,name\nup@" + w.valueNeedle + ".example," + w.valueNeedle + "\n"
	j, err := w.Upload(t.Context(), rawclient.CreateRequest{
		ImportType: "USER", Filename: w.valueNeedle + ".csv", SizeBytes: int64(len(file)), AutoStart: true,
	}, strings.NewReader(file))
	require.NoError(t, err)
	w.awaitEnd(t, j.Identifier, "COMPLETED", "")
}

// answerQuestions decides about a column and a value, the first time incorrectly.
func answerQuestions(t *testing.T, w *harness) {
	file := fmt.Sprintf("first name,last name,email,membership type,%[2]s a\n%[1]s,%[1]s,m@%[1]s.example,%[1]s gold,%[1]s\n%[1]s,%[1]s,m2@%[1]s.example,Senior,%[1]s\n", w.valueNeedle, w.headerNeedle)
	j := w.createImport(t, "MEMBERSHIP", ".csv", []byte(file), map[string]string{"contextId": "1"})
	w.awaitJob(t, j.Identifier, func(j *rawclient.Job) bool { return j.Status == "COLUMN_MAPPING" })
	w.requestWhileWaiting(t, j.Identifier, "column-mappings")
	at := "/api/imports/" + j.Identifier
	status, text := w.request(t, http.MethodPost, at+"/column-mappings/confirm", "", nil)
	require.Equal(t, http.StatusAccepted, status, "%s", text)
	w.awaitJob(t, j.Identifier, func(j *rawclient.Job) bool { return j.WaitingFor == "CELL_MAPPINGS" })
	var cells []struct {
		ID          int64
		SourceValue string
	}
	require.NoError(t, w.Get(t.Context(), at+"/cell-mappings", &cells))
	require.Contains(t, fmt.Sprint(cells), w.valueNeedle)
	w.requestWhileWaiting(t, j.Identifier, "cell-mappings")
	for _, c := range cells {
		if strings.Contains(c.SourceValue, w.valueNeedle) {
			status, text = w.request(t, http.MethodPut, at+"/cell-mappings", fmt.Sprintf(`[{"id":%d,"targetEntityId":2}]`, c.ID), nil)
			require.Equal(t, http.StatusAccepted, status, "%s", text)
		}
	}
	status, text = w.request(t, http.MethodPost, at+"/cell-mappings/confirm", "", nil)
	require.Equal(t, http.StatusAccepted, status, "%s", text)
	w.awaitEnd(t, j.Identifier, "COMPLETED", "")
	w.requestEverything(t, j.Identifier)
}

// requestWhileWaiting sends typical invalid requests while the job waits for decisions.
func (w *harness) requestWhileWaiting(t *testing.T, id, what string) {
	t.Helper()
	at := "/api/imports/" + id
	w.request(t, http.MethodPut, at+"/"+what, `[{"id":1,"targetField":"NO_SUCH_FIELD"}]`, nil)
	w.request(t, http.MethodPut, at+"/"+what, `[{"id":-1}]`, nil)
	w.request(t, http.MethodPut, at+"/"+what, `{`, nil)
	w.request(t, http.MethodPut, at+"/"+what, `[{"id":1,"targetEntityId":99999}]`, nil)
	w.request(t, http.MethodPut, at+"/"+what, fmt.Sprintf(`[{"id":1,"targetField":%q}]`, w.valueNeedle), nil)
	w.request(t, http.MethodGet, at+"/cell-mappings/candidates?targetField=NO_SUCH_FIELD", "", nil)
	w.request(t, http.MethodGet, at+"/cell-mappings/candidates?targetField=MEMBERSHIP_TYPE_ID", "", nil)
}

func cancelImport(t *testing.T, w *harness) {
	j := w.createImport(t, "USER", ".csv", []byte(fmt.Sprintf("%[2]s one,%[2]s two\n%[1]s,%[1]s\n", w.valueNeedle, w.headerNeedle)), nil)
	w.awaitJob(t, j.Identifier, func(j *rawclient.Job) bool { return j.Status == "COLUMN_MAPPING" })
	w.requestWhileWaiting(t, j.Identifier, "column-mappings")
	w.request(t, http.MethodPost, "/api/imports/"+j.Identifier+"/column-mappings/confirm", "", nil)
	status, _ := w.request(t, http.MethodDelete, "/api/imports/"+j.Identifier, "", nil)
	require.Less(t, status, 300)
	w.awaitEnd(t, j.Identifier, "CANCELLED", "")
	w.requestEverything(t, j.Identifier)
}

// rejectRows imports rows with the value in every invalid field.
func rejectRows(t *testing.T, w *harness) {
	file := strings.ReplaceAll("email,name,id,active,created at\n"+
		"CANARY,n,,,\nr1@CANARY.example,CANARY,CANARY,,\nr2@CANARY.example,CANARY,,CANARY,\nr3@CANARY.example,CANARY,,,CANARY\n"+
		"r4@CANARY.example,CANARY\nr5@CANARY.example,"+strings.Repeat("CANARY", 40)+",,,\nr6@CANARY.example,CANARY\x00,,,\n"+
		"r7@CANARY.example,CANARY,,,\nR7@CANARY.example,CANARY,,,\n", "CANARY", w.valueNeedle)
	j := w.createImport(t, "USER", ".csv", []byte(file), autoStart)
	require.Equal(t, int64(8), w.awaitEnd(t, j.Identifier, "COMPLETED", "").ErrorCount)
	w.requestEverything(t, j.Identifier)
	article := fmt.Sprintf("slug,title,body,author id,status,tags\n%[1]s,%[1]s,%[1]s,00000000-0000-4000-8000-000000000000,%[1]s,[%[1]s\nx-%[1]s,%[1]s,%[1]s,00000000-0000-4000-8000-000000000000,draft,%[1]s\n", w.valueNeedle)
	j = w.createImport(t, "ARTICLE", ".csv", []byte(article), autoStart)
	require.Equal(t, int64(2), w.awaitEnd(t, j.Identifier, "COMPLETED", "").ErrorCount)
	w.requestEverything(t, j.Identifier)
}

// poisonRows imports rows that the database rejects, and rows in a chunk that fails on every
// delivery, so that it reaches the dead-letter queue.
func poisonRows(t *testing.T, w *harness) {
	var file strings.Builder
	file.WriteString("email,name\n")
	for i, name := range []string{"sound", "poison by constraint", "sound", "poison by trigger", "sound"} {
		fmt.Fprintf(&file, "p%d@%s.example,%s %s\n", i, w.valueNeedle, w.valueNeedle, name)
	}
	undeliverable := w.createImport(t, "USER", ".csv", []byte(fmt.Sprintf("email,name\nu1@%[1]s.example,%[1]s undeliverable\nu2@%[1]s.example,%[1]s\n", w.valueNeedle)), autoStart)
	j := w.createImport(t, "USER", ".csv", []byte(file.String()), autoStart)
	for id, code := range map[string]string{j.Identifier: "ROW_REJECTED", undeliverable.Identifier: "ROW_UNDELIVERED"} {
		w.awaitEnd(t, id, "COMPLETED", "")
		results, err := w.Results(t.Context(), id, "ERROR", 0, 50)
		require.NoError(t, err)
		require.Len(t, results, 2)
		for _, r := range results {
			require.Equal(t, code, r.Faults[0].Code)
		}
		w.requestEverything(t, id)
	}
}

func importWholeFiles(t *testing.T, w *harness) {
	participants := fmt.Sprintf("First name,Last name,Email,Category,Registration number,Race number,Custom 1\n%[1]s,%[1]s,e@%[1]s.example,Open,%[1]s1,%[1]s,%[1]s\n%[1]s,%[1]s,,%[1]s,%[1]s2,,\n", w.valueNeedle)
	var j rawclient.Job
	require.NoError(t, w.PostForm(t.Context(), http.MethodPut, "/api/event-participants/import?eventId=1", w.valueNeedle+".csv", []byte(participants), nil, &j))
	w.awaitEnd(t, j.Identifier, "COMPLETED", "")
	w.request(t, http.MethodGet, "/api/event-participants/import/"+j.Identifier, "", nil)
	results := fmt.Sprintf("Category,Seq,REGID,Bib,Time\nOpen,1,%[1]s1,%[1]s,1:00:00\nOpen,2,%[1]s9,9,%[1]s\n%[1]s,1,%[1]s1,1,1:00:00\n", w.valueNeedle)
	require.NoError(t, w.PostForm(t.Context(), http.MethodPut, "/api/result-sets/import-bulk?eventId=1&participantIdMode=regid", w.valueNeedle+".csv", []byte(results), nil, &j))
	w.awaitEnd(t, j.Identifier, "COMPLETED", "")
	w.request(t, http.MethodGet, "/api/result-sets/import/"+j.Identifier, "", nil)
	w.requestEverything(t, j.Identifier)
}

func importOrders(t *testing.T, w *harness) {
	file := strings.ReplaceAll("clientId,clientReference,senderName,senderAddress,senderContact,receiverName,receiverAddress,receiverCity,receiverPincode,itemCount,totalWeight,serviceType\n"+
		"7,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,411001,1,2.5,EXPRESS\n7,CANARY 2,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY\n7,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,411001,1,2.5,EXPRESS\n", "CANARY", w.valueNeedle)
	var b struct{ BatchID, Status string }
	path := "/api/orders/bulk-uploads"
	require.NoError(t, w.PostForm(t.Context(), http.MethodPost, path, w.valueNeedle+".csv", []byte(file), nil, &b))
	w.Await(t, "the batch is complete", func() bool { return w.Get(t.Context(), path+"/"+b.BatchID, &b) == nil && b.Status == "COMPLETED" })
	w.request(t, http.MethodGet, path+"/"+b.BatchID+"/rows?status=NONE", "", nil)
}

// exportBySelection exports entities selected by values that occur in their files.
func exportBySelection(t *testing.T, w *harness) {
	file := "email,name\nx@" + w.valueNeedle + ".example," + w.valueNeedle + "\n"
	j := w.createImport(t, "USER", ".csv", []byte(file), autoStart)
	w.awaitEnd(t, j.Identifier, "COMPLETED", "")
	for _, format := range []string{"csv", "ndjson", "xlsx"} {
		e, got, err := w.Export(t.Context(), rawclient.ExportRequest{Resource: "users", Format: format, Filters: json.RawMessage(`{"name":"` + w.valueNeedle + `"}`)}, stacktest.PollInterval)
		require.NoError(t, err)
		require.Positive(t, e.RecordCount)
		require.True(t, format == "xlsx" || bytes.Contains(got, []byte(w.valueNeedle)))
	}
	w.request(t, http.MethodPost, "/v1/exports", `{"resource_type":"users","format":"csv","filters":{"active":"`+w.valueNeedle+`"}}`, nil)
	w.request(t, http.MethodGet, "/v1/exports?resource=users&format=csv&filters=%7B%22name%22%3A%22"+w.valueNeedle+"%22%7D", "", nil)
}

// dropObject puts an object into the bucket and waits for the report about it.
func (w *harness) dropObject(t *testing.T, place, file, about string) {
	t.Helper()
	key := "drop/" + place
	_, err := w.objects.PutObject(t.Context(), &awss3.PutObjectInput{
		Bucket: &w.blueprint.Bucket.Name, Key: &key, Body: strings.NewReader(file), Metadata: map[string]string{"loadbay": `{"mode":"upsert"}`},
	})
	require.NoError(t, err)
	w.Await(t, about+" is written", func() bool {
		got, err := w.objects.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: &w.blueprint.Bucket.Name, Key: &about})
		return err == nil && got.Body.Close() == nil
	})
}

func dropFile(t *testing.T, w *harness) {
	place := "1/USER/-/-/" + w.keyNeedle + "/" + w.keyNeedle + ".csv"
	w.dropObject(t, place, fmt.Sprintf("email,name\nd@%[1]s.example,%[1]s\n%[1]s,%[1]s\n", w.valueNeedle), "results/"+place+".result.json")
	place = "1/USER/-/" + w.keyNeedle + ".html"
	w.dropObject(t, place, "<html>"+w.valueNeedle+"</html>", "results/"+place+".result.json")
}

func quarantineFile(t *testing.T, w *harness) {
	for _, place := range []string{"1/" + w.keyNeedle + "/-/x.csv", w.keyNeedle + "/USER/-/x.csv", "1/USER/" + w.keyNeedle + "/x.csv", "1/USER/-/" + w.keyNeedle + "/x.csv", "1/USER/-/" + w.keyNeedle + "\t.csv"} {
		w.dropObject(t, place, w.valueNeedle, "drop-quarantine/"+place+".reason.json")
	}
}

// fetchFile imports a file from a URL that contains the value, as presigned URLs do.
func fetchFile(t *testing.T, w *harness) {
	status, text := w.request(t, http.MethodPost, "/v1/imports", `{"resource_type":"users","url":"http://localhost/`+w.valueNeedle+`.csv?signature=`+w.valueNeedle+`"}`, nil)
	require.Equal(t, http.StatusAccepted, status, "%s", text)
	var j struct {
		JobID string `json:"job_id"`
	}
	require.NoError(t, json.Unmarshal(text, &j))
	w.awaitEnd(t, j.JobID, "FAILED", "URL_FORBIDDEN")
}

// subscribe registers the organisation's webhook for every job, with a URL that contains
// the value, because such URLs contain secrets. No server answers there.
func (w *harness) subscribe(t *testing.T) {
	t.Helper()
	status, text := w.request(t, http.MethodPut, "/api/webhook", `{"url":"https://hooks.invalid/`+w.valueNeedle+`"}`, nil)
	require.Less(t, status, 300, "%s", text)
}

// sendNotifications sends the jobs' events, as a schedule does every minute, and
// waits for the webhook to be called.
func (w *harness) sendNotifications(t *testing.T) {
	t.Helper()
	_, err := w.functions.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String(lambdahost.Name("reconcile"))})
	require.NoError(t, err)
	w.Await(t, "the webhook is called", func() bool {
		var deliveries []any
		return w.Get(t.Context(), "/api/webhook/deliveries", &deliveries) == nil && len(deliveries) > 0
	})
}

// requestErrors sends invalid requests that contain the value themselves: only the log
// must not contain it.
func requestErrors(t *testing.T, w *harness) {
	w.request(t, http.MethodGet, "/"+w.valueNeedle, "", nil)
	w.request(t, http.MethodGet, "/api/imports/"+w.valueNeedle, "", nil)
	w.request(t, http.MethodGet, "/api/imports?status="+w.valueNeedle, "", nil)
	w.request(t, http.MethodGet, "/api/imports?"+w.valueNeedle+"=1", "", nil)
	w.request(t, http.MethodPost, "/api/imports", `{"`+w.valueNeedle+`":1}`, nil)
	w.request(t, http.MethodPost, "/api/imports", w.valueNeedle, nil)
	w.request(t, http.MethodPost, "/api/imports", `{"importType":"`+w.valueNeedle+`","filename":"a.csv","sizeBytes":1}`, nil)
	w.request(t, http.MethodPost, "/api/imports", `{"importType":"USER","filename":"`+w.valueNeedle+`\u0000","sizeBytes":1}`, nil)
	w.request(t, http.MethodPost, "/api/imports", `{"importType":"USER","filename":"a.csv","sizeBytes":1,"mode":"`+w.valueNeedle+`"}`, nil)
	w.request(t, http.MethodPost, "/api/imports", `{"importType":"USER","filename":"a.csv","sizeBytes":1,"options":{"`+w.valueNeedle+`":1}}`, nil)
	w.request(t, http.MethodPost, "/api/imports", `{"importType":"USER","filename":"a.csv","sizeBytes":1,"options":{"encoding":"`+w.valueNeedle+`","dateOrder":"`+w.valueNeedle+`"}}`, nil)
	w.request(t, http.MethodPost, "/v1/imports", `{"resource_type":"users","url":"`+w.valueNeedle+`://x"}`, nil)
	w.request(t, http.MethodGet, "/api/import-types/"+w.valueNeedle+"/template.xlsx", "", nil)
	w.request(t, http.MethodGet, "/v1/exports?resource="+w.valueNeedle, "", nil)
}
