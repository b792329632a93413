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

// drives are the ways that values take through the service.
func drives() map[string]func(*testing.T, *world) {
	all := map[string]func(*testing.T, *world){
		"imported":                      imported,
		"uploaded past the API":         uploaded,
		"asked about, answered":         answered,
		"asked about, cancelled":        cancelled,
		"rows refused one by one":       refusedRows,
		"poison and undeliverable rows": poison,
		"participants and results":      wholeFiles,
		"orders":                        batches,
		"exports":                       exports,
		"dropped":                       dropped,
		"dropped in a wrong place":      quarantined,
		"fetched":                       fetched,
		"error pages":                   errorPages,
	}
	for name, f := range brokenFiles() {
		all["failed: "+name] = f
	}
	return all
}

// ask calls the API. Its refusal is looked at unless the request itself holds a value.
func (w *world) ask(t *testing.T, method, path, body string, header http.Header) (int, []byte) {
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
	if got.StatusCode/100 > 3 && !strings.Contains(path+body, w.value) {
		w.note(place{fmt.Sprintf("answer to %s %s", method, path), text})
	}
	return got.StatusCode, text
}

// create sends a file that is called by the value, as most files are sent.
func (w *world) create(t *testing.T, importType, ending string, file []byte, fields map[string]string) *rawclient.Job {
	t.Helper()
	all := map[string]string{"importType": importType}
	for name, value := range fields {
		all[name] = value
	}
	var j rawclient.Job
	require.NoError(t, w.Form(t.Context(), http.MethodPost, "/api/imports", w.value+ending, file, all, &j))
	return &j
}

var unasked = map[string]string{"autoStart": "true"}

func imported(t *testing.T, w *world) {
	file := fmt.Sprintf("email,name,role,%[1]s column\nok@%[1]s.example,%[1]s Ann,%[1]s,%[1]s\n,%[1]s,,\nok2@%[1]s.example,%[1]s Ben,,\n", w.value)
	j := w.create(t, "USER", ".csv", []byte(file), map[string]string{"autoStart": "true", "options": `{"delimiter":","}`})
	w.ended(t, j.Identifier, "COMPLETED", "")
	w.visit(t, j.Identifier)
}

// visit asks for all that there is to say about a job, also what makes no sense.
func (w *world) visit(t *testing.T, id string) {
	t.Helper()
	at := "/api/imports/" + id
	for _, get := range []string{"?includeMappings=true", "/column-mappings", "/cell-mappings", "/cell-mappings/candidates?targetField=NO_SUCH_FIELD", "/results", "/results?outcome=NONE", "/results/summary", "/errors.xlsx", "/rows", "/rows/counts", "/annotated.xlsx"} {
		w.ask(t, http.MethodGet, at+get, "", nil)
	}
	w.ask(t, http.MethodPut, at+"/column-mappings", `[{"id":1,"ignore":true}]`, nil)
	w.ask(t, http.MethodPut, at+"/cell-mappings", `[{"id":1,"ignore":true}]`, nil)
	w.ask(t, http.MethodPost, at+"/column-mappings/confirm", "", nil)
	w.ask(t, http.MethodPost, at+"/cell-mappings/confirm", "", nil)
	w.ask(t, http.MethodPost, at+"/start", "", nil)
	w.ask(t, http.MethodGet, at+"/rows?q="+w.value, "", nil)
	w.ask(t, http.MethodPatch, at+"/rows", `{"rows":[{"row":3,"cells":{"EMAIL":"right@`+w.value+`.example","NAME":"`+w.value+`"}}]}`, nil)
	w.ask(t, http.MethodPatch, at+"/rows", `{"where":{"field":"NAME"},"transform":[{"op":"default","value":"`+w.value+`"}]}`, nil)
	w.ask(t, http.MethodPost, at+"/annotated", "", nil)
	w.ask(t, http.MethodPost, at+"/retry", `{"rows":"all-errors"}`, nil)
	w.ask(t, http.MethodGet, "/v1/imports/"+id+"/errors", "", nil)
	w.ask(t, http.MethodGet, "/api/memberships/import/"+id, "", nil)
}

func uploaded(t *testing.T, w *world) {
	file := "email,name\nup@" + w.value + ".example," + w.value + "\n"
	j, err := w.Upload(t.Context(), rawclient.Create{
		ImportType: "USER", Filename: w.value + ".csv", SizeBytes: int64(len(file)), AutoStart: true,
	}, strings.NewReader(file))
	require.NoError(t, err)
	w.ended(t, j.Identifier, "COMPLETED", "")
}

