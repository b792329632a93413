package stack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadbay/loadbay/shared/aws/sdkhttp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// waitTimeout limits every wait for an expected event.
const waitTimeout = 2 * time.Minute

// Environment variables that TestMain passes to the program that acts as a stack.
const (
	binEnv  = "STACK_TEST_BIN"
	hostEnv = "STACK_TEST_HOST" // the data folder
)

func TestMain(m *testing.M) {
	if played, err := stack.RunIfChild(os.Args); played {
		exitWithStatus(err)
	}
	if dir := os.Getenv(hostEnv); dir != "" {
		exitWithStatus(runHost(dir))
	}
	if flag.Parse(); testing.Short() {
		fmt.Println("skipped: these tests start whole stacks, which -short leaves out")
		return
	}
	os.Exit(buildAndRun(m))
}

func exitWithStatus(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// buildAndRun builds one function and installs it under the names of all functions.
func buildAndRun(m *testing.M) int {
	bin, err := os.MkdirTemp("", "stack-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(bin) }()
	binary := filepath.Join(bin, "function")
	build := exec.Command("go", "build", "-tags", "lambda.norpc", "-o", binary, "./testdata/function")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	for _, f := range blueprint.New().Functions {
		if err := os.Mkdir(filepath.Join(bin, f.Name), 0o755); err != nil {
			panic(err)
		}
		if err := os.Symlink(binary, filepath.Join(bin, f.Name, "bootstrap")); err != nil {
			panic(err)
		}
	}
	if err := os.Setenv(binEnv, bin); err != nil {
		panic(err)
	}
	return m.Run()
}

// runHost runs a stack, prints the processes and addresses, and waits to be killed.
func runHost(dir string) error {
	c, err := config(dir)
	if err != nil {
		return err
	}
	s, err := stack.Start(context.Background(), c)
	if err != nil {
		return err
	}
	fmt.Println(s.APIURL, s.AWSURL)
	return <-s.Failed()
}

func config(dir string) (stack.Config, error) {
	child, err := stack.ChildCommand()
	return stack.Config{
		DataDir: dir, BinDir: os.Getenv(binEnv), S3Command: child, Postgres: pglaunch.ThrowawaySettings(),
		Setting: func(name string) (string, bool) {
			value, set := map[string]string{"QUOTA_STREAMS": "3"}[name]
			return value, set
		},
	}, err
}

// harness is a running stack with clients.
type harness struct {
	*stack.Stack
	dir string
	s3  *s3.Client
	sqs *sqs.Client
}

func startStack(t *testing.T, dir string, change ...func(*stack.Config)) *harness {
	t.Helper()
	c, err := config(dir)
	require.NoError(t, err)
	for _, apply := range change {
		apply(&c)
	}
	s, err := stack.Start(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	return newHarness(s, dir)
}

func newHarness(s *stack.Stack, dir string) *harness {
	c := aws.Config{
		Region: "us-east-1", BaseEndpoint: &s.AWSURL, HTTPClient: sdkhttp.New(nil),
		Credentials: credentials.NewStaticCredentialsProvider("local", "locallocal", ""),
	}
	return &harness{
		Stack: s, dir: dir, sqs: sqs.NewFromConfig(c),
		s3: s3.NewFromConfig(c, func(o *s3.Options) { o.UsePathStyle = true }),
	}
}

func (b *harness) get(t *testing.T, path string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.APIURL+path, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

// waitLogged waits for an entry in a function's log that contains all these texts.
func (b *harness) waitLogged(t *testing.T, function string, texts ...string) string {
	t.Helper()
	var found string
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(filepath.Join(b.dir, "logs", function+".log"))
		if err != nil {
			return false
		}
		for line := range strings.Lines(string(text)) {
			found = line
			if containsAll(line, texts) {
				return true
			}
		}
		return false
	}, waitTimeout, 5*time.Millisecond, "%s never logged %q", function, texts)
	return found
}

func containsAll(line string, texts []string) bool {
	for _, text := range texts {
		if !strings.Contains(line, text) {
			return false
		}
	}
	return true
}

var (
	deployment = blueprint.LocalDeployment()
	bucket     = deployment.Bucket(blueprint.New().Bucket.Name)
)

func (b *harness) send(t *testing.T, queue, body string) {
	t.Helper()
	_, err := b.sqs.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(deployment.Name(queue)), MessageBody: &body})
	require.NoError(t, err)
}

