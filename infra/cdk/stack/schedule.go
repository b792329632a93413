package stack

import (
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// scheduleMinutes is the maximum delay of a run.
const scheduleMinutes = 5

// addSchedules invokes functions on their schedules. Neither EventBridge nor Lambda retries a
// failed run, and a run that cannot start soon is dropped: the next one finds the same work.
func (svc *service) addSchedules() {
	for _, s := range svc.blueprint.Schedules {
		awsevents.NewRule(svc.Stack, jsii.String("Schedule-"+s.Name), &awsevents.RuleProps{
			RuleName:    jsii.String(svc.settings.deployment().Rule(s.Name)),
			Description: jsii.String("Runs " + s.Function + "."),
			Schedule:    awsevents.Schedule_Expression(jsii.String(s.Expression)),
			Targets: &[]awsevents.IRuleTarget{awseventstargets.NewLambdaFunction(svc.functions[s.Function], &awseventstargets.LambdaFunctionProps{
				RetryAttempts: jsii.Number(0),
			})},
		})
	}
	for _, f := range svc.blueprint.Functions {
		scheduled := slices.ContainsFunc(svc.blueprint.Schedules, func(s blueprint.Schedule) bool { return s.Function == f.Name })
		if scheduled && svc.blueprint.DeadLetterQueue(f.Name) == "" { // otherwise events.go has configured it
			svc.functions[f.Name].ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{
				MaxEventAge:   minutes(scheduleMinutes),
				RetryAttempts: jsii.Number(0),
			})
		}
	}
}
