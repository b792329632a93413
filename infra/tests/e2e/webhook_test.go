package e2e

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/lambdahost"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// webhookMessage is a message received by a webhook.
type webhookMessage struct {
	ID   string // from the header
	Type string
	Data struct {
		EventID, JobID, ImportType, Status string
		Sequence                           int
		Counts                             map[string]int64
		UnusedColumns                      []struct {
			Name   string
			Values int64
		}
	}
	body   string
	header http.Header
}

// receiver is an organisation's webhook server, on this machine.
type receiver struct {
	address  string
	status   atomic.Int64 // of its responses
	messages chan webhookMessage
	done     <-chan struct{} // closed when no more messages are sent
}

func startReceiver(t *testing.T, from *testStack) *receiver {
	t.Helper()
	r := &receiver{messages: make(chan webhookMessage, 100), done: from.Exited()}
	r.status.Store(http.StatusOK)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		m := webhookMessage{ID: request.Header.Get("webhook-id"), body: string(body), header: request.Header}
		if err == nil {
			err = json.Unmarshal(body, &m)
		}
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(int(r.status.Load()))
		r.messages <- m
	}))
	t.Cleanup(server.Close)
	r.address = server.URL
	return r
}

// next returns the next message. It checks that the message is signed with the secret and
// contains no value of a file.
func (r *receiver) next(ctx context.Context, t *testing.T, secret string) webhookMessage {
	t.Helper()
	select {
	case m := <-r.messages:
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		require.NoError(t, err)
		mac := hmac.New(sha256.New, key)
		_, _ = io.WriteString(mac, m.ID+"."+m.header.Get("webhook-timestamp")+"."+m.body)
		require.Contains(t, strings.Fields(m.header.Get("webhook-signature")), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		require.NotContains(t, strings.ToLower(m.body), "canary")
		return m
	case <-r.done:
		require.FailNow(t, "no message arrived before loadbay ended")
	case <-ctx.Done():
		require.NoError(t, ctx.Err(), "no message arrived")
	}
	return webhookMessage{}
}

// post calls an endpoint without a request body.
func (r *testStack) post(ctx context.Context, t *testing.T, method, path string, into any) {
	t.Helper()
	require.NoError(t, r.Do(ctx, method, path, "application/json", strings.NewReader("{}"), into))
}

// reconcile runs immediately the function that otherwise runs every minute.
func (r *testStack) reconcile(ctx context.Context, t *testing.T) {
	t.Helper()
	r.invoke(ctx, t, "reconcile")
}

// invoke runs a function as its schedule does.
func (r *testStack) invoke(ctx context.Context, t *testing.T, function string) {
	t.Helper()
	answer, err := lambda.NewFromConfig(r.AWSConfig()).Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String(lambdahost.Name(function))})
	require.NoError(t, err)
	require.Nil(t, answer.FunctionError, "%s", answer.Payload)
}