// answered says of a column and of a value what they are, once wrongly.
func answered(t *testing.T, w *world) {
	file := fmt.Sprintf("first name,last name,email,membership type,%[1]s a\n%[1]s,%[1]s,m@%[1]s.example,%[1]s gold,%[1]s\n%[1]s,%[1]s,m2@%[1]s.example,Senior,%[1]s\n", w.value)
	j := w.create(t, "MEMBERSHIP", ".csv", []byte(file), map[string]string{"contextId": "1"})
	w.until(t, j.Identifier, func(j *rawclient.Job) bool { return j.Status == "COLUMN_MAPPING" })
	w.visitWaiting(t, j.Identifier, "column-mappings")
	at := "/api/imports/" + j.Identifier
	status, text := w.ask(t, http.MethodPost, at+"/column-mappings/confirm", "", nil)
	require.Equal(t, http.StatusAccepted, status, "%s", text)
	var cells []struct {
		ID          int64
		SourceValue string
	}
	w.Await(t, "the value is asked about", func() bool {
		return w.Get(t.Context(), at+"/cell-mappings", &cells) == nil && len(cells) > 0 && strings.Contains(fmt.Sprint(cells), w.value)
	})
	w.visitWaiting(t, j.Identifier, "cell-mappings")
	for _, c := range cells {
		if strings.Contains(c.SourceValue, w.value) {
			status, text = w.ask(t, http.MethodPut, at+"/cell-mappings", fmt.Sprintf(`[{"id":%d,"targetEntityId":2}]`, c.ID), nil)
			require.Equal(t, http.StatusAccepted, status, "%s", text)
		}
	}
	status, text = w.ask(t, http.MethodPost, at+"/cell-mappings/confirm", "", nil)
	require.Equal(t, http.StatusAccepted, status, "%s", text)
	w.ended(t, j.Identifier, "COMPLETED", "")
	w.visit(t, j.Identifier)
}

// visitWaiting makes the mistakes that one makes when one is asked.
func (w *world) visitWaiting(t *testing.T, id, what string) {
	t.Helper()
	at := "/api/imports/" + id
	w.ask(t, http.MethodPut, at+"/"+what, `[{"id":1,"targetField":"NO_SUCH_FIELD"}]`, nil)
	w.ask(t, http.MethodPut, at+"/"+what, `[{"id":-1}]`, nil)
	w.ask(t, http.MethodPut, at+"/"+what, `{`, nil)
	w.ask(t, http.MethodPut, at+"/"+what, `[{"id":1,"targetEntityId":99999}]`, nil)
	w.ask(t, http.MethodPut, at+"/"+what, fmt.Sprintf(`[{"id":1,"targetField":%q}]`, w.value), nil)
	w.ask(t, http.MethodGet, at+"/cell-mappings/candidates?targetField=NO_SUCH_FIELD", "", nil)
	w.ask(t, http.MethodGet, at+"/cell-mappings/candidates?targetField=MEMBERSHIP_TYPE_ID", "", nil)
}

func cancelled(t *testing.T, w *world) {
	j := w.create(t, "USER", ".csv", []byte(fmt.Sprintf("%[1]s one,%[1]s two\n%[1]s,%[1]s\n", w.value)), nil)
	w.until(t, j.Identifier, func(j *rawclient.Job) bool { return j.Status == "COLUMN_MAPPING" })
	w.visitWaiting(t, j.Identifier, "column-mappings")
	w.ask(t, http.MethodPost, "/api/imports/"+j.Identifier+"/column-mappings/confirm", "", nil)
	status, _ := w.ask(t, http.MethodDelete, "/api/imports/"+j.Identifier, "", nil)
	require.Less(t, status, 300)
	w.ended(t, j.Identifier, "CANCELLED", "")
	w.visit(t, j.Identifier)
}

// refusedRows are rows with a value in whatever is wrong with them.
func refusedRows(t *testing.T, w *world) {
	file := strings.ReplaceAll("email,name,id,active,created at\n"+
		"CANARY,n,,,\nr1@CANARY.example,CANARY,CANARY,,\nr2@CANARY.example,CANARY,,CANARY,\nr3@CANARY.example,CANARY,,,CANARY\n"+
		"r4@CANARY.example,CANARY\nr5@CANARY.example,"+strings.Repeat("CANARY", 40)+",,,\nr6@CANARY.example,CANARY\x00,,,\n"+
		"r7@CANARY.example,CANARY,,,\nR7@CANARY.example,CANARY,,,\n", "CANARY", w.value)
	j := w.create(t, "USER", ".csv", []byte(file), unasked)
	require.Equal(t, int64(8), w.ended(t, j.Identifier, "COMPLETED", "").ErrorCount)
	w.visit(t, j.Identifier)
	article := fmt.Sprintf("slug,title,body,author id,status,tags\n%[1]s,%[1]s,%[1]s,00000000-0000-4000-8000-000000000000,%[1]s,[%[1]s\nx-%[1]s,%[1]s,%[1]s,00000000-0000-4000-8000-000000000000,draft,%[1]s\n", w.value)
	j = w.create(t, "ARTICLE", ".csv", []byte(article), unasked)
	require.Equal(t, int64(2), w.ended(t, j.Identifier, "COMPLETED", "").ErrorCount)
	w.visit(t, j.Identifier)
}

