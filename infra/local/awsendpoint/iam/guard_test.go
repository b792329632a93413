package iam_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadbay/loadbay/shared/aws/sdkhttp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	eventtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/iam"
)

const machine = "arn:aws:states:us-east-1:000000000000:stateMachine:m"

// harness is a guard in front of an endpoint that accepts everything.
type harness struct {
	url  string
	keys iam.Keys
	uses []iam.Use
	// tagged contains objects with tags, missing those that do not exist.
	tagged, missing map[string]bool
}

// setup creates one role with the grants "action resource".
func setup(t *testing.T, grants ...string) *harness {
	t.Helper()
	keys, err := iam.OpenKeys(filepath.Join(t.TempDir(), "key"))
	require.NoError(t, err)
	w := &harness{keys: keys, tagged: map[string]bool{}, missing: map[string]bool{}}
	var policy blueprint.Policy
	for _, g := range grants {
		action, resource, _ := strings.Cut(g, " ")
		policy.Statement = append(policy.Statement, blueprint.Statement{Effect: blueprint.Allow, Action: []blueprint.Action{blueprint.Action(action)}, Resource: []string{resource}})
	}
	a, err := iam.New(iam.Config{
		Keys: keys, AccessKey: "admin", SecretKey: "admin's", Deployment: blueprint.LocalDeployment(),
		Roles:  map[string]blueprint.Policy{"worker": policy},
		Record: func(u iam.Use) { w.uses = append(w.uses, u) },
	})
	require.NoError(t, err)
	endpoint := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if w.missing[r.URL.Path] {
			rw.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(rw, "<Error><Code>NoSuchKey</Code></Error>")
			return
		}
		if r.Header.Get("X-Amz-Target") != "" {
			_, _ = io.WriteString(rw, "{}")
		}
	})
	server := httptest.NewServer(a.Guard(endpoint, machine, func(_ context.Context, bucket, key string) (bool, error) { return w.tagged[bucket+"/"+key], nil }))
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

func (w *harness) clientConfig(access, secret string) aws.Config {
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: &w.url, RetryMaxAttempts: 1, HTTPClient: sdkhttp.New(nil),
		Credentials: credentials.NewStaticCredentialsProvider(access, secret, ""),
	}
}

func (w *harness) workerConfig() aws.Config {
	access := iam.AccessKey("worker")
	return w.clientConfig(access, w.keys.Secret(access))
}

// codeOf returns a service's error code, or "".
func codeOf(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var fault smithy.APIError
	require.ErrorAs(t, err, &fault, "%v", err)
	return fault.ErrorCode()
}

const (
	arnQueue    = "arn:aws:sqs:us-east-1:000000000000:q"
	arnTable    = "arn:aws:dynamodb:us-east-1:000000000000:table/t"
	arnBus      = "arn:aws:events:us-east-1:000000000000:event-bus/b"
	arnFunction = "arn:aws:lambda:us-east-1:000000000000:function:f"
	arnRun      = "arn:aws:states:us-east-1:000000000000:execution:m:one"
	arnBucket   = "arn:aws:s3:::files"
)

