package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/stretchr/testify/require"
)

// fakeAWS answers in the wire formats of the services. Replies replace those of an account that has
// everything, by operation.
type fakeAWS struct {
	replies map[string]reply

	mu    sync.Mutex
	calls []string
	forms map[string]url.Values
}

type reply struct {
	status int
	body   string
}

func queryXML(operation, result string) string {
	return fmt.Sprintf(`<%[1]sResponse xmlns="https://example.com/doc/"><%[1]sResult>%[2]s</%[1]sResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></%[1]sResponse>`, operation, result)
}

func queryError(code string) reply {
	return reply{404, `<ErrorResponse><Error><Type>Sender</Type><Code>` + code + `</Code><Message>not there</Message></Error><RequestId>r</RequestId></ErrorResponse>`}
}

// complete is an account to which prod can be deployed.
var complete = map[string]reply{
	"GetCallerIdentity":         {200, queryXML("GetCallerIdentity", `<Account>123456789012</Account><UserId>u</UserId><Arn>arn:aws:sts::123456789012:assumed-role/Admin/ada</Arn>`)},
	"GetParameter":              {200, `{"Parameter":{"Name":"/cdk-bootstrap/hnb659fds/version","Value":"28"}}`},
	"GetAccountSettings":        {200, `{"AccountLimit":{"ConcurrentExecutions":1000,"UnreservedConcurrentExecutions":1000}}`},
	"GetFunctionConfiguration":  {404, `{"Type":"User","Message":"Function not found"}`},
	"DescribeVpcs":              {200, `<DescribeVpcsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId><vpcSet><item><vpcId>vpc-1</vpcId></item></vpcSet></DescribeVpcsResponse>`},
	"DescribeAvailabilityZones": {200, zonesXML("us-east-1b use1-az2", "us-east-1a use1-az1", "us-east-1c use1-az3")},
	"GetServiceQuota":           {200, `{"Quota":{"QuotaCode":"L-F678F1CE","Value":5.0}}`},
	"DescribeOrderableDBInstanceOptions": {200, queryXML("DescribeOrderableDBInstanceOptions",
		`<OrderableDBInstanceOptions><OrderableDBInstanceOption><EngineVersion>16.9</EngineVersion></OrderableDBInstanceOption></OrderableDBInstanceOptions>`)},
	"GetRole":                 {200, queryXML("GetRole", `<Role><Path>/</Path><RoleName>r</RoleName><RoleId>i</RoleId><Arn>a</Arn><CreateDate>2026-01-01T00:00:00Z</CreateDate></Role>`)},
	"GetPolicy":               {200, queryXML("GetPolicy", `<Policy><PolicyName>developers</PolicyName></Policy>`)},
	"SimulatePrincipalPolicy": {200, queryXML("SimulatePrincipalPolicy", `<EvaluationResults><member><EvalActionName>sts:AssumeRole</EvalActionName><EvalDecision>allowed</EvalDecision></member></EvaluationResults>`)},
	"HeadBucket":              {404, ""},
}

func zonesXML(zones ...string) string {
	var items strings.Builder
	for _, z := range zones {
		name, id, _ := strings.Cut(z, " ")
		fmt.Fprintf(&items, `<item><zoneName>%s</zoneName><zoneId>%s</zoneId><zoneType>availability-zone</zoneType></item>`, name, id)
	}
	return `<DescribeAvailabilityZonesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId><availabilityZoneInfo>` + items.String() +
		`</availabilityZoneInfo></DescribeAvailabilityZonesResponse>`
}

func (f *fakeAWS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(body))
	operation := form.Get("Action")
	if _, target, isJSON := strings.Cut(r.Header.Get("X-Amz-Target"), "."); isJSON {
		operation = target
	}
	switch {
	case operation != "":
	case r.Method == http.MethodHead:
		operation = "HeadBucket"
	case strings.HasSuffix(r.URL.Path, "/account-settings/"), strings.HasSuffix(r.URL.Path, "/account-settings"):
		operation = "GetAccountSettings"
	case strings.HasSuffix(r.URL.Path, "/configuration"):
		operation = "GetFunctionConfiguration"
		w.Header().Set("X-Amzn-Errortype", "ResourceNotFoundException")
	}
	f.mu.Lock()
	f.calls = append(f.calls, operation)
	f.forms[operation] = form
	f.mu.Unlock()
	answer, ok := f.replies[operation]
	if !ok {
		answer, ok = complete[operation]
	}
	if !ok {
		answer = reply{400, "unknown operation " + operation + " " + r.URL.Path}
	}
	if strings.HasPrefix(answer.body, "{") {
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	} else {
		w.Header().Set("Content-Type", "text/xml")
	}
	w.WriteHeader(answer.status)
	_, _ = w.Write([]byte(answer.body))
}