// poison are rows that the database refuses, and rows whose chunk it cannot take
// as often as it is delivered, so that it reaches the dead letters.
func poison(t *testing.T, w *world) {
	var file strings.Builder
	file.WriteString("email,name\n")
	for i, name := range []string{"sound", "poison by constraint", "sound", "poison by trigger", "sound"} {
		fmt.Fprintf(&file, "p%d@%s.example,%s %s\n", i, w.value, w.value, name)
	}
	undeliverable := w.create(t, "USER", ".csv", []byte(fmt.Sprintf("email,name\nu1@%[1]s.example,%[1]s undeliverable\nu2@%[1]s.example,%[1]s\n", w.value)), unasked)
	j := w.create(t, "USER", ".csv", []byte(file.String()), unasked)
	for id, code := range map[string]string{j.Identifier: "ROW_REJECTED", undeliverable.Identifier: "ROW_UNDELIVERED"} {
		w.ended(t, id, "COMPLETED", "")
		results, err := w.Results(t.Context(), id, "ERROR", 0, 50)
		require.NoError(t, err)
		require.Len(t, results, 2)
		for _, r := range results {
			require.Equal(t, code, r.Faults[0].Code)
		}
		w.visit(t, id)
	}
}

func wholeFiles(t *testing.T, w *world) {
	participants := fmt.Sprintf("First name,Last name,Email,Category,Registration number,Race number,Custom 1\n%[1]s,%[1]s,e@%[1]s.example,Open,%[1]s1,%[1]s,%[1]s\n%[1]s,%[1]s,,%[1]s,%[1]s2,,\n", w.value)
	var j rawclient.Job
	require.NoError(t, w.Form(t.Context(), http.MethodPut, "/api/event-participants/import?eventId=1", w.value+".csv", []byte(participants), nil, &j))
	w.ended(t, j.Identifier, "COMPLETED", "")
	w.ask(t, http.MethodGet, "/api/event-participants/import/"+j.Identifier, "", nil)
	results := fmt.Sprintf("Category,Seq,REGID,Bib,Time\nOpen,1,%[1]s1,%[1]s,1:00:00\nOpen,2,%[1]s9,9,%[1]s\n%[1]s,1,%[1]s1,1,1:00:00\n", w.value)
	require.NoError(t, w.Form(t.Context(), http.MethodPut, "/api/result-sets/import-bulk?eventId=1&participantIdMode=regid", w.value+".csv", []byte(results), nil, &j))
	w.ended(t, j.Identifier, "COMPLETED", "")
	w.ask(t, http.MethodGet, "/api/result-sets/import/"+j.Identifier, "", nil)
	w.visit(t, j.Identifier)
}

func batches(t *testing.T, w *world) {
	file := strings.ReplaceAll("clientId,clientReference,senderName,senderAddress,senderContact,receiverName,receiverAddress,receiverCity,receiverPincode,itemCount,totalWeight,serviceType\n"+
		"7,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,411001,1,2.5,EXPRESS\n7,CANARY 2,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY\n7,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,CANARY,411001,1,2.5,EXPRESS\n", "CANARY", w.value)
	var b struct{ BatchID, Status string }
	path := "/api/orders/bulk-uploads"
	require.NoError(t, w.Form(t.Context(), http.MethodPost, path, w.value+".csv", []byte(file), nil, &b))
	w.Await(t, "the batch is complete", func() bool { return w.Get(t.Context(), path+"/"+b.BatchID, &b) == nil && b.Status == "COMPLETED" })
	w.ask(t, http.MethodGet, path+"/"+b.BatchID+"/rows?status=NONE", "", nil)
}

// exports are selected by values, which are in their files.
func exports(t *testing.T, w *world) {
	file := "email,name\nx@" + w.value + ".example," + w.value + "\n"
	j := w.create(t, "USER", ".csv", []byte(file), unasked)
	w.ended(t, j.Identifier, "COMPLETED", "")
	for _, format := range []string{"csv", "ndjson", "xlsx"} {
		e, got, err := w.Export(t.Context(), rawclient.Selection{Resource: "users", Format: format, Filters: json.RawMessage(`{"name":"` + w.value + `"}`)}, stacktest.Tick)
		require.NoError(t, err)
		require.Positive(t, e.RecordCount)
		require.True(t, format == "xlsx" || bytes.Contains(got, []byte(w.value)))
	}
	w.ask(t, http.MethodPost, "/v1/exports", `{"resource_type":"users","format":"csv","filters":{"active":"`+w.value+`"}}`, nil)
	w.ask(t, http.MethodGet, "/v1/exports?resource=users&format=csv&filters=%7B%22name%22%3A%22"+w.value+"%22%7D", "", nil)
}

