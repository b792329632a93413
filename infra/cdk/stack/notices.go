package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsbudgets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsrds"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/jsii-runtime-go"
)

// addDatabaseEvents sends the events of RDS about which somebody should know to the topic of the
// alarms: failovers, failures, full storage and deletion. They cost nothing.
func (svc *service) addDatabaseEvents(topic awssns.Topic) {
	metrics := svc.data.database.metrics
	kind, categories := "db-instance", []string{"failover", "failure", "low storage", "recovery", "deletion"}
	if metrics.dimension == clusterDimension {
		kind, categories = "db-cluster", []string{"failover", "failure", "deletion"}
	}
	awsrds.NewCfnEventSubscription(svc.Stack, jsii.String("DatabaseEvents"), &awsrds.CfnEventSubscriptionProps{
		SnsTopicArn: topic.TopicArn(), SourceType: jsii.String(kind), SourceIds: &[]any{metrics.name},
		EventCategories: jsii.Strings(categories...),
	})
}

// addBudget warns about the bill of the account, of which AWS knows the stage's part only after
// somebody has activated its tags. Budgets cost nothing and warn by e-mail, not through the topic,
// whose key they could not use.
func (svc *service) addBudget() {
	if svc.settings.AlarmEmail == "" || svc.settings.MonthlyBudget == 0 {
		return
	}
	warn := func(kind string, percent float64) *awsbudgets.CfnBudget_NotificationWithSubscribersProperty {
		return &awsbudgets.CfnBudget_NotificationWithSubscribersProperty{
			Notification: &awsbudgets.CfnBudget_NotificationProperty{
				NotificationType: jsii.String(kind), ComparisonOperator: jsii.String("GREATER_THAN"), Threshold: jsii.Number(percent), ThresholdType: jsii.String("PERCENTAGE"),
			},
			Subscribers: []any{&awsbudgets.CfnBudget_SubscriberProperty{SubscriptionType: jsii.String("EMAIL"), Address: jsii.String(svc.settings.AlarmEmail)}},
		}
	}
	awsbudgets.NewCfnBudget(svc.Stack, jsii.String("Budget"), &awsbudgets.CfnBudgetProps{
		Budget: &awsbudgets.CfnBudget_BudgetDataProperty{
			BudgetName: svc.globalName("loadbay"), BudgetType: jsii.String("COST"), TimeUnit: jsii.String("MONTHLY"),
			BudgetLimit: &awsbudgets.CfnBudget_SpendProperty{Amount: jsii.Number(svc.settings.MonthlyBudget), Unit: jsii.String("USD")},
		},
		NotificationsWithSubscribers: []any{warn("ACTUAL", 80), warn("FORECASTED", 100)},
	})
}

// refusalAlarm detects requests that API Gateway refused itself, at the stage's rate: such requests
// reach no function. API Gateway has no metric for them, but its log does.
func (svc *service) refusalAlarm() alarm {
	namespace, name := svc.settings.deployment().MetricNamespace()+"/Gateway", "refused"
	awslogs.NewMetricFilter(svc.Stack, jsii.String("Refused"), &awslogs.MetricFilterProps{
		LogGroup: svc.apiLogs, MetricNamespace: jsii.String(namespace), MetricName: jsii.String(name), MetricValue: jsii.String("1"),
		FilterPattern: awslogs.FilterPattern_Literal(jsii.String(`{ $.status = "429" && $.integrationMs = "-" }`)),
	})
	return alarm{
		name: "api-throttled", section: "throttled", threshold: 50, periods: 3,
		description: "API Gateway refused more than 50 requests within 5 minutes, three times in a row, because all callers together exceeded the stage's rate.",
		metric: awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
			Namespace: jsii.String(namespace), MetricName: jsii.String(name), Statistic: jsii.String("Sum"), Period: minutes(5),
		}),
	}
}
