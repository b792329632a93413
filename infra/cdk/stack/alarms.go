package stack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsstepfunctions"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// alarm is a condition that a person has to investigate.
type alarm struct {
	name        string
	section     string // section of the runbook
	description string
	metric      awscloudwatch.IMetric
	// The alarm triggers if the metric is above the threshold (or below it, for a floor) in that
	// many consecutive periods.
	threshold float64
	periods   float64
	below     bool
	// alarmOnMissing triggers the alarm on missing data, too.
	alarmOnMissing bool
	// urgent marks alarms about work that would be lost or never done.
	urgent bool
}

func (svc *service) addAlarms(api awsapigatewayv2.HttpApi, machine awsstepfunctions.StateMachine) {
	topic := svc.newAlarmTopic()
	action := awscloudwatchactions.NewSnsAction(topic)
	svc.addDatabaseEvents(topic)
	svc.addBudget()
	var alarms []alarm
	alarms = append(alarms, svc.queueAlarms()...)
	alarms = append(alarms, svc.jobAlarms()...)
	alarms = append(alarms, svc.scheduleAlarms()...)
	alarms = append(alarms, svc.apiAlarm(api))
	alarms = append(alarms, svc.databaseAlarms()...)
	alarms = append(alarms, svc.limitAlarms(machine)...)
	if !svc.onlyUrgentAlarms() {
		alarms = append(alarms, svc.refusalAlarm())
	}
	for _, a := range alarms {
		if svc.onlyUrgentAlarms() && !a.urgent {
			continue
		}
		made := awscloudwatch.NewAlarm(svc.Stack, jsii.String("Alarm-"+a.name), svc.alarmProps(a))
		made.AddAlarmAction(action)
		made.AddOkAction(action)
		svc.alarms[a.name] = made
	}
}

// onlyUrgentAlarms reports whether the stage has only the urgent alarms: they cost money every month,
// and the others only report quality.
func (svc *service) onlyUrgentAlarms() bool {
	return svc.settings.scalesToZero() && !svc.settings.Stage.RetainData
}

func (svc *service) alarmProps(a alarm) *awscloudwatch.AlarmProps {
	props := &awscloudwatch.AlarmProps{
		AlarmName:          jsii.String(svc.settings.resourceName("loadbay-" + a.name)),
		AlarmDescription:   jsii.String(fmt.Sprintf("%s What to do: %s#%s", a.description, svc.settings.RunbookURL, a.section)),
		Metric:             a.metric,
		Threshold:          jsii.Number(a.threshold),
		EvaluationPeriods:  jsii.Number(a.periods),
		ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD,
		TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
	}
	if a.below {
		props.ComparisonOperator = awscloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD
	}
	if a.alarmOnMissing {
		props.TreatMissingData = awscloudwatch.TreatMissingData_BREACHING
	}
	return props
}

// newAlarmTopic creates the topic for alarms: encrypted, and restricted to alarms and
// database events of this account.
func (svc *service) newAlarmTopic() awssns.Topic {
	topic := awssns.NewTopic(svc.Stack, jsii.String("Alarms"), &awssns.TopicProps{
		TopicName:   jsii.String(svc.settings.resourceName("loadbay-alarms")),
		DisplayName: jsii.String("Loadbay " + svc.settings.stageName()),
		MasterKey:   svc.data.key,
		EnforceSSL:  jsii.Bool(true),
	})
	topic.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("cloudwatch.amazonaws.com"), nil), awsiam.NewServicePrincipal(jsii.String("events.rds.amazonaws.com"), nil)},
		Actions:    jsii.Strings("sns:Publish"),
		Resources:  &[]*string{topic.TopicArn()},
		Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": awscdk.Aws_ACCOUNT_ID()}},
	}))
	if svc.settings.AlarmEmail != "" {
		topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(jsii.String(svc.settings.AlarmEmail), nil))
	}
	return topic
}

// queueAlarms detect unprocessed messages. A dead-letter queue with a consumer may never appear
// full, so its receives count; without a consumer, its length counts.
func (svc *service) queueAlarms() []alarm {
	var alarms []alarm
	for _, q := range svc.blueprint.Queues {
		queue := svc.queues[q.Name]
		short := strings.TrimPrefix(q.Name, "loadbay-")
		if svc.isDeadLetterQueue(q.Name) {
			metric := queue.MetricApproximateNumberOfMessagesVisible(statistic("Maximum", minutes(5)))
			if slices.ContainsFunc(svc.blueprint.EventSources, func(s blueprint.EventSource) bool { return s.Queue == q.Name }) {
				metric = queue.MetricNumberOfMessagesReceived(statistic("Sum", minutes(5)))
			}
			alarms = append(alarms, alarm{
				name: "dead-letters-" + short, section: "dead-letters", threshold: 0, periods: 1,
				description: "Messages that could not be processed were moved to " + q.Name + ".",
				metric:      metric, urgent: true,
			})
			continue
		}
		alarms = append(alarms, alarm{
			name: "queue-age-" + short, section: "queue-age", threshold: 900, periods: 3,
			description: "The oldest message in " + q.Name + " has waited more than 15 minutes.",
			metric:      queue.MetricApproximateAgeOfOldestMessage(statistic("Maximum", minutes(5))),
		})
	}
	return alarms
}

func (svc *service) isDeadLetterQueue(queue string) bool {
	for _, q := range svc.blueprint.Queues {
		if q.DeadLetter == queue {
			return true
		}
	}
	for _, e := range svc.blueprint.ObjectEvents {
		if e.DeadLetter == queue {
			return true
		}
	}
	return false
}

