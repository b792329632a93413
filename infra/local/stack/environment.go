package stack

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/iam"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/local/gateway"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
)

// mailSender is the sender of the mail that is written to a folder.
const mailSender = "loadbay@example.org"

// functions returns the blueprint's functions in the form that the host runs.
func (s *Stack) functions() ([]lambdahost.Function, error) {
	functions := make([]lambdahost.Function, 0, len(s.resources.Functions))
	for _, f := range s.resources.Functions {
		env, err := s.environment(f)
		if err != nil {
			return nil, fmt.Errorf("function %s: %w", f.Name, err)
		}
		hosted := lambdahost.Function{Name: f.Name, Memory: f.Memory, Timeout: f.Timeout, Concurrency: f.Concurrency, Env: env}
		if f.Concurrency == 0 {
			hosted.Concurrency, hosted.Elastic = blueprint.LocalConcurrency, true
		}
		functions = append(functions, hosted)
	}
	return functions, nil
}

// environment returns the variables that a function gets in addition to those of Lambda.
func (s *Stack) environment(f blueprint.Function) (map[string]string, error) {
	env := map[string]string{
		"AWS_ENDPOINT_URL":      s.AWSURL,
		"FILES_URL":             s.config.PublicURL,
		"AWS_ACCESS_KEY_ID":     iam.AccessKey(f.Name),
		"AWS_SECRET_ACCESS_KEY": s.keys.Secret(iam.AccessKey(f.Name)),
		"LOG_LEVEL":             s.config.LogLevel,

		blueprint.MetricNamespaceEnv: blueprint.LocalDeployment().MetricNamespace(),
	}
	if s.config.LocalWebhooks {
		env["WEBHOOKS_LOCAL"] = "true"
	}
	for _, e := range f.Env {
		value, err := s.envValue(e)
		if err != nil {
			return nil, err
		}
		if e.Ref != blueprint.Setting || value != "" {
			env[e.Name] = value
		}
	}
	switch f.Database {
	case blueprint.NoDatabase:
	case blueprint.AdminRole:
		env["DATABASE_URL"] = s.database.owner
		env["LOADBAY_APP_PASSWORD"] = s.database.passwords.App
		env["LOADBAY_MAINTENANCE_PASSWORD"] = s.database.passwords.Maintenance
		env["LOADBAY_OPERATOR_PASSWORD"] = s.database.passwords.Operator
	default:
		url, err := s.database.roleURL(f.Database)
		if err != nil {
			return nil, err
		}
		env["DATABASE_URL"] = url
	}
	return env, nil
}

// localSettings returns the defaults of the local stack: mail is written to a folder, so
// sending it is allowed, and people sign in at the local provider unless there is an issuer.
func (s *Stack) localSettings() map[string]string {
	if s.issuer == nil {
		return map[string]string{"MAIL_FROM": mailSender, blueprint.AuthRequired: "true"}
	}
	return map[string]string{
		"MAIL_FROM":                   mailSender,
		blueprint.AuthRequired:        strconv.FormatBool(s.config.TokenRequired),
		blueprint.AuthIssuer:          s.issuer.Name(),
		blueprint.AuthClientID:        consoleClient,
		blueprint.AuthCommandClientID: commandClient,
		blueprint.AuthAudience:        gateway.Audience,
		blueprint.AuthScopes:          strings.Join(append([]string{"openid", blueprint.OperatorScope}, blueprint.Scopes()...), " "),
	}
}

// envValue resolves the value of a variable.
func (s *Stack) envValue(e blueprint.Env) (string, error) {
	switch e.Ref {
	case "":
		return e.Value, nil
	case blueprint.Setting:
		if value, set := s.config.Setting(e.Name); set {
			return value, nil
		}
		return s.localSettings()[e.Name], nil
	case blueprint.BucketName:
		return s.resources.Bucket.Name, nil
	case blueprint.QueueURL:
		return s.queues.URL(e.RefName), nil
	case blueprint.TableName:
		return s.resources.Table.Name, nil
	case blueprint.StateMachineARN:
		return sfn.MachineARN(s.resources.StateMachine.Name), nil
	case blueprint.EventBusName:
		return s.resources.EventBus.Name, nil
	case blueprint.SecretName:
		return s.resources.Secret.Name, nil
	case blueprint.FunctionName:
		return lambdahost.Name(e.RefName), nil
	case blueprint.FunctionURL:
		return cmp.Or(s.config.PublicURL, s.AWSURL) + awsendpoint.FunctionURLPath + e.RefName + "/", nil
	}
	return "", fmt.Errorf("environment variable %s: the local stack has no %s", e.Name, e.Ref)
}
