package canary

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// harness is a stack that records every AWS call of its functions.
type harness struct {
	*stacktest.Stack
	valueNeedle, keyNeedle string // needles in files, and in keys of the drop folder
	headerNeedle           string // in headers of columns that are not imported
	blueprint              *blueprint.Blueprint

	objects    *awss3.Client
	queues     *sqs.Client
	tables     *dynamodb.Client
	executions *sfn.Client
	functions  *lambda.Client

	mu       sync.Mutex
	recorded []document // the functions' AWS calls, and error responses of the API
}

// document is a text that is stored or sent somewhere.
type document struct {
	name string
	text []byte
}

func start(t *testing.T, value, key, header string) *harness {
	t.Helper()
	between := intercept.New(t, filepath.Join(stacktest.Root(t), "bin", "functions"))
	w := &harness{Stack: stacktest.Start(t, "BIN_DIR="+between.BinDir), valueNeedle: value, keyNeedle: key, headerNeedle: header, blueprint: stacktest.Blueprint()}
	between.OnAWS(t, func(r *intercept.Request, forward func() *http.Response) *http.Response {
		service := "call "
		if r.Text == nil {
			service = "call s3 "
		}
		w.record(document{service + r.Function + " " + r.Operation, fmt.Appendf(nil, "%s %v %s", r.URL, r.Header, r.Text)})
		return forward()
	})
	config := w.AWSConfig()
	w.objects = awss3.NewFromConfig(config, func(o *awss3.Options) { o.UsePathStyle = true })
	w.queues, w.tables = sqs.NewFromConfig(config), dynamodb.NewFromConfig(config)
	w.executions, w.functions = sfn.NewFromConfig(config), lambda.NewFromConfig(config)
	w.exec(t, `
		CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF NEW.name LIKE '%poison by trigger%' THEN
				RAISE EXCEPTION 'refused %', NEW.name USING DETAIL = NEW.name;
			ELSIF NEW.name LIKE '%undeliverable%' THEN
				RAISE EXCEPTION 'no room' USING ERRCODE = '53100', DETAIL = NEW.name, HINT = NEW.name;
			END IF;
			RETURN NEW;
		END $$;
		CREATE TRIGGER refuse_poison BEFORE INSERT OR UPDATE ON users FOR EACH ROW EXECUTE FUNCTION refuse_poison();
		ALTER TABLE users ADD CONSTRAINT no_poison CHECK (name NOT LIKE '%poison by constraint%')`)
	return w
}

func (w *harness) record(p document) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.recorded = append(w.recorded, p)
}

func (w *harness) recordedDocuments() []document {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.recorded)
}

// exec executes SQL as the database's administrator.
func (w *harness) exec(t *testing.T, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.DatabaseURL(t))
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// awaitJob waits for a job.
func (w *harness) awaitJob(t *testing.T, id string, reached func(*rawclient.Job) bool) *rawclient.Job {
	t.Helper()
	return stacktest.AwaitJob(t, w.Client, id, reached)
}

// awaitEnd waits for the end of a job and checks its status and code.
func (w *harness) awaitEnd(t *testing.T, id, status, code string) *rawclient.Job {
	t.Helper()
	j := w.awaitJob(t, id, (*rawclient.Job).Ended)
	require.Equal(t, status, j.Status, "%+v", j.Failure)
	if code != "" {
		require.Equal(t, code, j.Failure.Code, "%s", j.Failure.Message)
	}
	return j
}