// grantedCalls contains every kind of call that functions make, with the required grants.
// Without any one of these the call is denied in the format of its service.
func grantedCalls() map[string]struct {
	needs []string
	code  string
	call  func(context.Context, aws.Config) error
} {
	objects := func(c aws.Config) *s3.Client {
		return s3.NewFromConfig(c, func(o *s3.Options) { o.UsePathStyle = true })
	}
	bucket, queue := aws.String("files"), aws.String("http://x/000000000000/q")
	const json, xml = "AccessDeniedException", "AccessDenied"
	return map[string]struct {
		needs []string
		code  string
		call  func(context.Context, aws.Config) error
	}{
		"send": {[]string{"sqs:SendMessage " + arnQueue}, json, func(ctx context.Context, c aws.Config) error {
			_, err := sqs.NewFromConfig(c, func(o *sqs.Options) { o.DisableMessageChecksumValidation = true }).SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: queue, MessageBody: aws.String("x")})
			return err
		}},
		"postpone a batch": {[]string{"sqs:ChangeMessageVisibility " + arnQueue}, json, func(ctx context.Context, c aws.Config) error {
			_, err := sqs.NewFromConfig(c).ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{
				QueueUrl: queue, Entries: []sqstypes.ChangeMessageVisibilityBatchRequestEntry{{Id: aws.String("1"), ReceiptHandle: aws.String("r")}},
			})
			return err
		}},
		"put an item": {[]string{"dynamodb:PutItem " + arnTable}, json, func(ctx context.Context, c aws.Config) error {
			_, err := dynamodb.NewFromConfig(c).PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("t"), Item: map[string]types.AttributeValue{"k": &types.AttributeValueMemberS{Value: "v"}}})
			return err
		}},
		"publish": {[]string{"events:PutEvents " + arnBus}, json, func(ctx context.Context, c aws.Config) error {
			_, err := eventbridge.NewFromConfig(c).PutEvents(ctx, &eventbridge.PutEventsInput{Entries: []eventtypes.PutEventsRequestEntry{{EventBusName: aws.String("b")}}})
			return err
		}},
		"start": {[]string{"states:StartExecution " + machine}, json, func(ctx context.Context, c aws.Config) error {
			_, err := sfn.NewFromConfig(c).StartExecution(ctx, &sfn.StartExecutionInput{StateMachineArn: aws.String(machine)})
			return err
		}},
		"stop": {[]string{"states:StopExecution " + arnRun}, json, func(ctx context.Context, c aws.Config) error {
			_, err := sfn.NewFromConfig(c).StopExecution(ctx, &sfn.StopExecutionInput{ExecutionArn: aws.String(arnRun)})
			return err
		}},
		"answer a task": {[]string{"states:SendTaskSuccess " + machine}, json, func(ctx context.Context, c aws.Config) error {
			_, err := sfn.NewFromConfig(c).SendTaskSuccess(ctx, &sfn.SendTaskSuccessInput{TaskToken: aws.String("t"), Output: aws.String("{}")})
			return err
		}},
		"invoke": {[]string{"lambda:InvokeFunction " + arnFunction}, json, func(ctx context.Context, c aws.Config) error {
			_, err := lambda.NewFromConfig(c).Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String("f")})
			return err
		}},
		"invoke by ARN": {[]string{"lambda:InvokeFunction " + arnFunction}, json, func(ctx context.Context, c aws.Config) error {
			_, err := lambda.NewFromConfig(c).Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String(arnFunction)})
			return err
		}},
		"read": {[]string{"s3:GetObject " + arnBucket + "/a/*"}, xml, func(ctx context.Context, c aws.Config) error {
			_, err := objects(c).GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String("a/b c+d")})
			return err
		}},
		"write with tags": {[]string{"s3:PutObject " + arnBucket + "/a/*", "s3:PutObjectTagging " + arnBucket + "/a/*"}, xml, func(ctx context.Context, c aws.Config) error {
			_, err := objects(c).PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("a/b"), Tagging: aws.String("a=b"), Body: bytes.NewReader([]byte("x"))})
			return err
		}},
		"copy with tags": {[]string{
			"s3:GetObject " + arnBucket + "/tagged/*", "s3:GetObjectTagging " + arnBucket + "/tagged/*",
			"s3:PutObject " + arnBucket + "/a/*", "s3:PutObjectTagging " + arnBucket + "/a/*",
		}, xml, func(ctx context.Context, c aws.Config) error {
			_, err := objects(c).CopyObject(ctx, &s3.CopyObjectInput{Bucket: bucket, Key: aws.String("a/b"), CopySource: aws.String("files/tagged/" + url.PathEscape("ü 1"))})
			return ignoreBody(err)
		}},
		"copy": {[]string{"s3:GetObject " + arnBucket + "/b/*", "s3:PutObject " + arnBucket + "/a/*"}, xml, func(ctx context.Context, c aws.Config) error {
			_, err := objects(c).CopyObject(ctx, &s3.CopyObjectInput{Bucket: bucket, Key: aws.String("a/b"), CopySource: aws.String("files/b/1")})
			return ignoreBody(err)
		}},
		"begin parts": {[]string{"s3:PutObject " + arnBucket + "/a/*"}, xml, func(ctx context.Context, c aws.Config) error {
			_, err := objects(c).CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: bucket, Key: aws.String("a/b")})
			return ignoreBody(err)
		}},
		"send a part": {[]string{"s3:PutObject " + arnBucket + "/a/*"}, xml, func(ctx context.Context, c aws.Config) error {
			_, err := objects(c).UploadPart(ctx, &s3.UploadPartInput{Bucket: bucket, Key: aws.String("a/b"), UploadId: aws.String("u"), PartNumber: aws.Int32(1), Body: strings.NewReader("x")})
			return err
		}},
		"list parts": {[]string{"s3:ListMultipartUploadParts " + arnBucket + "/a/*"}, xml, func(ctx context.Context, c aws.Config) error {
			_, err := objects(c).ListParts(ctx, &s3.ListPartsInput{Bucket: bucket, Key: aws.String("a/b"), UploadId: aws.String("u")})
			return ignoreBody(err)
		}},
		"abort parts": {[]string{"s3:AbortMultipartUpload " + arnBucket + "/a/*"}, xml, func(ctx context.Context, c aws.Config) error {
			_, err := objects(c).AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: bucket, Key: aws.String("a/b"), UploadId: aws.String("u")})
			return err
		}},
		"delete": {[]string{"s3:DeleteObject " + arnBucket + "/a/*"}, xml, func(ctx context.Context, c aws.Config) error {
			_, err := objects(c).DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: aws.String("a/b")})
			return err
		}},
		"delete several": {[]string{"s3:DeleteObject " + arnBucket + "/a/*", "s3:DeleteObject " + arnBucket + "/b/*"}, xml, func(ctx context.Context, c aws.Config) error {
			_, err := objects(c).DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: bucket, Delete: &s3types.Delete{
				Objects: []s3types.ObjectIdentifier{{Key: aws.String("a/1")}, {Key: aws.String("b/1")}},
			}})
			return ignoreBody(err)
		}},
		"list": {[]string{"s3:ListBucket " + arnBucket}, xml, func(ctx context.Context, c aws.Config) error {
			_, err := objects(c).ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: bucket, Prefix: aws.String("a/")})
			return ignoreBody(err)
		}},
	}
}