func (b *harness) put(t *testing.T, key, body string) {
	t.Helper()
	_, err := b.s3.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(bucket), Key: &key, Body: bytes.NewReader([]byte(body)),
	})
	require.NoError(t, err)
}

func TestStackMatchesBlueprint(t *testing.T) {
	t.Parallel()
	b := startStack(t, t.TempDir())

	t.Run("API function receives its environment", func(t *testing.T) {
		status, body := b.get(t, "/api/imports?page=1")
		require.Equal(t, http.StatusOK, status)
		var env []string
		require.NoError(t, json.Unmarshal([]byte(body), &env))
		for _, want := range []string{
			"AWS_ENDPOINT_URL=" + b.AWSURL, "QUOTA_STREAMS=3", "BUCKET=loadbay-files-local-000000000000-us-east-1", "COORDINATION_TABLE=loadbay-coordination-local", "LOG_LEVEL=INFO",
			"STATE_MACHINE_ARN=arn:aws:states:us-east-1:000000000000:stateMachine:loadbay-import-local",
		} {
			require.Contains(t, env, want)
		}
		require.NotContains(t, body, "QUOTA_OPEN_IMPORTS", "unset variables keep their default")
		require.Contains(t, body, "DATABASE_URL=postgres://loadbay_app:")
		require.NotContains(t, body, "LOADBAY_MAINTENANCE_PASSWORD", "only migrate receives the passwords")
		b.waitLogged(t, "api", `"rawPath":"/api/imports"`, `"organisation_id":"1"`, `"scope":"`+strings.Join(blueprint.Scopes(), " "))
	})
	t.Run("requests with a foreign host are refused", func(t *testing.T) {
		for _, address := range []string{b.APIURL + "/api/imports", b.APIURL + "/local/token", b.APIURL + "/local/figures", b.APIURL + "/metrics", b.AWSURL + "/", b.AWSURL + awsendpoint.HealthPath} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
			require.NoError(t, err)
			r.Host = "rebound.example:8080"
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusMisdirectedRequest, response.StatusCode, address)
		}
	})
	t.Run("stored object becomes an event", func(t *testing.T) {
		b.put(t, "uploads/1/a b+c.csv", "x")
		b.waitLogged(t, "enqueue", `"detail-type":"Object Created"`, `"source":"aws.s3"`, `"key":"uploads/1/a b+c.csv"`, `"name":"loadbay-files-local-000000000000-us-east-1"`,
			`"size":1`, `"etag":"9dd4e461268c8034f5c8564e155c67a6"`, `"reason":"PutObject"`, `"resources":["arn:aws:s3:::loadbay-files-local-000000000000-us-east-1"]`)
	})
	t.Run("failed object event goes to the dead-letter queue", func(t *testing.T) {
		b.put(t, "drop/poison.csv", "x")
		queue := deployment.Name(blueprint.EventsDeadLetters)
		var out *sqs.ReceiveMessageOutput
		require.Eventually(t, func() bool {
			var err error
			out, err = b.sqs.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &queue, WaitTimeSeconds: 5})
			return err == nil && len(out.Messages) == 1
		}, waitTimeout, time.Millisecond)
		require.Contains(t, *out.Messages[0].Body, `"key":"drop/poison.csv"`)
	})
	t.Run("message reaches its function", func(t *testing.T) {
		b.send(t, blueprint.RowsQueue, `{"job":1}`)
		b.waitLogged(t, "process", `"body":"{\"job\":1}"`, `"eventSourceARN":"arn:aws:sqs:us-east-1:000000000000:loadbay-rows-local"`)
	})
	t.Run("schedules invoke functions", func(t *testing.T) {
		b.waitLogged(t, "wake", `"detail-type":"Scheduled Event"`, `rule/loadbay-wake-local"`)
	})
	t.Run("metrics are reported", func(t *testing.T) {
		_, body := b.get(t, "/metrics")
		require.Contains(t, body, `loadbay_function_invocations_total{function="migrate"} 1`)
		_, body = b.get(t, "/local/figures")
		require.Contains(t, body, `"migrate":{"invocations":1`)
	})
	t.Run("addresses are written to the folder", func(t *testing.T) {
		for file, url := range map[string]string{stack.APIFile: b.APIURL, stack.AWSFile: b.AWSURL} {
			content, err := os.ReadFile(filepath.Join(b.dir, file))
			require.NoError(t, err)
			require.Equal(t, url+"\n", string(content))
		}
	})
	t.Run("folder is locked by the running stack", func(t *testing.T) {
		c, err := config(b.dir)
		require.NoError(t, err)
		_, err = stack.Start(t.Context(), c)
		require.ErrorContains(t, err, fmt.Sprintf("another stack is running on %s (process %d)", b.dir, os.Getpid()))
	})
}