func (svc *service) jobAlarms() []alarm {
	failed := svc.endedJobs("FAILED")
	return []alarm{
		{
			name: "failed-jobs", section: "failed-jobs", threshold: 20, periods: 1,
			description: "More than a fifth of the jobs that ended within an hour failed, and at least five.",
			metric: expression("IF(FILL(failed,0)>=5, 100*FILL(failed,0)/(FILL(failed,0)+FILL(completed,0)), 0)", minutes(60),
				map[string]awscloudwatch.IMetric{"failed": failed, "completed": svc.endedJobs("COMPLETED")}),
		},
		{
			name: "stuck-jobs", section: "stuck-jobs", threshold: 0, periods: 2, urgent: true,
			description: "Jobs are stuck.",
			metric:      svc.customMetric(blueprint.MetricStuck, "Sum", minutes(5), nil),
		},
		{
			name: "invariant-violations", section: "invariant-violations", threshold: 0, periods: 1, urgent: true,
			description: "The row counts of a finished job do not match.",
			metric:      svc.customMetric(blueprint.MetricViolations, "Sum", minutes(5), nil),
		},
	}
}

func (svc *service) endedJobs(status string) awscloudwatch.IMetric {
	return svc.customMetric(blueprint.MetricTransitions, "Sum", minutes(60), map[string]string{"to": status})
}

// scheduleAlarms watch functions without callers: a function with a rate must succeed within 15
// minutes, one with a fixed time must not fail. Work that reconcile leaves after an error
// remains due and causes another call, so it must not fail repeatedly.
func (svc *service) scheduleAlarms() []alarm {
	var alarms []alarm
	for _, s := range svc.blueprint.Schedules {
		f := svc.functions[s.Function]
		a := alarm{name: "schedule-" + s.Name, section: "schedule", urgent: true}
		switch {
		case strings.HasPrefix(s.Expression, "rate("):
			a.description, a.threshold, a.periods, a.below, a.alarmOnMissing = s.Function+" has not completed for 15 minutes.", 1, 3, true, true
			a.metric = expression("runs-FILL(errors,0)", minutes(5), map[string]awscloudwatch.IMetric{
				"runs": f.MetricInvocations(statistic("Sum", minutes(5))), "errors": f.MetricErrors(statistic("Sum", minutes(5))),
			})
		case s.Function == blueprint.ReconcileFunction:
			a.description, a.threshold, a.periods = s.Function+" has failed for 15 minutes.", 0, 3
			a.metric = f.MetricErrors(statistic("Sum", minutes(5)))
		default:
			a.description, a.threshold, a.periods = s.Function+" failed.", 0, 1
			a.metric = f.MetricErrors(statistic("Sum", minutes(15)))
		}
		alarms = append(alarms, a)
	}
	return alarms
}

// api5xx is the alarm that rolls back a release of the API.
const api5xx = "api-5xx"

// apiAlarm ignores requests that were refused while a paused database resumed.
func (svc *service) apiAlarm(api awsapigatewayv2.HttpApi) alarm {
	a := alarm{
		name: api5xx, section: "api-5xx", threshold: 1, periods: 1, urgent: true,
		description: "More than 1 % of the API's responses within 5 minutes were 5xx, and at least five.",
	}
	failed, metrics := "FILL(failed,0)", map[string]awscloudwatch.IMetric{"failed": api.MetricServerError(statistic("Sum", minutes(5)))}
	if svc.settings.pauses() {
		failed = "(FILL(failed,0)-FILL(waking,0))"
		metrics["waking"] = svc.customMetric(blueprint.MetricWaking, "Sum", minutes(5), nil)
	}
	if svc.settings.pauses() && !svc.settings.Stage.RetainData {
		// Each metric costs as much as an alarm, and few requests are no reason for a percentage.
		a.description, a.threshold = "At least five of the API's responses within 5 minutes were 5xx.", 4
		a.metric = expression(failed, minutes(5), metrics)
		return a
	}
	metrics["requests"] = api.MetricCount(statistic("Sum", minutes(5)))
	a.metric = expression("IF("+failed+">=5, 100*"+failed+"/requests, 0)", minutes(5), metrics)
	return a
}

func (svc *service) databaseAlarms() []alarm {
	db, stage := svc.data.database.metrics, svc.settings.Stage
	alarms := []alarm{
		{
			name: "database-cpu", section: "database-cpu", threshold: 80, periods: 3,
			description: "The database's CPU was over 80 % busy for 15 minutes.",
			metric:      db.metric("CPUUtilization", "Average", minutes(5)),
		},
		{
			name: "database-connections", section: "database-connections", threshold: 0.8 * float64(stage.MaxConnections), periods: 2,
			description: "Over 80 % of the database's connections were in use for 10 minutes.",
			metric:      db.metric("DatabaseConnections", "Maximum", minutes(5)),
		},
	}
	if svc.settings.Engine == Serverless {
		alarms = append(alarms, alarm{
			name: "database-capacity", section: "database-capacity", threshold: 95, periods: 3,
			description: "The database has used its maximum capacity (ACU) for 15 minutes.",
			metric:      db.metric("ACUUtilization", "Average", minutes(5)),
		})
	}
	if svc.settings.hasInstance() {
		const gib = 1 << 30
		alarms = append(alarms, alarm{
			name: "database-storage", section: "database-storage", threshold: 0.1 * stage.Storage * gib, periods: 3, below: true,
			description: "The database has less free storage than a tenth of its initial size, and has not grown.",
			metric:      db.metric("FreeStorageSpace", "Minimum", minutes(5)),
		})
	}
	return alarms
}