func TestWebhookReceivesEveryStatus(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), maxWait)
	defer cancel()
	r := start(t, "LOCAL_WEBHOOKS=allowed")
	hook := startReceiver(t, r)
	var registered struct{ Secret string }
	require.NoError(t, r.Do(ctx, http.MethodPut, "/api/webhook", "application/json", strings.NewReader(`{"url":"`+hook.address+`"}`), &registered))
	secret := registered.Secret

	// The file asks about a column and a value; all its values are marked with canary.
	period := int64(1)
	file := "First name,Last name,Email,Type,Shoe size\nCanary,One,canary1@example.org,Canary type,x\nCanary,Two,canary2@example.org,Canary type,canary\n"
	j, err := r.Upload(ctx, rawclient.CreateRequest{ImportType: "MEMBERSHIP", ContextID: &period, Filename: "canary.csv", SizeBytes: int64(len(file))}, strings.NewReader(file))
	require.NoError(t, err)
	waits := hook.next(ctx, t, secret)
	require.Equal(t, "import.waiting", waits.Type)
	require.Equal(t, "COLUMN_MAPPING", waits.Data.Status)
	require.Equal(t, j.Identifier, waits.Data.JobID)
	require.Equal(t, waits.ID, waits.Data.EventID)

	r.post(ctx, t, http.MethodPost, "/api/imports/"+j.Identifier+"/column-mappings/confirm", nil)
	asks := hook.next(ctx, t, secret)
	require.Equal(t, "CELL_MAPPING", asks.Data.Status)

	// The server is unavailable when the import ends.
	hook.status.Store(http.StatusServiceUnavailable)
	r.post(ctx, t, http.MethodPost, "/api/imports/"+j.Identifier+"/start", nil)
	_, err = r.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	first := hook.next(ctx, t, secret)
	require.Equal(t, "import.completed", first.Type)
	require.Len(t, first.Data.UnusedColumns, 1)
	require.Equal(t, "Shoe size", first.Data.UnusedColumns[0].Name)
	require.EqualValues(t, 2, first.Data.UnusedColumns[0].Values)
	require.Equal(t, map[string]int64{"total": 2, "created": 0, "updated": 0, "unchanged": 0, "skipped": 0, "errors": 2, "deferred": 0, "unprocessed": 0}, first.Data.Counts)
	r.Await(t, "the attempt is counted", func() bool {
		return stacktest.Query[int](t, r.Stack, `SELECT attempts FROM webhook_deliveries WHERE event_id = $1`, first.ID) == 1
	})
	hook.status.Store(http.StatusOK)
	stacktest.Query[string](t, r.Stack, `UPDATE webhook_deliveries SET next_attempt_at = now() WHERE event_id = $1 RETURNING status`, first.ID)
	r.reconcile(ctx, t)
	again := hook.next(ctx, t, secret)
	require.Equal(t, first.ID, again.ID)
	require.Equal(t, first.body, again.body)
	require.Equal(t, []int{1, 2, 3}, []int{waits.Data.Sequence, asks.Data.Sequence, again.Data.Sequence})

	// A one-shot import never waits and sends only one message. A second import is cancelled.
	done := r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", AutoStart: true}, "email,name\ncanary@example.org,Canary\n")
	completed := hook.next(ctx, t, secret)
	require.Equal(t, done.Identifier, completed.Data.JobID)
	require.Equal(t, "import.completed", completed.Type)
	require.Equal(t, int64(1), completed.Data.Counts["created"])
	file = "email,name,canary\ncanary2@example.org,Canary,x\n"
	j, err = r.Upload(ctx, rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", SizeBytes: int64(len(file))}, strings.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, "import.waiting", hook.next(ctx, t, secret).Type)
	r.post(ctx, t, http.MethodDelete, "/api/imports/"+j.Identifier, nil)
	cancelled := hook.next(ctx, t, secret)
	require.Equal(t, "import.cancelled", cancelled.Type)
	require.Equal(t, j.Identifier, cancelled.Data.JobID)

	// The database does not contain the secret in plain text.
	require.Equal(t, "sealed:1:", stacktest.Query[string](t, r.Stack, `SELECT left(secret, 9) FROM webhooks`))
	require.Zero(t, stacktest.Query[int](t, r.Stack, `SELECT count(*) FROM webhooks AS w WHERE strpos(w::text, $1) > 0`, strings.TrimPrefix(secret, "whsec_")))

	// During a rotation both secrets sign; a test message takes the same path.
	r.post(ctx, t, http.MethodPost, "/api/webhook/rotate-secret", &registered)
	require.NotEqual(t, secret, registered.Secret)
	r.post(ctx, t, http.MethodPost, "/api/webhook/test", nil)
	test := hook.next(ctx, t, secret)
	require.Equal(t, "webhook.test", test.Type)
	require.Len(t, strings.Fields(test.header.Get("webhook-signature")), 2)

	require.Empty(t, hook.messages, "each event is sent once")
	r.Await(t, "all events are marked as sent", func() bool {
		return stacktest.Query[int](t, r.Stack, `SELECT count(*) FROM job_events WHERE sent_at IS NULL`) == 0
	})
	var deliveries []struct{ Status string }
	require.NoError(t, r.Get(ctx, "/api/webhook/deliveries", &deliveries))
	require.Len(t, deliveries, 7)
}

// Without the setting that tests need, no server on this machine receives messages.
func TestWebhookRejectsLocalAddresses(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	for address, code := range map[string]string{"http://127.0.0.1:9/": "URL_SCHEME", "https://127.0.0.1/": "URL_FORBIDDEN", "https://hooks.example:8443/": "URL_FORBIDDEN"} {
		err := r.Do(ctx, http.MethodPut, "/api/webhook", "application/json", strings.NewReader(`{"url":"`+address+`"}`), nil)
		var answer *rawclient.Error
		require.ErrorAs(t, err, &answer)
		require.Equal(t, code, answer.Code)
	}
	// The name is resolved only when a connection is opened.
	body := `{"url":"https://localhost/"}`
	require.NoError(t, r.Do(ctx, http.MethodPut, "/api/webhook", "application/json", strings.NewReader(body), nil))
	r.post(ctx, t, http.MethodPost, "/api/webhook/test", nil)
	r.Await(t, "the delivery is refused", func() bool {
		return stacktest.Query[string](t, r.Stack, `SELECT coalesce(max(fault), '') FROM webhook_deliveries`) == "URL_FORBIDDEN"
	})
}