// RDS offers no superuser, and row-level security does not apply to superusers: no function
// connects as one, not even migrate.
func TestFunctionsAreNotSuperusers(t *testing.T) {
	t.Parallel()
	b := startStack(t, t.TempDir())
	environment := func(name string) map[string]string {
		f, ok := blueprint.New().Function(name)
		require.True(t, ok)
		env, err := b.Environment(f)
		require.NoError(t, err)
		return env
	}
	env := environment("migrate")
	owner, err := pgx.ParseConfig(env["DATABASE_URL"])
	require.NoError(t, err)
	_, err = schema.Migrate(t.Context(), owner, schema.Roles(schema.Passwords{
		App: env["LOADBAY_APP_PASSWORD"], Maintenance: env["LOADBAY_MAINTENANCE_PASSWORD"], Operator: env["LOADBAY_OPERATOR_PASSWORD"],
	}))
	require.NoError(t, err)
	users := map[string]string{}
	for _, f := range blueprint.New().Functions {
		if f.Database != blueprint.NoDatabase {
			users[f.Name] = databaseUser(t, environment(f.Name)["DATABASE_URL"])
		}
	}
	require.Equal(t, "loadbay_owner", users["migrate"])
	delete(users, "migrate")
	require.Equal(t, "loadbay_operator", users["admin"])
	delete(users, "admin")
	for function, user := range users {
		require.NotContains(t, []string{"loadbay_owner", "loadbay_operator"}, user, function)
	}
}

