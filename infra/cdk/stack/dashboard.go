package stack

import (
	"fmt"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsstepfunctions"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// addDashboard draws, from the top: the outcome of jobs, the flow of work, the health of the
// parts, the cost factors, and all other metrics.
func (svc *service) addDashboard(api awsapigatewayv2.HttpApi, machine awsstepfunctions.StateMachine) {
	awscloudwatch.NewDashboard(svc.Stack, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{
		DashboardName: svc.globalName("loadbay"),
		Widgets: &[]*[]awscloudwatch.IWidget{
			svc.jobCharts(machine), svc.rowCharts(), svc.queueCharts(), svc.functionCharts(), svc.databaseCharts(), apiCharts(api), svc.costCharts(machine), svc.customCharts(),
		},
	})
}

// newChart returns one graph; a row of three fills the dashboard's 24 columns.
func newChart(title string, metrics ...awscloudwatch.IMetric) awscloudwatch.IWidget {
	return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: jsii.String(title), Width: jsii.Number(8), Height: jsii.Number(6), Left: &metrics,
	})
}

func chartRow(widgets ...awscloudwatch.IWidget) *[]awscloudwatch.IWidget { return &widgets }

func (svc *service) jobCharts(machine awsstepfunctions.StateMachine) *[]awscloudwatch.IWidget {
	return chartRow(
		newChart("Jobs by state entered", svc.searchMetric("to", blueprint.MetricTransitions, "Sum", minutes(5))),
		newChart("Jobs by type and transition", svc.searchMetric("importType,from,to", blueprint.MetricTransitions, "Sum", minutes(5))),
		newChart("Waiting, stuck and running jobs",
			// reconcile counts these every minute
			labelMetric("waiting for a person", svc.customMetric(blueprint.MetricWaiting, "Sum", minutes(1), nil)),
			labelMetric("stuck", svc.customMetric(blueprint.MetricStuck, "Sum", minutes(1), nil)),
			labelMetric("rows do not add up", svc.customMetric(blueprint.MetricViolations, "Sum", minutes(5), nil)),
			labelMetric("executions started", machine.MetricStarted(statistic("Sum", minutes(5)))),
			labelMetric("executions failed", machine.MetricFailed(statistic("Sum", minutes(5)))),
		),
	)
}

func (svc *service) rowCharts() *[]awscloudwatch.IWidget {
	outcomes := []string{"CREATED", "UPDATED", "UNCHANGED", "SKIPPED", "ERROR"}
	using := map[string]awscloudwatch.IMetric{}
	var filled []string
	for _, outcome := range outcomes {
		id := strings.ToLower(outcome)
		using[id] = svc.customMetric(blueprint.MetricRows, "Sum", minutes(1), map[string]string{"outcome": outcome})
		filled = append(filled, "FILL("+id+",0)")
	}
	all := strings.Join(filled, "+")
	return chartRow(
		newChart("Rows per second", labelExpression("rows/s", "("+all+")/60", using)),
		newChart("Rows in error, %", labelExpression("errors", "100*FILL(error,0)/("+all+")", using)),
		newChart("A chunk, a whole file (ms)",
			labelMetric("chunk p50", svc.customMetric(blueprint.MetricChunk, "p50", minutes(5), nil)),
			labelMetric("chunk p99", svc.customMetric(blueprint.MetricChunk, "p99", minutes(5), nil)),
			svc.searchMetric("importType", blueprint.MetricWholeFile, "p99", minutes(5)),
		),
	)
}

func labelExpression(label, formula string, using map[string]awscloudwatch.IMetric) awscloudwatch.IMetric {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Label: jsii.String(label), Expression: jsii.String(formula), UsingMetrics: &using, Period: minutes(1),
	})
}

func (svc *service) queueCharts() *[]awscloudwatch.IWidget {
	var depth, age, dead []awscloudwatch.IMetric
	for _, q := range svc.blueprint.Queues {
		queue := svc.queues[q.Name]
		visible := labelMetric(q.Name, queue.MetricApproximateNumberOfMessagesVisible(statistic("Maximum", minutes(1))))
		if svc.isDeadLetterQueue(q.Name) {
			dead = append(dead, visible)
			continue
		}
		depth = append(depth, visible, labelMetric(q.Name+" in flight", queue.MetricApproximateNumberOfMessagesNotVisible(statistic("Maximum", minutes(1)))))
		age = append(age, labelMetric(q.Name, queue.MetricApproximateAgeOfOldestMessage(statistic("Maximum", minutes(1)))))
	}
	dead = append(dead, labelMetric("rows given up", svc.customMetric(blueprint.MetricUndelivered, "Sum", minutes(1), nil)))
	return chartRow(newChart("Messages", depth...), newChart("Oldest message (s)", age...), newChart("Dead letters", dead...))
}

