package stack

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsstepfunctions"
	"github.com/aws/jsii-runtime-go"
)

// limitAlarms detect refusals by AWS: a quota of the account, or an undersized resource. Work is
// retried for a long time, so it appears slow and not as an error.
func (svc *service) limitAlarms(machine awsstepfunctions.StateMachine) []alarm {
	alarms := []alarm{
		{
			name: "functions-throttled", section: "throttled", threshold: 10, periods: 3,
			description: "Lambda throttled more than 10 invocations in this account within 5 minutes, three times in a row.",
			metric:      awscloudwatch.NewMetric(&awscloudwatch.MetricProps{Namespace: jsii.String("AWS/Lambda"), MetricName: jsii.String("Throttles"), Statistic: jsii.String("Sum"), Period: minutes(5)}),
		},
		{
			name: "executions-throttled", section: "throttled", threshold: 0, periods: 3,
			description: "Step Functions throttled executions for 15 minutes.",
			metric:      machine.MetricThrottled(statistic("Sum", minutes(5))),
		},
		{
			name: "table-throttled", section: "throttled", threshold: 0, periods: 3,
			description: "DynamoDB throttled requests to the table for 15 minutes.",
			metric: expression("FILL(reads,0)+FILL(writes,0)", minutes(5), map[string]awscloudwatch.IMetric{
				"reads":  svc.data.table.Metric(jsii.String("ReadThrottleEvents"), statistic("Sum", minutes(5))),
				"writes": svc.data.table.Metric(jsii.String("WriteThrottleEvents"), statistic("Sum", minutes(5))),
			}),
		},
		{
			name: "executions-unrecorded", section: "an-execution-that-failed", threshold: 0, periods: 1,
			description: "More executions failed or timed out within an hour than jobs ended as FAILED or CANCELLED: some jobs did not record their end.",
			metric: expression("FILL(failed,0)+FILL(timedOut,0)-FILL(jobsFailed,0)-FILL(jobsCancelled,0)", minutes(60), map[string]awscloudwatch.IMetric{
				"failed": machine.MetricFailed(statistic("Sum", minutes(60))), "timedOut": machine.MetricTimedOut(statistic("Sum", minutes(60))),
				"jobsFailed": svc.endedJobs("FAILED"), "jobsCancelled": svc.endedJobs("CANCELLED"),
			}),
		},
	}
	return append(alarms, svc.databaseLimits()...)
}

// databaseLimits are the alarms for the connection pool, if any, and for instances with CPU
// credits.
func (svc *service) databaseLimits() []alarm {
	var alarms []alarm
	db := svc.data.database
	if db.pooled.proxyID != nil {
		alarms = append(alarms, alarm{
			name: "pool-slow", section: "database-connections", threshold: 1e6, periods: 3, // microseconds
			description: "Functions waited more than a second for a connection of the pool, for 15 minutes.",
			metric:      databaseMetrics{dimension: "ProxyName", name: db.pooled.proxyID}.metric("DatabaseConnectionsBorrowLatency", "Average", minutes(5)),
		})
	}
	if svc.settings.hasInstance() && strings.HasPrefix(svc.settings.Stage.InstanceType, "t") {
		alarms = append(alarms, alarm{
			name: "database-credits", section: "database-cpu", threshold: 30, periods: 3, below: true,
			description: "The database has CPU credits for less than 30 minutes of full load.",
			metric:      db.metrics.metric("CPUCreditBalance", "Minimum", minutes(5)),
		})
	}
	return alarms
}
