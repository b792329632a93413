package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// service is the Service stack under construction.
type service struct {
	awscdk.Stack
	settings  Settings
	blueprint *blueprint.Blueprint
	data      data

	queues    map[string]awssqs.Queue
	functions map[string]awslambda.Function
	urls      map[string]*string
	logs      map[string]awslogs.LogGroup // by function
	apiLogs   awslogs.LogGroup            // of the API's requests
	alarms    map[string]awscloudwatch.Alarm
	liveAlias awslambda.Alias // alias of api in stages with gradual releases; otherwise nil
}

// globalName returns the name of a resource of a kind with names that are unique in the account and not only in
// its region, such as those of CloudFront and dashboards: with the region, so that a stage can be
// deployed to several.
func (svc *service) globalName(base string) *string {
	return awscdk.Fn_Join(jsii.String("-"), &[]*string{jsii.String(svc.settings.resourceName(base)), svc.Region()})
}

// newService creates everything that runs, in order of dependency: functions refer to queues, and
// the rest refers to functions.
func newService(app awscdk.App, s Settings, b *blueprint.Blueprint, d data) error {
	svc := &service{
		Stack:    newStack(app, s, ServicePart, "Loadbay's queues, functions, workflow, API, schedules and monitoring."),
		settings: s, blueprint: b, data: d,
		functions: map[string]awslambda.Function{},
		urls:      map[string]*string{},
		logs:      map[string]awslogs.LogGroup{},
		alarms:    map[string]awscloudwatch.Alarm{},
	}
	svc.data.database = d.database.fromParameters(svc.Stack, s)
	svc.queues = newQueues(svc.Stack, s, b.Queues, d.key)
	svc.addFunctions()
	svc.addEnvironment()
	svc.addMigrations()
	svc.addEventSources()
	svc.addObjectEvents()
	svc.addDropPolicy()
	svc.addEventBus()
	svc.addSchedules()
	machine, err := svc.addWorkflow()
	if err != nil {
		return err
	}
	people := svc.addUserPool()
	api := svc.addAPI()
	var console *string
	if !s.WithoutConsole {
		console = svc.addConsole(api)
	}
	if people != nil {
		svc.addClients(people, console)
	}
	svc.addAlarms(api, machine)
	svc.addDeployment()
	if s.Dashboard {
		svc.addDashboard(api, machine)
	}
	svc.addQueries()
	return nil
}

// namedARN returns the ARN of a resource with a name that we choose, so that policies can refer
// to it before, and without, the resource itself.
func (svc *service) namedARN(service, resource, name string, format awscdk.ArnFormat) *string {
	return svc.FormatArn(&awscdk.ArnComponents{
		Service: jsii.String(service), Resource: jsii.String(resource), ResourceName: jsii.String(name), ArnFormat: format,
	})
}

func (svc *service) stateMachineARN() *string {
	return jsii.String(svc.settings.deployment().StateMachineARN(svc.blueprint.StateMachine.Name))
}

func (svc *service) functionARN(name string) *string {
	return jsii.String(svc.settings.deployment().FunctionARN(name))
}
