package main

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/backup"
	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/stretchr/testify/require"
)

// clients are those of the services in the documents' commands, by the names of the aws command.
var clients = map[string]any{
	"backup": &backup.Client{}, "cognito-idp": &cognitoidentityprovider.Client{}, "dynamodb": &dynamodb.Client{}, "ec2": &ec2.Client{}, "iam": &iam.Client{},
	"lambda": &lambda.Client{}, "rds": &rds.Client{}, "s3api": &s3.Client{}, "secretsmanager": &secretsmanager.Client{},
	"service-quotas": &servicequotas.Client{}, "stepfunctions": &sfn.Client{}, "ssm": &ssm.Client{}, "sts": &sts.Client{},
}

// otherServices are not in the SDK modules of this repository.
var otherServices = []string{"s3", "cloudformation", "kms", "logs", "rds-data"}

var (
	commandPattern = regexp.MustCompile(`\baws ([a-z0-9-]+) ([a-z0-9]+(?:-[a-z0-9]+)+|invoke)([^` + "`" + `\n]*)`)
	optionPattern  = regexp.MustCompile(`(?:^|\s)--([a-z0-9-]+)`)
	globalOptions  = []string{"region", "query", "output", "profile", "endpoint-url"}
)

// The commands of AWS in the documents are those of its API: each operation exists and has every option
// that is passed.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, name := range []string{"deploying", "recovery", "runbook", "upgrading"} {
		content, err := os.ReadFile("../../../docs/" + name + ".md")
		require.NoError(t, err)
		text := regexp.MustCompile(`\\\n\s*`).ReplaceAllString(string(content), " ")
		text = regexp.MustCompile("`[^`\n]*\n[^`\n]*`").ReplaceAllStringFunc(text, func(code string) string { return strings.ReplaceAll(code, "\n", " ") })
		for _, m := range commandPattern.FindAllStringSubmatch(text, -1) {
			service, operation, rest := m[1], m[2], m[3]
			if client, known := clients[service]; known {
				rest, _, _ = strings.Cut(rest, " && ")
				rest, _, _ = strings.Cut(rest, " | ")
				rest, _, _ = strings.Cut(rest, "   # ")
				requireCommand(t, client, name, operation, rest)
				checked++
			} else {
				require.Contains(t, otherServices, service, "docs/%s.md: %s", name, m[0])
			}
		}
	}
	require.Greater(t, checked, 20)
}

func requireCommand(t *testing.T, client any, document, operation, rest string) {
	t.Helper()
	kind := reflect.TypeOf(client)
	name := strings.ReplaceAll(operation, "-", "")
	for i := range kind.NumMethod() {
		method := kind.Method(i)
		if !strings.EqualFold(method.Name, name) {
			continue
		}
		input := method.Type.In(2).Elem() // receiver, context, input
		for _, option := range optionPattern.FindAllStringSubmatch(rest, -1) {
			if slices.Contains(globalOptions, option[1]) {
				continue
			}
			has := slices.ContainsFunc(reflect.VisibleFields(input), func(f reflect.StructField) bool {
				return strings.EqualFold(f.Name, strings.ReplaceAll(option[1], "-", "")) ||
					strings.EqualFold(f.Name, strings.ReplaceAll(strings.TrimPrefix(option[1], "no-"), "-", ""))
			})
			require.True(t, has, "docs/%s.md: %s has no option --%s", document, operation, option[1])
		}
		return
	}
	t.Errorf("docs/%s.md: %s has no operation %s", document, kind, operation)
}