// databaseUser returns the user of a connection URL. It fails the test if the user is a
// superuser or exempt from row-level security.
func databaseUser(t *testing.T, address string) (user string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	var exempt bool
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT rolname, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = session_user`).Scan(&user, &exempt))
	require.NoError(t, conn.Close(t.Context()))
	require.False(t, exempt, user)
	return user
}

// A cluster created by a release in which a superuser owned the schema gets the new owner.
func TestSuperuserSchemaChangesOwner(t *testing.T) {
	t.Parallel()
	server, err := pglaunch.Start(t.Context(), pglaunch.Config{Dir: t.TempDir(), Settings: pglaunch.ThrowawaySettings()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	superuser, err := pgx.ParseConfig(server.AdminURL(""))
	require.NoError(t, err)
	_, err = schema.Migrate(t.Context(), superuser, schema.Roles(schema.Passwords{App: "a"}))
	require.NoError(t, err)
	b := startStack(t, t.TempDir(), func(c *stack.Config) { c.DatabaseURL = server.AdminURL("") })
	f, _ := blueprint.New().Function("migrate")
	env, err := b.Environment(f)
	require.NoError(t, err)
	require.Equal(t, "loadbay_owner", databaseUser(t, env["DATABASE_URL"]))
	owner, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, owner.Close(context.Background())) })
	for _, sql := range []string{
		`ALTER TABLE loadbay.organisations ADD COLUMN later text`, `DROP PROCEDURE loadbay.admit_operator`, `ALTER ROLE loadbay_app SET statement_timeout = '61s'`,
	} {
		_, err = owner.Exec(t.Context(), sql)
		require.NoError(t, err, "later migrations can make this change")
	}
}

func TestCrashedDatabaseIsRestarted(t *testing.T) {
	t.Parallel()
	b := startStack(t, t.TempDir())
	before := b.Postgres().PID()
	require.NoError(t, syscall.Kill(before, syscall.SIGKILL))
	require.Eventually(t, func() bool {
		return b.Postgres().PID() != before && pglaunch.Ping(t.Context(), b.Postgres().AdminURL("")) == nil
	}, waitTimeout, 10*time.Millisecond)
}

func TestStoppedStackResumes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := startStack(t, dir)
	first.put(t, "results/kept", "x")
	require.NoError(t, first.Stop(t.Context()))
	require.NoError(t, first.Stop(t.Context()), "Stop can be called twice")
	_, err := http.Get(first.APIURL)
	require.Error(t, err, "the API no longer listens")
	require.NoFileExists(t, filepath.Join(dir, stack.APIFile))
	require.NoFileExists(t, filepath.Join(dir, stack.AWSFile))

	second := startStack(t, dir)
	out, err := second.s3.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("results/kept")})
	require.NoError(t, err)
	require.NoError(t, out.Body.Close())
}

func TestFailedStartCleansUp(t *testing.T) {
	t.Parallel()
	other := startStack(t, t.TempDir())
	for want, change := range map[string]func(*stack.Config){
		"set API_ADDR to another address":       func(c *stack.Config) { c.APIAddr = strings.TrimPrefix(other.APIURL, "http://") },
		"set AWS_ADDR to another address":       func(c *stack.Config) { c.AWSAddr = strings.TrimPrefix(other.AWSURL, "http://") },
		"functions not built in":                func(c *stack.Config) { c.BinDir = t.TempDir() },
		"DATABASE_URL is not of the form":       func(c *stack.Config) { c.DatabaseURL = "nonsense" },
		"seed: no seed":                         func(c *stack.Config) { c.Seed = func(context.Context, string) error { return errors.New("no seed") } },
		"DataDir, BinDir and S3Command are":     func(c *stack.Config) { c.S3Command = nil },
		"blueprint: function api: negative con": func(c *stack.Config) { c.Blueprint = brokenConfig() },
	} {
		dir := t.TempDir()
		c, err := config(dir)
		require.NoError(t, err)
		change(&c)
		_, err = stack.Start(t.Context(), c)
		require.ErrorContains(t, err, want)
		require.Empty(t, processesIn(t, dir), want)
	}
}

func brokenConfig() *blueprint.Blueprint {
	b := blueprint.New()
	b.Functions[0].Concurrency = -1
	return b
}

func TestExternalDatabaseIsLeftRunning(t *testing.T) {
	t.Parallel()
	server, err := pglaunch.Start(t.Context(), pglaunch.Config{Dir: t.TempDir(), Settings: pglaunch.ThrowawaySettings()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	dir := t.TempDir()
	b := startStack(t, dir, func(c *stack.Config) { c.DatabaseURL = server.AdminURL("") })
	require.NoError(t, b.Stop(t.Context()))
	require.NoError(t, pglaunch.Ping(t.Context(), server.AdminURL("")))
	require.NoDirExists(t, filepath.Join(dir, "postgres"))
}

func TestKilledStackLeavesNoProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	host := exec.Command(os.Args[0])
	host.Env = append(os.Environ(), hostEnv+"="+dir)
	host.Stderr = os.Stderr
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	t.Cleanup(func() { _ = host.Process.Kill(); _ = host.Wait() })
	killed := &stack.Stack{}
	_, err = fmt.Fscan(out, &killed.APIURL, &killed.AWSURL)
	require.NoError(t, err)
	newHarness(killed, dir).send(t, blueprint.EventsDeadLetters, "kept")
	require.NotEmpty(t, processesIn(t, dir))

	require.NoError(t, host.Process.Kill())
	_ = host.Wait()
	require.Eventually(t, func() bool { return len(processesIn(t, dir)) == 0 }, waitTimeout, 10*time.Millisecond)

	b := startStack(t, dir)
	queue := deployment.Name(blueprint.EventsDeadLetters)
	received, err := b.sqs.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &queue, WaitTimeSeconds: 5})
	require.NoError(t, err)
	require.Len(t, received.Messages, 1)
}

// processesIn lists all processes, except this one, that have a folder as their working
// directory or in their arguments or environment: servers, functions, the object store.
func processesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	var found []string
	for _, entry := range entries {
		if filepath.Base(entry) == fmt.Sprint(os.Getpid()) {
			continue
		}
		cwd, _ := os.Readlink(filepath.Join(entry, "cwd")) // unreadable: the process has ended
		arguments, _ := os.ReadFile(filepath.Join(entry, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(entry, "environ"))
		if strings.HasPrefix(cwd, dir) || bytes.Contains(arguments, []byte(dir)) || bytes.Contains(env, []byte(dir)) {
			found = append(found, entry+" "+string(bytes.ReplaceAll(arguments, []byte{0}, []byte(" "))))
		}
	}
	return found
}