// ignoreBody keeps only denials: the endpoint's responses are empty instead of XML.
func ignoreBody(err error) error {
	var fault smithy.APIError
	if errors.As(err, &fault) {
		return err
	}
	return nil
}

func TestRoleIsLimitedToPolicy(t *testing.T) {
	t.Parallel()
	for name, c := range grantedCalls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := setup(t, c.needs...)
			whole.tagged["files/tagged/ü 1"] = true
			require.NoError(t, c.call(t.Context(), whole.workerConfig()))
			require.Len(t, whole.uses, len(c.needs))
			for i := range c.needs {
				rest := append(append([]string{}, c.needs[:i]...), c.needs[i+1:]...)
				lacking := setup(t, rest...)
				lacking.tagged["files/tagged/ü 1"] = true
				err := c.call(t.Context(), lacking.workerConfig())
				require.Equal(t, c.code, codeOf(t, err), "without %s", c.needs[i])
				require.ErrorContains(t, err, "is not authorized to perform: "+strings.Fields(c.needs[i])[0])
				require.NoError(t, c.call(t.Context(), lacking.clientConfig("admin", "admin's")))
			}
		})
	}
}

func TestWrongSignaturesAreRefused(t *testing.T) {
	t.Parallel()
	w := setup(t, "sqs:SendMessage "+arnQueue, "lambda:InvokeFunction "+arnFunction)
	for name, c := range map[string]struct{ access, secret string }{
		"another key's secret":                 {iam.AccessKey("worker"), w.keys.Secret(iam.AccessKey("other"))},
		"administrator's key, worker's secret": {"admin", w.keys.Secret(iam.AccessKey("worker"))},
		"role name as the key":                 {"worker", "x"},
	} {
		err := grantedCalls()["send"].call(t.Context(), w.clientConfig(c.access, c.secret))
		require.Equal(t, "InvalidSignatureException", codeOf(t, err), name)
	}
	stranger := iam.AccessKey("stranger")
	require.Equal(t, "AccessDeniedException", codeOf(t, grantedCalls()["send"].call(t.Context(), w.clientConfig(stranger, w.keys.Secret(stranger)))))

	for path, status := range map[string]int{"/2015-03-31/functions/f/invocations": http.StatusForbidden, "/files/key": http.StatusForbidden} {
		answer, err := http.Post(w.url+path, "application/json", strings.NewReader("{}"))
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, status, answer.StatusCode, path)
	}
}

