package main

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// arnsOfAccount are resources of the stage, with the arguments of the command that deletes each; none
// for those that disappear with the stacks, or belong to other regions and accounts.
var arnsOfAccount = map[string]string{
	"arn:aws:dynamodb:eu-central-1:123456789012:table/loadbay-coordination-dev":                  "dynamodb delete-table --table-name loadbay-coordination-dev",
	"arn:aws:dynamodb:eu-central-1:123456789012:table/loadbay-coordination-dev/backup/0170-abcd": "dynamodb delete-backup --backup-arn arn:aws:dynamodb:eu-central-1:123456789012:table/loadbay-coordination-dev/backup/0170-abcd",
	"arn:aws:ecr:eu-central-1:123456789012:repository/loadbay-dev":                               "ecr delete-repository --repository-name loadbay-dev --force",
	"arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555":             "kms schedule-key-deletion --key-id 11111111-2222-3333-4444-555555555555 --pending-window-in-days 7",
	"arn:aws:logs:eu-central-1:123456789012:log-group:/aws/lambda/loadbay-api-dev:*":             "logs delete-log-group --log-group-name /aws/lambda/loadbay-api-dev",
	"arn:aws:rds:eu-central-1:123456789012:auto-backup:ab-abcdefghijkl":                          "rds delete-db-instance-automated-backup --db-instance-automated-backups-arn arn:aws:rds:eu-central-1:123456789012:auto-backup:ab-abcdefghijkl",
	"arn:aws:rds:eu-central-1:123456789012:cluster-snapshot:loadbay-dev-final":                   "rds delete-db-cluster-snapshot --db-cluster-snapshot-identifier loadbay-dev-final",
	"arn:aws:rds:eu-central-1:123456789012:snapshot:loadbay-dev-final":                           "rds delete-db-snapshot --db-snapshot-identifier loadbay-dev-final",
	"arn:aws:s3:::loadbay-files-dev-123456789012-eu-central-1":                                   "s3api delete-bucket --bucket loadbay-files-dev-123456789012-eu-central-1",
	"arn:aws:secretsmanager:eu-central-1:123456789012:secret:loadbay-webhook-keys-dev-AbCdEf":    "secretsmanager delete-secret --secret-id arn:aws:secretsmanager:eu-central-1:123456789012:secret:loadbay-webhook-keys-dev-AbCdEf --force-delete-without-recovery",
	"arn:aws:sqs:eu-central-1:123456789012:loadbay-rows-dev":                                     "sqs delete-queue --queue-url https://sqs.eu-central-1.amazonaws.com/123456789012/loadbay-rows-dev",
	"arn:aws:ssm:eu-central-1:123456789012:parameter/loadbay/dev/database":                       "ssm delete-parameter --name /loadbay/dev/database",
	"arn:aws:ssm:eu-central-1:123456789012:parameter/loadbay-dev":                                "ssm delete-parameter --name loadbay-dev",
	"arn:aws:rds:eu-central-1:123456789012:snapshot:rds:loadbay-serverless-dev-2026-11-24-02-15": "",
	"arn:aws:lambda:eu-central-1:123456789012:function:loadbay-api-dev":                          "",
	"arn:aws:kms:eu-west-1:123456789012:key/99999999-2222-3333-4444-555555555555":                "",
	"arn:aws:secretsmanager:eu-central-1:999999999999:secret:loadbay-webhook-keys-dev-AbCdEf":    "",
}

func TestEachLeftoverHasItsCommand(t *testing.T) {
	t.Parallel()
	for arn, want := range arnsOfAccount {
		c, ok := validSettings().deleteCommand(strings.TrimSuffix(arn, ":*"))
		if require.Equal(t, want != "", ok, arn); ok {
			require.Equal(t, "aws "+want+" --region eu-central-1", strings.Join(c.args, " "))
		}
	}
}

// fakeServices answers in the wire formats of the services and records the calls: the operation and the
// body or path.
type fakeServices struct {
	mu    sync.Mutex
	calls []string
	gone  string // operation that does not find its resource
}