// drop puts an object into the bucket and waits for what is written about it.
func (w *world) drop(t *testing.T, place, file, about string) {
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

func dropped(t *testing.T, w *world) {
	place := "1/USER/-/-/" + w.key + "/" + w.key + ".csv"
	w.drop(t, place, fmt.Sprintf("email,name\nd@%[1]s.example,%[1]s\n%[1]s,%[1]s\n", w.value), "results/"+place+".result.json")
	place = "1/USER/-/" + w.key + ".html"
	w.drop(t, place, "<html>"+w.value+"</html>", "results/"+place+".result.json")
}

func quarantined(t *testing.T, w *world) {
	for _, place := range []string{"1/" + w.key + "/-/x.csv", w.key + "/USER/-/x.csv", "1/USER/" + w.key + "/x.csv", "1/USER/-/" + w.key + "/x.csv", "1/USER/-/" + w.key + "\t.csv"} {
		w.drop(t, place, w.value, "drop-quarantine/"+place+".reason.json")
	}
}

// fetched is a file at an address with a value in it, as signed addresses have.
func fetched(t *testing.T, w *world) {
	status, text := w.ask(t, http.MethodPost, "/v1/imports", `{"resource_type":"users","url":"http://localhost/`+w.value+`.csv?signature=`+w.value+`"}`, nil)
	require.Equal(t, http.StatusAccepted, status, "%s", text)
	var j struct {
		JobID string `json:"job_id"`
	}
	require.NoError(t, json.Unmarshal(text, &j))
	w.ended(t, j.JobID, "FAILED", "URL_FORBIDDEN")
}

// subscribe registers the organisation's webhook for every job, at an address with a
// value in it, as such addresses have a secret. No server answers there.
func (w *world) subscribe(t *testing.T) {
	t.Helper()
	status, text := w.ask(t, http.MethodPut, "/api/webhook", `{"url":"https://hooks.invalid/`+w.value+`"}`, nil)
	require.Less(t, status, 300, "%s", text)
}

// notified has the events of the jobs sent, as a schedule does every minute, and
// waits until the webhook was to be told.
func (w *world) notified(t *testing.T) {
	t.Helper()
	_, err := w.functions.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String(lambdahost.Name("reconcile"))})
	require.NoError(t, err)
	w.Await(t, "the webhook is told", func() bool {
		var deliveries []any
		return w.Get(t.Context(), "/api/webhook/deliveries", &deliveries) == nil && len(deliveries) > 0
	})
}

// errorPages are refusals of requests that hold a value themselves: only the log
// must not have it.
func errorPages(t *testing.T, w *world) {
	w.ask(t, http.MethodGet, "/"+w.value, "", nil)
	w.ask(t, http.MethodGet, "/api/imports/"+w.value, "", nil)
	w.ask(t, http.MethodGet, "/api/imports?status="+w.value, "", nil)
	w.ask(t, http.MethodGet, "/api/imports?"+w.value+"=1", "", nil)
	w.ask(t, http.MethodPost, "/api/imports", `{"`+w.value+`":1}`, nil)
	w.ask(t, http.MethodPost, "/api/imports", w.value, nil)
	w.ask(t, http.MethodPost, "/api/imports", `{"importType":"`+w.value+`","filename":"a.csv","sizeBytes":1}`, nil)
	w.ask(t, http.MethodPost, "/api/imports", `{"importType":"USER","filename":"`+w.value+`\u0000","sizeBytes":1}`, nil)
	w.ask(t, http.MethodPost, "/api/imports", `{"importType":"USER","filename":"a.csv","sizeBytes":1,"mode":"`+w.value+`"}`, nil)
	w.ask(t, http.MethodPost, "/api/imports", `{"importType":"USER","filename":"a.csv","sizeBytes":1,"options":{"`+w.value+`":1}}`, nil)
	w.ask(t, http.MethodPost, "/api/imports", `{"importType":"USER","filename":"a.csv","sizeBytes":1,"options":{"encoding":"`+w.value+`","dateOrder":"`+w.value+`"}}`, nil)
	w.ask(t, http.MethodPost, "/v1/imports", `{"resource_type":"users","url":"`+w.value+`://x"}`, nil)
	w.ask(t, http.MethodGet, "/api/import-types/"+w.value+"/template.xlsx", "", nil)
	w.ask(t, http.MethodGet, "/v1/exports?resource="+w.value, "", nil)
}
