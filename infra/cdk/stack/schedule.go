package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/jsii-runtime-go"
)

// addSchedules invokes functions at their times. A run that fails is not tried
// again: the next one finds the same work.
func (svc *service) addSchedules() {
	for _, s := range svc.blueprint.Schedules {
		awsevents.NewRule(svc.Stack, jsii.String("Schedule-"+s.Name), &awsevents.RuleProps{
			RuleName:    jsii.String(svc.settings.name("loadbay-" + s.Name)),
			Description: jsii.String("Runs " + s.Function + "."),
			Schedule:    awsevents.Schedule_Expression(jsii.String(s.Expression)),
			Targets: &[]awsevents.IRuleTarget{awseventstargets.NewLambdaFunction(svc.functions[s.Function], &awseventstargets.LambdaFunctionProps{
				RetryAttempts: jsii.Number(0),
			})},
		})
	}
}
