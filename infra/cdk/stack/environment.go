package stack

import (
	"strconv"

	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// addEnvironment sets each function's variables: the addresses that its blueprint refers to and
// the database. It runs after all functions exist, because one may need the address of another.
func (svc *service) addEnvironment() {
	for _, f := range svc.blueprint.Functions {
		set := func(name string, value *string) {
			svc.functions[f.Name].AddEnvironment(jsii.String(name), value, nil)
		}
		set(blueprint.MetricNamespaceEnv, jsii.String(svc.settings.deployment().MetricNamespace()))
		for _, e := range f.Env {
			if value := svc.envValue(e); value != nil {
				set(e.Name, value)
			}
		}
		if f.Database != blueprint.NoDatabase {
			svc.setDatabase(f, set)
		}
		if runsInNetwork(f) && svc.settings.Access == ByIPv6 {
			set("AWS_USE_DUALSTACK_ENDPOINT", jsii.String("true")) // the route to AWS is IPv6 only
		}
		if f.Name == apiFunction && svc.settings.pauses() {
			set("DATABASE_PAUSES", jsii.String("true"))
		}
		if svc.settings.SAM {
			set("AWS_ENDPOINT_URL", jsii.String(""))
			set("DATABASE_URL", jsii.String(""))
		}
	}
}

// envValue returns the value of a variable, or nil if it is not set.
func (svc *service) envValue(e blueprint.Env) *string {
	switch e.Ref {
	case blueprint.Setting:
		if text := svc.settings.Functions[e.Name]; text != "" {
			return jsii.String(text)
		}
		return nil
	case blueprint.BucketName:
		return svc.data.bucket.BucketName()
	case blueprint.QueueURL:
		return svc.queues[e.RefName].QueueUrl()
	case blueprint.TableName:
		return svc.data.table.TableName()
	case blueprint.StateMachineARN:
		return svc.stateMachineARN()
	case blueprint.EventBusName:
		return jsii.String(svc.settings.resourceName(svc.blueprint.EventBus.Name))
	case blueprint.SecretName:
		return jsii.String(svc.settings.resourceName(svc.blueprint.Secret.Name))
	case blueprint.FunctionName:
		return jsii.String(svc.settings.functionName(e.RefName))
	case blueprint.FunctionURL:
		return svc.urls[e.RefName]
	default:
		return jsii.String(e.Value)
	}
}

// setDatabase configures a function's database address and sign-in: as a role with an IAM token
// or, for the owner of the schema, with the name and password that RDS stores in Secrets
// Manager.
func (svc *service) setDatabase(f blueprint.Function, set func(string, *string)) {
	set("DATABASE_HOST", svc.databaseEndpoint(f).host)
	set("DATABASE_PORT", jsii.String(strconv.Itoa(postgresPort)))
	set("DATABASE_NAME", jsii.String(svc.settings.postgresName()))
	if f.Database == blueprint.AdminRole {
		set("DATABASE_SECRET_ARN", svc.data.database.secret)
		return
	}
	set("DATABASE_USER", jsii.String(string(f.Database)))
}

// databaseEndpoint returns the endpoint for a function: direct if its own concurrency limits the
// number of connections, otherwise the proxy.
func (svc *service) databaseEndpoint(f blueprint.Function) databaseEndpoint {
	if f.Concurrency > 0 {
		return svc.data.database.direct
	}
	return svc.data.database.pooled
}
