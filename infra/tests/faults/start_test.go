package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/infra/local/lambdahost"
	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// countExecutions returns how many of all executions have the job's name.
func (r *harness) countExecutions(t *testing.T, id string) int {
	t.Helper()
	n := 0
	pages := sfn.NewListExecutionsPaginator(sfn.NewFromConfig(r.AWSConfig()), &sfn.ListExecutionsInput{
		StateMachineArn: aws.String(stateMachineARN()),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, e := range page.Executions {
			if *e.Name == id {
				n++
			}
		}
	}
	return n
}

// Every request to start an execution is sent twice, and once more after the
// execution is closed, by a repetition of the object's event.
func startTwice(t *testing.T, r *harness) {
	var starts atomic.Int64
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Operation == "StartExecution" {
			starts.Add(1)
			if first := forward(); first == nil || first.StatusCode != http.StatusOK {
				t.Errorf("the first start failed: %+v", first)
			}
		}
		return forward()
	})
	id := r.startImport(t, r.usersFile(chunkRows))
	r.requireAllCreated(t, id, chunkRows)
	require.Equal(t, 1, r.countExecutions(t, id))
	before := starts.Load()
	require.Positive(t, before)
	r.repeatObjectEvent(t, id)
	r.requireAllCreated(t, id, chunkRows)
	_, err := sfn.NewFromConfig(r.AWSConfig()).StartExecution(t.Context(), &sfn.StartExecutionInput{
		StateMachineArn: aws.String(stateMachineARN()), Name: &id, Input: aws.String(`{}`),
	})
	require.ErrorContains(t, err, "ExecutionAlreadyExists")
	require.Equal(t, 1, r.countExecutions(t, id))
}

// repeatObjectEvent sends the event of the job's stored object again.
func (r *harness) repeatObjectEvent(t *testing.T, id string) {
	t.Helper()
	event := fmt.Sprintf(`{"id":"1","detail-type":"Object Created","source":"aws.s3","detail":{"object":{"key":"uploads/1/%s","size":1}}}`, id)
	out, err := lambda.NewFromConfig(r.AWSConfig()).Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String(lambdahost.Name("drop")), Payload: []byte(event)})
	require.NoError(t, err)
	require.Nil(t, out.FunctionError, "%s", out.Payload)
}

// The process that starts the execution dies after the job is created and before the
// execution is: first for the object's event, then for all of its repetitions, so
// that reconcile starts it.
func crashBeforeStart(t *testing.T, r *harness) {
	var killed atomic.Int64
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Operation == "StartExecution" && request.Function != "reconcile" {
			killed.Add(1)
			request.Kill()
			return nil
		}
		return forward()
	})
	id := r.startImport(t, r.usersFile(chunkRows))
	r.Await(t, "the function is killed", func() bool { return killed.Load() > 0 })
	r.Await(t, "reconcile starts an import that is stuck for five seconds", func() bool {
		r.invoke(t, "reconcile")
		return r.countExecutions(t, id) == 1
	})
	r.requireAllCreated(t, id, chunkRows)
}

// postForm posts a file of users with an idempotency key.
func (r *harness) postForm(t *testing.T, key, file string) (status int, id string, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range map[string]string{"importType": "USER", "autoStart": "true"} {
		if err := form.WriteField(name, value); err != nil {
			return 0, "", err
		}
	}
	part, err := form.CreateFormFile("file", "users.csv")
	if err != nil {
		return 0, "", err
	}
	if _, err := io.WriteString(part, file); err != nil {
		return 0, "", err
	}
	if err := form.Close(); err != nil {
		return 0, "", err
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.API+"/api/imports", &body)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Idempotency-Key", key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	var made struct{ Identifier string }
	return answer.StatusCode, made.Identifier, json.NewDecoder(answer.Body).Decode(&made)
}