// inspectFake returns the problems of an account by check, without the warnings' mark.
func inspectFake(t *testing.T, replies map[string]reply, region string, args ...string) (map[string]result, *fakeAWS) {
	t.Helper()
	f := &fakeAWS{replies: replies, forms: map[string]url.Values{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	s, err := parseSettings(args)
	require.NoError(t, err)
	a := newAccount(aws.Config{
		Region: region, BaseEndpoint: aws.String(server.URL), Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
		RetryMaxAttempts: 1,
	})
	results, err := inspect(t.Context(), a, s)
	require.NoError(t, err)
	problems := map[string]result{}
	for _, r := range results {
		if r.problem != "" {
			problems[r.name] = r
		}
	}
	return problems, f
}

func TestCompleteAccount(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"dev", "prod"} {
		problems, f := inspectFake(t, nil, "us-east-1", "-c", "stage="+stage, "-c", "permissionsBoundary=developers")
		require.Empty(t, problems, stage)
		for operation := range complete {
			require.Contains(t, f.calls, operation, stage)
		}
		require.Equal(t, "arn:aws:iam::123456789012:role/Admin", f.forms["SimulatePrincipalPolicy"].Get("PolicySourceArn"), "the role of the session")
		require.Equal(t, map[string]string{"dev": "db.serverless", "prod": "db.m7g.large"}[stage], f.forms["DescribeOrderableDBInstanceOptions"].Get("DBInstanceClass"))
	}
}

// Each requirement that an account lacks is reported with what to do.
func TestMissingRequirements(t *testing.T) {
	t.Parallel()
	prod := []string{"-c", "stage=prod"}
	for name, tt := range map[string]struct {
		check   string
		replies map[string]reply
		region  string
		args    []string
		says    string
		warning bool
	}{
		"region": {"certificates of the region's databases", nil, "moon-north-1", nil, "choose another region", false},
		"bootstrap": {"CDK bootstrap", map[string]reply{"GetParameter": {400, `{"__type":"ParameterNotFound","message":"none"}`}}, "us-east-1", nil,
			"make bootstrap ACCOUNT=123456789012 REGION=us-east-1", false},
		"old bootstrap":    {"CDK bootstrap", map[string]reply{"GetParameter": {200, `{"Parameter":{"Value":"5"}}`}}, "us-east-1", nil, "6 of the CDK's stack is needed and 5", false},
		"new account":      {"Lambda concurrency", map[string]reply{"GetAccountSettings": {200, `{"AccountLimit":{"UnreservedConcurrentExecutions":10}}`}}, "us-east-1", prod, "and 10 are free: request 1,000", false},
		"busy account":     {"Lambda concurrency", map[string]reply{"GetAccountSettings": {200, `{"AccountLimit":{"UnreservedConcurrentExecutions":5}}`}}, "us-east-1", nil, "needs 10 concurrent executions and 5 are free", false},
		"full of networks": {"networks", map[string]reply{"GetServiceQuota": {200, `{"Quota":{"Value":1}}`}}, "us-east-1", nil, "1 networks of at most 1", false},
		"zone without Lambda": {"availability zones", map[string]reply{"DescribeAvailabilityZones": {200, zonesXML("us-east-1a use1-az3", "us-east-1b use1-az1", "us-east-1c use1-az2")}}, "us-east-1", nil,
			"zone us-east-1a (use1-az3) has no Lambda: -c zones=us-east-1b,us-east-1c", false},
		"unknown zone":   {"availability zones", nil, "us-east-1", []string{"-c", "zones=us-east-1a,us-east-1x"}, "no zones us-east-1a,us-east-1x", false},
		"one zone":       {"availability zones", map[string]reply{"DescribeAvailabilityZones": {200, zonesXML("us-west-1a usw1-az1")}}, "us-west-1", nil, "1 usable zones", false},
		"database class": {"database class", map[string]reply{"DescribeOrderableDBInstanceOptions": {200, queryXML("DescribeOrderableDBInstanceOptions", `<OrderableDBInstanceOptions/>`)}}, "us-east-1", prod, "no db.m7g.large with PostgreSQL 16", false},
		"roles":          {"service-linked roles", map[string]reply{"GetRole": queryError("NoSuchEntity")}, "us-east-1", nil, "create-service-linked-role --aws-service-name rds.amazonaws.com", true},
		"boundary":       {"permissions boundary", map[string]reply{"GetPolicy": queryError("NoSuchEntity")}, "us-east-1", []string{"-c", "permissionsBoundary=gone"}, "no policy gone", false},
		"permissions": {"permissions", map[string]reply{"SimulatePrincipalPolicy": {200, queryXML("SimulatePrincipalPolicy",
			`<EvaluationResults><member><EvalActionName>sts:AssumeRole</EvalActionName><EvalDecision>implicitDeny</EvalDecision></member></EvaluationResults>`)}}, "us-east-1", nil, "role/Admin may not sts:AssumeRole", false},
		"root":              {"permissions", map[string]reply{"GetCallerIdentity": {200, queryXML("GetCallerIdentity", `<Account>123456789012</Account><Arn>arn:aws:iam::123456789012:root</Arn>`)}}, "us-east-1", nil, "root user", true},
		"remains":           {"remains of an earlier stage", map[string]reply{"HeadBucket": {200, ""}}, "us-east-1", prod, "loadbay-files-prod-123456789012-us-east-1 exists", false},
		"remains of a cell": {"remains of an earlier stage", map[string]reply{"HeadBucket": {200, ""}}, "us-east-1", []string{"-c", "cell=north"}, "loadbay-files-dev-north-123456789012-us-east-1 exists, but stage dev-north", false},
		"refused call":      {"networks", map[string]reply{"DescribeVpcs": {403, `<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>no</Message></Error></Errors></Response>`}}, "us-east-1", nil, "not checked: ", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problems, _ := inspectFake(t, tt.replies, tt.region, tt.args...)
			require.Contains(t, problems[tt.check].problem, tt.says)
			require.Equal(t, tt.warning, problems[tt.check].warning)
			if name != "bootstrap" && name != "old bootstrap" {
				require.Len(t, problems, 1, "only this is missing")
			}
		})
	}
}