func (f *fakeServices) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	body := string(text)
	operation := r.Method
	if _, target, isJSON := strings.Cut(r.Header.Get("X-Amz-Target"), "."); isJSON {
		operation = target
	}
	if action, _, isQuery := strings.Cut(strings.TrimPrefix(body, "Action="), "&"); isQuery && strings.HasPrefix(body, "Action=") {
		operation = action
	}
	f.mu.Lock()
	f.calls = append(f.calls, operation+" "+r.URL.Path+" "+strings.NewReplacer("%3A", ":", "%2F", "/").Replace(body))
	f.mu.Unlock()
	switch {
	case operation == f.gone:
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"ResourceNotFoundException","message":"not there"}`)
	case operation == "DELETE":
		w.WriteHeader(http.StatusNoContent)
	case strings.HasPrefix(body, "Action="):
		_, _ = io.WriteString(w, "<"+operation+"Response><"+operation+"Result/></"+operation+"Response>")
	default:
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		_, _ = io.WriteString(w, "{}")
	}
}

// The aws command sends these, one or more for each wire format, to their services. Starting it takes
// a second, so the others are only compared with what it documents.
func TestAWSCommandDeletesLeftovers(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("aws"); err != nil {
		t.Skip("needs the aws command")
	}
	for arn, want := range map[string]string{
		"arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555": `ScheduleKeyDeletion / {"KeyId": "11111111-2222-3333-4444-555555555555", "PendingWindowInDays": 7}`,
		"arn:aws:logs:eu-central-1:123456789012:log-group:/aws/lambda/loadbay-api-dev":   `DeleteLogGroup / {"logGroupName": "/aws/lambda/loadbay-api-dev"}`,
		"arn:aws:rds:eu-central-1:123456789012:snapshot:loadbay-dev-final":               "DeleteDBSnapshot / Action=DeleteDBSnapshot&Version=2014-10-31&DBSnapshotIdentifier=loadbay-dev-final",
		"arn:aws:s3:::loadbay-files-dev-123456789012-eu-central-1":                       "DELETE /loadbay-files-dev-123456789012-eu-central-1 ",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			f := &fakeServices{gone: "DeleteLogGroup"}
			server := httptest.NewServer(f)
			defer server.Close()
			c, ok := validSettings().deleteCommand(arn)
			require.True(t, ok)
			c.env = []string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "AWS_MAX_ATTEMPTS=1"}
			c.args = append(c.args, "--endpoint-url", server.URL)
			_, err := execute(t.Context(), c)
			if strings.HasPrefix(want, f.gone) {
				require.True(t, isGone(err), "%v", err)
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, []string{want}, f.calls)
		})
	}
}

// Only what the check has made is deleted: not what was there before, nor log groups of other stages,
// nor what its stacks have removed.
func TestLeftoversOfCheckAreDeleted(t *testing.T) {
	t.Parallel()
	const older = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:older-AbCdEf"
	tagged := older
	logs := "/aws/lambda/unrelated /aws/lambda/loadbay-api-dev-north"
	w := &fakeAccount{id: "123456789012"}
	run := func(ctx context.Context, c command) (string, error) {
		if slices.Contains(c.args, "deploy") {
			tagged += "\n" + strings.Join(slices.Collect(maps.Keys(arnsOfAccount)), "\t")
			logs += " /aws/lambda/loadbay-wake-dev /aws/lambda/loadbay-dev-service-CustomS3 /aws/rds/cluster/loadbay-serverless-dev/postgresql" +
				" /aws/vendedlogs/states/loadbay-import-dev /loadbay/dev/network /loadbay/dev-north/network /aws/lambda/loadbay-api-prod"
		}
		w.outputs = map[string]string{"resourcegroupstaggingapi": tagged, "describe-log-groups": logs}
		return w.run(ctx, c)
	}
	require.NoError(t, check(t.Context(), validSettings(), w, agree, run))
	text := strings.Join(w.commands, "\n")
	for _, name := range []string{
		"/aws/lambda/loadbay-wake-dev", "/aws/lambda/loadbay-dev-service-CustomS3", "/aws/lambda/loadbay-api-dev", "/aws/rds/cluster/loadbay-serverless-dev/postgresql",
		"/aws/vendedlogs/states/loadbay-import-dev", "/loadbay/dev/network",
	} {
		require.Contains(t, text, "aws logs delete-log-group --log-group-name "+name+" --region eu-central-1\n")
	}
	require.Equal(t, 6, strings.Count(text, "delete-log-group"))
	require.NotContains(t, text, older)
	require.Equal(t, "aws kms schedule-key-deletion --key-id 11111111-2222-3333-4444-555555555555 --pending-window-in-days 7 --region eu-central-1", w.commands[len(w.commands)-2])
	require.Equal(t, deleteBudget, w.commands[len(w.commands)-1])

	w.failsOn = "delete-secret"
	require.ErrorContains(t, check(t.Context(), validSettings(), w, agree, func(ctx context.Context, c command) (string, error) {
		if slices.Contains(c.args, "deploy") {
			tagged, logs = older+"\n"+older[:len(older)-1]+"g", ""
		}
		return run(ctx, c)
	}), "older-AbCdEg remains: refused")
	require.NotContains(t, w.commands[len(w.commands)-1], "delete-budget")
}

// The files that the CDK has uploaded for the check are deleted, and no others: not those that it found
// in the bucket, nor those of other stages.
func TestUploadedFilesAreDeleted(t *testing.T) {
	t.Parallel()
	const bucket = "cdk-hnb659fds-assets-123456789012-eu-central-1"
	s := validSettings()
	s.assembly = t.TempDir()
	manifest := `{"version": "54.0.0", "dockerImages": {}, "files": {
		"1a": {"source": {"path": "asset.1a"}, "destinations": {"current": {"bucketName": "cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}", "objectKey": "1a.zip", "region": "x"}}},
		"2b": {"destinations": {"current": {"bucketName": "cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}", "objectKey": "2b.json"}}}}}`
	require.NoError(t, os.WriteFile(filepath.Join(s.assembly, "loadbay-dev-service.assets.json"), []byte(manifest), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(s.assembly, "loadbay-prod-service.assets.json"), []byte(strings.ReplaceAll(manifest, "1a", "3c")), 0o600))
	w := &fakeAccount{id: "123456789012", outputs: map[string]string{
		"list-object-versions": "1a.zip\tv1\t" + time.Now().UTC().Format(time.RFC3339) + "\n2b.json\tv2\t2026-01-01T00:00:00+00:00\n3c.zip\tv3\t2999-01-01T00:00:00.000Z\n1a.zip\tv4\t2999-01-01T00:00:00.000Z\n",
	}}
	require.NoError(t, check(t.Context(), s, w, agree, w.run))
	var deleted []string
	for _, line := range w.commands {
		if strings.Contains(line, "delete-object") {
			deleted = append(deleted, line)
		}
	}
	require.Equal(t, []string{
		"aws s3api delete-object --region eu-central-1 --bucket " + bucket + " --key 1a.zip --version-id v1",
		"aws s3api delete-object --region eu-central-1 --bucket " + bucket + " --key 1a.zip --version-id v4",
	}, deleted)

	w.failsOn = "delete-object"
	require.ErrorContains(t, check(t.Context(), s, w, agree, w.run), bucket+"/1a.zip remains: refused")
}