// postConcurrently sends the same request from many callers at the same moment, and returns
// how often each status was returned, and the one job in all responses.
func (r *harness) postConcurrently(t *testing.T, key, file string) (statuses map[int]int, id string) {
	t.Helper()
	const callers = 12
	var mu sync.Mutex
	statuses = map[int]int{}
	ids := map[string]bool{}
	var group errgroup.Group
	for range callers {
		group.Go(func() error {
			status, id, err := r.postForm(t, key, file)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
			if id != "" {
				ids[id] = true
			}
			return err
		})
	}
	require.NoError(t, group.Wait())
	require.Len(t, ids, 1)
	for id = range ids {
	}
	r.requireAllCreated(t, id, chunkRows)
	require.Equal(t, 1, r.countExecutions(t, id))
	require.Equal(t, int64(1), stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM import_jobs WHERE uuid >= $1::uuid`, id), "one job is created")
	return statuses, id
}

func sameKeyAtOnce(t *testing.T, r *harness) {
	file := r.usersFile(chunkRows)
	key := fmt.Sprintf("key-%d", r.files.Load())
	statuses, id := r.postConcurrently(t, key, file)
	require.Equal(t, 1, statuses[http.StatusCreated]+statuses[http.StatusAccepted], "one request creates the job: %v", statuses)
	require.Equal(t, 11, statuses[http.StatusOK]+statuses[http.StatusConflict], "the other requests get 200 or 409: %v", statuses)
	status, again, err := r.postForm(t, key, file)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, id, again)
}

// The clocks of the API's instances differ by up to 20 minutes for the time of a claim,
// which is valid for one minute: each instance treats the others' claims as expired or as
// new. Still there is only one job and one execution.
func clockSkew(t *testing.T, r *harness) {
	var mu sync.Mutex
	skews := map[int]int64{} // seconds, by process
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Function == "api" && request.Text != nil {
			mu.Lock()
			if _, seen := skews[request.PID]; !seen {
				skews[request.PID] = []int64{600, -600, 0}[len(skews)%3]
			}
			skew := skews[request.PID]
			mu.Unlock()
			request.Text = timePattern.ReplaceAllFunc(request.Text, func(found []byte) []byte {
				at, err := strconv.ParseInt(string(found[5:15]), 10, 64)
				if err != nil {
					t.Error(err)
				}
				return fmt.Appendf(nil, `"N":"%d"`, at+skew)
			})
		}
		return forward()
	})
	for range 3 {
		file := r.usersFile(chunkRows)
		statuses, _ := r.postConcurrently(t, fmt.Sprintf("skewed-%d", r.files.Load()), file)
		require.Positive(t, statuses[http.StatusCreated]+statuses[http.StatusAccepted])
		for status := range statuses {
			require.Contains(t, []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusConflict}, status)
		}
	}
}

// timePattern matches a current time, in seconds, in DynamoDB's format.
var timePattern = regexp.MustCompile(`"N":"\d{10}"`)

// The API dies after the job is created and before its execution is. The caller, who
// received no response, sends the request again.
func apiCrashesBeforeStart(t *testing.T, r *harness) {
	killed := r.newEvent()
	var starts atomic.Int64
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Operation == "StartExecution" && request.Function == "api" && starts.Add(1) == 1 {
			request.Kill()
			killed.set()
			return nil
		}
		return forward()
	})
	file := r.usersFile(chunkRows)
	key := fmt.Sprintf("crashed-%d", r.files.Load())
	status, _, err := r.postForm(t, key, file)
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError, status)
	killed.wait(t, "the execution is to be started")
	id := stacktest.Query[string](t, r.Stack, `SELECT uuid::text FROM import_jobs ORDER BY id DESC LIMIT 1`)
	status, _, err = r.postForm(t, key, file)
	require.NoError(t, err)
	require.Equal(t, http.StatusConflict, status, "for a minute the first request may still be running")
	r.Await(t, "reconcile starts the import", func() bool {
		r.invoke(t, "reconcile")
		return r.countExecutions(t, id) == 1
	})
	r.requireAllCreated(t, id, chunkRows)
	require.Equal(t, int64(1), stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM import_jobs WHERE uuid >= $1::uuid`, id))
}
