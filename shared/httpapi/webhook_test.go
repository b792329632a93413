package httpapi_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
	"github.com/loadbay/loadbay/shared/problem"
)

// webhooks records queued messages.
type webhooks struct {
	queued []job.EventRef
	fail   error
}

func (*webhooks) Check(address string) error { return webhook.DefaultConfig().Check(address) }

func (w *webhooks) SendEvent(_ context.Context, ref job.EventRef) error {
	w.queued = append(w.queued, ref)
	return w.fail
}

// Seal is a fake encryption that tests can reverse.
func (*webhooks) Seal(_ context.Context, organisation tenant.ID, secret string) (job.SealedSecret, error) {
	return job.SealedSecret("sealed for " + organisation.String() + " " + secret), nil
}

// webhookDocument is the JSON form of a webhook.
type webhookDocument struct {
	URL, Secret                     string
	Enabled                         bool
	PreviousSecretUntil, DisabledAt *time.Time
	CreatedAt, UpdatedAt            time.Time
}

func (b *bundle) registerWebhook(t *testing.T, address string) apiResponse {
	t.Helper()
	return b.do(t, request{method: "PUT", path: "/api/webhook", body: `{"url":"` + address + `"}`, contentType: "application/json"})
}

// webhookSecrets returns the secrets of organisation 1's webhook, which are stored encrypted.
func (b *bundle) webhookSecrets(t *testing.T) (secrets []string) {
	t.Helper()
	b.inTx(t, func(tx pgx.Tx) error {
		w, err := b.DB.Webhook(t.Context(), tx)
		if err != nil {
			return err
		}
		for _, sealed := range w.Secrets {
			secret, ok := strings.CutPrefix(string(sealed), "sealed for 1 ")
			require.True(t, ok, "%s", sealed)
			secrets = append(secrets, secret)
		}
		return nil
	})
	return secrets
}

func TestWebhookSecretIsShownOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do(t, request{method: "GET", path: "/api/webhook"}).requireProblem(404, problem.NotFound)
	made := decode[webhookDocument](b.registerWebhook(t, "https://hooks.example/a?token=1"), http.StatusCreated)
	require.Equal(t, "https://hooks.example/a?token=1", made.URL)
	require.True(t, made.Enabled)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(made.Secret, "whsec_"))
	require.NoError(t, err)
	require.Len(t, key, 32)
	require.Equal(t, []string{made.Secret}, b.webhookSecrets(t))

	changed := decode[webhookDocument](b.registerWebhook(t, "https://hooks.example/b"), http.StatusOK)
	require.Equal(t, "https://hooks.example/b", changed.URL)
	require.Empty(t, changed.Secret)
	read := decode[webhookDocument](b.do(t, request{method: "GET", path: "/api/webhook"}), http.StatusOK)
	require.Equal(t, changed, read)
	require.Equal(t, []string{made.Secret}, b.webhookSecrets(t), "the secret is kept when the address changes")

	b.do(t, request{method: "GET", path: "/api/webhook", claims: map[string]string{"organisation_id": "2"}}).requireProblem(404, problem.NotFound)
	require.Equal(t, http.StatusNoContent, b.do(t, request{method: "DELETE", path: "/api/webhook"}).Code)
	b.do(t, request{method: "DELETE", path: "/api/webhook"}).requireProblem(404, problem.NotFound)
	require.NotContains(t, fmt.Sprint(b.logs.lines(t)), "token")
	require.NotContains(t, fmt.Sprint(b.logs.lines(t)), made.Secret)
}

func TestSecretRotationKeepsPreviousSecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rotate := request{method: "POST", path: "/api/webhook/rotate-secret"}
	b.do(t, rotate).requireProblem(404, problem.NotFound)
	first := decode[webhookDocument](b.registerWebhook(t, "https://hooks.example/"), http.StatusCreated)
	second := decode[webhookDocument](b.do(t, rotate), http.StatusOK)
	require.NotEqual(t, first.Secret, second.Secret)
	require.WithinDuration(t, time.Now().Add(24*time.Hour), *second.PreviousSecretUntil, time.Minute)
	require.Equal(t, []string{second.Secret, first.Secret}, b.webhookSecrets(t))
	b.Exec(t, `UPDATE webhooks SET previous_until = now() - interval '1 second'`)
	require.Equal(t, []string{second.Secret}, b.webhookSecrets(t))
	read := decode[webhookDocument](b.do(t, request{method: "GET", path: "/api/webhook"}), http.StatusOK)
	require.Nil(t, read.PreviousSecretUntil)
	require.Empty(t, read.Secret)
}

func TestInvalidWebhooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.registerWebhook(t, "http://hooks.example/").requireProblem(422, problem.URLScheme)
	for _, address := range []string{"https://127.0.0.1/", "https://169.254.169.254/latest/meta-data/", "https://[::1]/", "https://10.0.0.1/", "https://user@hooks.example/"} {
		b.registerWebhook(t, address).requireProblem(422, problem.URLForbidden)
	}
	b.registerWebhook(t, "https://hooks.example/"+strings.Repeat("x", 2048)).requireProblem(400, problem.ParameterInvalid)
	b.do(t, request{method: "PUT", path: "/api/webhook", body: `{"url":"https://hooks.example/","secret":"mine"}`, contentType: "application/json"}).requireProblem(400, problem.BadJSON)
}

// The scope for imports does not permit reading the secret or changing the address.
func TestWebhookScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.registerWebhook(t, "https://hooks.example/")
	for _, r := range []request{
		{method: "PUT", path: "/api/webhook", body: `{"url":"https://hooks.example/"}`, contentType: "application/json"},
		{method: "DELETE", path: "/api/webhook"}, {method: "POST", path: "/api/webhook/rotate-secret"}, {method: "POST", path: "/api/webhook/test"},
		{method: "GET", path: "/api/webhook"}, {method: "GET", path: "/api/webhook/deliveries"}, {method: "GET", path: "/api/webhook/events"},
	} {
		r.claims = map[string]string{"scope": "imports:read imports:write exports:read exports:write"}
		b.do(t, r).requireProblem(403, problem.ScopeRequired)
		if r.method != "GET" {
			r.claims["scope"] = "webhooks:read"
			b.do(t, r).requireProblem(403, problem.ScopeRequired)
		}
	}
	rotate := request{method: "POST", path: "/api/webhook/rotate-secret", claims: map[string]string{"scope": "webhooks:write"}}
	require.Equal(t, http.StatusOK, b.do(t, rotate).Code)
}

func TestWebhookTestDelivery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	try := request{method: "POST", path: "/api/webhook/test"}
	b.do(t, try).requireProblem(404, problem.NotFound)
	b.registerWebhook(t, "https://hooks.example/")
	delivery := decode[fields](b.do(t, try), http.StatusAccepted)
	require.Equal(t, "PENDING", delivery["status"])
	require.Equal(t, "webhook.test", delivery["type"])
	require.Nil(t, delivery["jobId"])
	require.Equal(t, []job.EventRef{{EventID: job.EventID(delivery["eventId"].(string)), OrganisationID: 1}}, b.webhooks.queued)

	b.webhooks.fail = errors.New("SQS is away")
	second := decode[fields](b.do(t, try), http.StatusAccepted)
	list := b.do(t, request{method: "GET", path: "/api/webhook/deliveries?size=1"})
	require.Equal(t, []fields{second}, decode[[]fields](list, http.StatusOK))
	require.Equal(t, "2", list.Header().Get("X-Total-Count"))
	require.Empty(t, decode[[]fields](b.do(t, request{method: "GET", path: "/api/webhook/deliveries", claims: map[string]string{"organisation_id": "2"}}), http.StatusOK))

	b.Exec(t, `UPDATE webhook_deliveries SET created_at = now() - interval '8 days'`)
	b.Exec(t, `UPDATE webhooks SET disabled_at = now()`)
	b.do(t, try).requireProblem(409, problem.StateConflict)
	require.False(t, decode[webhookDocument](b.do(t, request{method: "GET", path: "/api/webhook"}), http.StatusOK).Enabled)
	require.True(t, decode[webhookDocument](b.registerWebhook(t, "https://hooks.example/"), http.StatusOK).Enabled)
	b.do(t, try)
	require.Len(t, decode[[]fields](b.do(t, request{method: "GET", path: "/api/webhook/deliveries"}), http.StatusOK), 1, "previous test deliveries are deleted")
}

// Events are listed without a webhook, each as the message that a webhook is sent.
func TestEventsWithoutWebhook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	require.Empty(t, decode[[]fields](b.do(t, request{method: "GET", path: "/api/webhook/events"}), http.StatusOK))
	require.Equal(t, http.StatusNoContent, b.do(t, request{method: "DELETE", path: "/api/imports/" + id}).Code)
	list := b.do(t, request{method: "GET", path: "/api/webhook/events?createdFrom=2026-01-01"})
	events := decode[[]fields](list, http.StatusOK)
	require.Len(t, events, 1)
	require.Equal(t, "1", list.Header().Get("X-Total-Count"))
	require.Equal(t, "import.cancelled", events[0]["type"])
	data := events[0]["data"].(fields)
	require.Equal(t, id, data["jobId"])
	require.Equal(t, events[0]["eventId"], data["eventId"])
	require.NotContains(t, list.Body.String(), "users.csv")
	require.Empty(t, decode[[]fields](b.do(t, request{method: "GET", path: "/api/webhook/events?createdTo=2020-01-01"}), http.StatusOK))
	require.Empty(t, decode[[]fields](b.do(t, request{method: "GET", path: "/api/webhook/events", claims: map[string]string{"organisation_id": "2"}}), http.StatusOK))
	b.do(t, request{method: "GET", path: "/api/webhook/events?status=FAILED"}).requireProblem(400, problem.ParameterInvalid)
}
