package anywhere

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/lambdaapi"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
	"github.com/loadbay/loadbay/infra/statemachine"
	"github.com/loadbay/loadbay/infra/tests/anywhere/provision"
	"github.com/loadbay/loadbay/infra/tests/mototest"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// motoProxy is a proxy in front of moto: it serves Lambda's API with the functions hosted
// here, sends them the events of new objects, and serves Step Functions' API itself if
// states is set.
type motoProxy struct {
	moto   http.Handler
	states http.Handler
	host   *lambdahost.Host
	t      *testing.T
}

// ServeHTTP routes a request to its server.
func (d *motoProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/2015-03-31/functions/"):
		lambdaapi.Handler(d.host).ServeHTTP(w, r)
	case d.states != nil && strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AWSStepFunctions."):
		d.states.ServeHTTP(w, r)
	default:
		d.forward(w, r)
	}
}

// forward forwards a request to moto and publishes the event of a stored object.
func (d *motoProxy) forward(w http.ResponseWriter, r *http.Request) {
	bucket := stacktest.Blueprint().Bucket.Name
	key, stores := strings.CutPrefix(r.URL.Path, "/"+bucket+"/")
	seen := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
	d.moto.ServeHTTP(seen, r)
	if stores && r.Method == http.MethodPut && seen.status == http.StatusOK {
		if err := publishObjectEvent(context.WithoutCancel(r.Context()), d.host, bucket, key); err != nil {
			d.t.Error(err)
		}
	}
}

// statusRecorder records the status of a response.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader records the status.
func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// startMoto runs Loadbay's functions here and everything else on moto. If itsStates is set,
// moto also runs the state machine; otherwise the local interpreter does.
func startMoto(t *testing.T, itsStates bool) *installation {
	t.Helper()
	skipIfConfigured(t)
	d := &motoProxy{t: t}
	endpoint, ended := mototest.Start(t, func(moto http.Handler) http.Handler { d.moto = moto; return d })
	c := stacktest.AWSConfig(endpoint)
	maker := provision.New(c, stacktest.Blueprint())
	resources, err := maker.CreateStorage(t.Context())
	require.NoError(t, err)
	if itsStates {
		require.NoError(t, maker.CreateWorkflow(t.Context(), resources, lambdahost.ARN))
	} else {
		resources.StateMachine = local.MachineARN(stacktest.Blueprint().StateMachine.Name)
	}
	d.host = hostFunctions(t, endpoint, resources)
	if !itsStates {
		d.states = localInterpreter(t, d.host)
	}
	pollQueues(t, sqs.NewFromConfig(c), resources, d.host)
	return &installation{Client: serveAPI(t, d.host), states: sfn.NewFromConfig(c), machine: resources.StateMachine, ended: ended}
}

// localInterpreter returns the local Step Functions.
func localInterpreter(t *testing.T, host *lambdahost.Host) http.Handler {
	t.Helper()
	db, err := awsendpoint.OpenDatabase(filepath.Join(t.TempDir(), "aws.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	functions := map[string]string{}
	for _, f := range stacktest.Blueprint().Functions {
		functions[f.Name] = lambdahost.ARN(f.Name)
	}
	service, err := local.New(db, []local.Machine{{
		Name: stacktest.Blueprint().StateMachine.Name, Definition: statemachine.Import, Substitutions: functions,
	}}, host)
	require.NoError(t, err)
	require.NoError(t, service.Resume())
	t.Cleanup(service.Close)
	return awsjson.Handler(service)
}

func TestMotoStorage(t *testing.T) {
	t.Parallel()
	startMoto(t, false).runSuite(t)
}

// moto executes a state machine only once, so the test runs one import.
func TestMotoStateMachine(t *testing.T) {
	t.Parallel()
	p := startMoto(t, true)
	done := p.importFile(t.Context(), t, twoUsers)
	require.Equal(t, "COMPLETED", done.Status)
	require.Equal(t, int64(2), done.SuccessCount)
	require.Equal(t, expectedPath(), p.executionPath(t.Context(), t, done.Identifier))
}