// A modified body does not match the signature.
func TestChangedBodyIsRefused(t *testing.T) {
	t.Parallel()
	w := setup(t, "sqs:SendMessage "+arnQueue)
	c := w.workerConfig()
	c.HTTPClient = bodyAlterer{}
	require.Equal(t, "InvalidSignatureException", codeOf(t, grantedCalls()["send"].call(t.Context(), c)))
}

type bodyAlterer struct{}

func (bodyAlterer) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(body, []byte("x"), []byte("y"))))
	return http.DefaultClient.Do(r)
}

// Without permission to list a bucket, a caller cannot find out which objects exist.
func TestMissingObjectIsForbiddenWithoutList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		grants []string
		code   string
	}{
		{[]string{"s3:GetObject " + arnBucket + "/*"}, "AccessDenied"},
		{[]string{"s3:GetObject " + arnBucket + "/*", "s3:ListBucket " + arnBucket}, "NoSuchKey"},
	} {
		w := setup(t, c.grants...)
		w.missing["/files/a"] = true
		client := s3.NewFromConfig(w.workerConfig(), func(o *s3.Options) { o.UsePathStyle = true })
		_, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("files"), Key: aws.String("a")})
		require.Equal(t, c.code, codeOf(t, err))
	}
}

// An address signed by a role has the permissions of the role.
func TestSignedURLHasSignerPermissions(t *testing.T) {
	t.Parallel()
	w := setup(t, "s3:GetObject "+arnBucket+"/a/*")
	presign := s3.NewPresignClient(s3.NewFromConfig(w.workerConfig(), func(o *s3.Options) { o.UsePathStyle = true }))
	for key, status := range map[string]int{"a/1": http.StatusOK, "b/1": http.StatusForbidden} {
		signed, err := presign.PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("files"), Key: &key})
		require.NoError(t, err)
		answer, err := http.Get(signed.URL)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, status, answer.StatusCode, key)
	}
}

func TestKeysSurviveReopening(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	first, err := iam.OpenKeys(path)
	require.NoError(t, err)
	again, err := iam.OpenKeys(path)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.NotEqual(t, first.Secret("role-a"), first.Secret("role-b"))
	role, ok := iam.RoleOf(iam.AccessKey("a"))
	require.True(t, ok)
	require.Equal(t, "a", role)
}

func TestUsesRoundTrip(t *testing.T) {
	t.Parallel()
	want := []iam.Use{{Role: "a", Action: "s3:GetObject", Allowed: true, Resource: "arn:x/*"}, {Role: "b", Action: "sqs:SendMessage", Resource: "arn:y z"}}
	got, err := iam.ReadUses(strings.NewReader(want[0].String() + "\n" + want[1].String() + "\n"))
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = iam.ReadUses(strings.NewReader("nonsense\n"))
	require.Error(t, err)
}