func (svc *service) functionCharts() *[]awscloudwatch.IWidget {
	var errors, duration, busy []awscloudwatch.IMetric
	for _, f := range svc.blueprint.Functions {
		fn := svc.functions[f.Name]
		errors = append(errors, labelMetric(f.Name, fn.MetricErrors(statistic("Sum", minutes(5)))))
		duration = append(duration, labelMetric(f.Name, fn.MetricDuration(statistic("p99", minutes(5)))))
		busy = append(busy, labelMetric(f.Name, fn.Metric(jsii.String("ConcurrentExecutions"), statistic("Maximum", minutes(5)))))
	}
	return chartRow(newChart("Function errors", errors...), newChart("Function duration p99 (ms)", duration...), newChart("Functions at work", busy...))
}

func (svc *service) databaseCharts() *[]awscloudwatch.IWidget {
	db := svc.data.database.metrics
	return chartRow(
		newChart("Database CPU (%) and free memory (bytes)",
			db.metric("CPUUtilization", "Average", minutes(1)),
			db.metric("FreeableMemory", "Minimum", minutes(1))),
		newChart("Database connections", db.metric("DatabaseConnections", "Maximum", minutes(1))),
		newChart("Database load (sessions at work)", db.metric("DBLoad", "Average", minutes(1))),
	)
}

func apiCharts(api awsapigatewayv2.HttpApi) *[]awscloudwatch.IWidget {
	return chartRow(
		newChart("API requests", labelMetric("all", api.MetricCount(statistic("Sum", minutes(5))))),
		newChart("API refusals and failures",
			labelMetric("4xx", api.MetricClientError(statistic("Sum", minutes(5)))),
			labelMetric("5xx", api.MetricServerError(statistic("Sum", minutes(5))))),
		newChart("API latency (ms)",
			labelMetric("p50", api.MetricLatency(statistic("p50", minutes(5)))),
			labelMetric("p99", api.MetricLatency(statistic("p99", minutes(5))))),
	)
}

// costCharts show the billed quantities; docs/cost.md has the prices.
func (svc *service) costCharts(machine awsstepfunctions.StateMachine) *[]awscloudwatch.IWidget {
	using := map[string]awscloudwatch.IMetric{}
	var terms []string
	for i, f := range svc.blueprint.Functions {
		id := fmt.Sprintf("d%d", i)
		using[id] = svc.functions[f.Name].MetricDuration(statistic("Sum", minutes(60)))
		terms = append(terms, fmt.Sprintf("FILL(%s,0)*%g", id, float64(f.Memory)/1024/1000))
	}
	gbSeconds := awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Label: jsii.String("GB-seconds"), Expression: jsii.String(strings.Join(terms, "+")), UsingMetrics: &using, Period: minutes(60),
	})
	var sent []awscloudwatch.IMetric
	for _, q := range svc.blueprint.Queues {
		sent = append(sent, labelMetric(q.Name, svc.queues[q.Name].MetricNumberOfMessagesSent(statistic("Sum", minutes(60)))))
	}
	table := svc.data.table
	return chartRow(
		newChart("Lambda, GB-seconds an hour", gbSeconds),
		newChart("Executions and messages an hour", append(sent, labelMetric("executions", machine.MetricStarted(statistic("Sum", minutes(60)))))...),
		newChart("DynamoDB units an hour",
			labelMetric("read", table.MetricConsumedReadCapacityUnits(statistic("Sum", minutes(60)))),
			labelMetric("written", table.MetricConsumedWriteCapacityUnits(statistic("Sum", minutes(60))))),
	)
}

// customCharts draw every metric of the blueprint with all its dimensions, so that each written
// metric is visible.
func (svc *service) customCharts() *[]awscloudwatch.IWidget {
	var counts, durations []awscloudwatch.IMetric
	for _, m := range blueprint.Metrics() {
		dimensions := strings.Join(m.Dimensions[0], ",")
		if m.Unit == blueprint.Milliseconds {
			durations = append(durations, svc.searchMetric(dimensions, m.Name, "p99", minutes(5)))
		} else {
			counts = append(counts, svc.searchMetric(dimensions, m.Name, "Sum", minutes(5)))
		}
	}
	return chartRow(newChart("All that is counted", counts...), newChart("All that is timed, p99 (ms)", durations...))
}
