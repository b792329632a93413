package stack

import (
	"path/filepath"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// defaultDisk is what a function has in /tmp without asking, in MiB.
const defaultDisk = 512

// addFunctions makes every function of the blueprint. A construct's id is the
// function's name, which is how sam local knows it.
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
		Tracing:              awslambda.Tracing_ACTIVE,
		LogGroup:             svc.logs[f.Name],
		// Nothing that a construct would like to permit in passing gets in: the
		// role holds what the blueprint grants.
		Role: svc.newRole(f).WithoutPolicyUpdates(nil),
	}
	// An account may have ten executions at a time at first, of which none can be reserved.
	// Where nothing is, event sources are bounded by themselves (MaxConcurrency), and what
	// must run alone holds a lock of the database.
	if reserved := max(f.Concurrency, f.ReservedConcurrency); reserved > 0 && svc.settings.Stage.RetainData {
		props.ReservedConcurrentExecutions = jsii.Number(float64(reserved))
	}
	if runsInNetwork(f) {
		props.Vpc = svc.data.network.vpc
		props.VpcSubnets = selectSubnets(functionSubnets)
		props.SecurityGroups = &[]awsec2.ISecurityGroup{svc.data.network.functions}
		props.Ipv6AllowedForDualStack = jsii.Bool(svc.settings.scalesToZero())
	}
	return props
}

// addFunctionURL gives a function an address that streams. It serves only requests
// signed by a role that may invoke it: the API signs an address for a caller that it
// has authorised, and redirects the caller to it.
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