// A stage that exists has its reservations and its bucket; an existing network has its own zones.
func TestStageThatExists(t *testing.T) {
	t.Parallel()
	problems, _ := inspectFake(t, map[string]reply{
		"GetFunctionConfiguration": {200, `{"FunctionName":"loadbay-api-prod"}`}, "GetAccountSettings": {200, `{"AccountLimit":{"UnreservedConcurrentExecutions":100}}`}, "HeadBucket": {200, ""},
	}, "us-east-1", "-c", "stage=prod")
	require.Empty(t, problems)
	problems, f := inspectFake(t, nil, "us-east-1", "-c", "vpcId=vpc-0123456789", "-c", "databaseHost=main.abc.us-east-1.rds.amazonaws.com")
	require.Empty(t, problems)
	for _, operation := range []string{"DescribeVpcs", "DescribeAvailabilityZones", "DescribeOrderableDBInstanceOptions"} {
		require.NotContains(t, f.calls, operation)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.Equal(t, 1, report(&out, []result{{name: "one"}, {name: "two", problem: "is not there: create it"}, {name: "three", problem: "not checked", warning: true}}))
	require.True(t, strings.HasPrefix(out.String(), "ok       one\nmissing  two: is not there: create it\nwarning  three: not checked\n"))
	_, err := parseSettings([]string{"-c", "stage=test"})
	require.ErrorContains(t, err, `stage "test" is neither dev nor prod`)
	_, err = parseSettings([]string{"--profile", "x"})
	require.ErrorContains(t, err, "is not -c key=value")
}
