package stack

import (
	"path/filepath"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// defaultDisk is the default size of /tmp, in MiB.
const defaultDisk = 512

// addFunctions creates every function of the blueprint. A construct's id is the function's name,
// by which sam local finds it.
func (svc *service) addFunctions() {
	for _, f := range svc.blueprint.Functions {
		logs := newLogGroup(svc.Stack, svc.settings, svc.data.key, f.Name, "/aws/lambda/"+svc.settings.functionName(f.Name))
		svc.logs[f.Name] = logs
		svc.functions[f.Name] = awslambda.NewFunction(svc.Stack, jsii.String(f.Name), svc.functionProps(f))
		if f.Streams {
			svc.addFunctionURL(f)
		}
	}
}

func (svc *service) functionProps(f blueprint.Function) *awslambda.FunctionProps {
	props := &awslambda.FunctionProps{
		FunctionName:         jsii.String(svc.settings.functionName(f.Name)),
		Description:          jsii.String(f.Purpose),
		Runtime:              awslambda.Runtime_PROVIDED_AL2023(),
		Architecture:         awslambda.Architecture_ARM_64(),
		Handler:              jsii.String("bootstrap"),
		Code:                 awslambda.Code_FromAsset(jsii.String(filepath.Join(svc.settings.Assets, f.Name)), nil),
		MemorySize:           jsii.Number(float64(f.Memory)),
		Timeout:              duration(f.Timeout),
		EphemeralStorageSize: awscdk.Size_Mebibytes(jsii.Number(float64(max(f.Disk, defaultDisk)))),
		Tracing:              awslambda.Tracing_DISABLED,
		LogGroup:             svc.logs[f.Name],
		// Constructs cannot add permissions of their own: the role has exactly the blueprint's grants.
		Role: svc.newRole(f).WithoutPolicyUpdates(nil),
	}
	if svc.settings.Tracing {
		props.Tracing = awslambda.Tracing_ACTIVE
	}
	// A new account allows ten concurrent executions, none of which can be reserved. Without a
	// reservation, event sources have a limit of their own (MaxConcurrency), and functions that
	// must not run concurrently hold a lock in the database.
	if reserved := max(f.Concurrency, f.ReservedConcurrency); reserved > 0 && svc.settings.Stage.RetainData {
		props.ReservedConcurrentExecutions = jsii.Number(float64(reserved))
	}
	if runsInNetwork(f) {
		props.Vpc = svc.data.network.vpc
		props.VpcSubnets = selectSubnets(functionSubnets)
		props.SecurityGroups = &[]awsec2.ISecurityGroup{svc.data.network.functions}
		// The subnets of an existing network may have no IPv6 addresses.
		props.Ipv6AllowedForDualStack = jsii.Bool(svc.settings.Network == nil || svc.settings.Access == ByIPv6)
	}
	return props
}

// addFunctionURL gives a function a URL for streamed responses. It accepts only requests signed
// by a role that may invoke the function: the API signs a URL for an authorised caller and
// redirects the caller to it.
func (svc *service) addFunctionURL(f blueprint.Function) {
	url := awslambda.NewFunctionUrl(svc.Stack, jsii.String(f.Name+"-url"), &awslambda.FunctionUrlProps{
		Function:   svc.functions[f.Name],
		AuthType:   awslambda.FunctionUrlAuthType_AWS_IAM,
		InvokeMode: awslambda.InvokeMode_RESPONSE_STREAM,
		Cors:       svc.urlCORS(),
	})
	svc.urls[f.Name] = url.Url()
}

func (svc *service) urlCORS() *awslambda.FunctionUrlCorsOptions {
	if len(svc.settings.Origins) == 0 {
		return nil
	}
	rules := blueprint.StreamsCORS()
	return &awslambda.FunctionUrlCorsOptions{
		AllowedOrigins: jsii.Strings(svc.settings.Origins...),
		AllowedMethods: corsMethods[awslambda.HttpMethod](rules),
		ExposedHeaders: jsii.Strings(rules.ExposedHeaders...),
	}
}
