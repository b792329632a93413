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

// addDashboard draws, from the top: how the jobs fare, whether the work flows,
// how the parts feel, what costs money, and whatever else is measured.
func (svc *service) addDashboard(api awsapigatewayv2.HttpApi, machine awsstepfunctions.StateMachine) {
	awscloudwatch.NewDashboard(svc.Stack, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{
		DashboardName: jsii.String(svc.settings.name("loadbay")),
		Widgets: &[]*[]awscloudwatch.IWidget{
			svc.jobCharts(machine), svc.rowCharts(), svc.queueCharts(), svc.functionCharts(), svc.databaseCharts(), apiCharts(api), svc.costCharts(machine), svc.ownCharts(),
		},
	})
}

// chart is one graph; a row of three fills the dashboard's 24 columns.
func chart(title string, metrics ...awscloudwatch.IMetric) awscloudwatch.IWidget {
	return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: jsii.String(title), Width: jsii.Number(8), Height: jsii.Number(6), Left: &metrics,
	})
}

func row(widgets ...awscloudwatch.IWidget) *[]awscloudwatch.IWidget { return &widgets }

func (svc *service) jobCharts(machine awsstepfunctions.StateMachine) *[]awscloudwatch.IWidget {
	return row(
		chart("Jobs by state entered", svc.search("to", blueprint.MetricTransitions, "Sum", minutes(5))),
		chart("Jobs by type and transition", svc.search("importType,from,to", blueprint.MetricTransitions, "Sum", minutes(5))),
		chart("Waiting, stuck and running jobs",
			// reconcile counts these every minute
			labelled("waiting for a person", svc.ownMetric(blueprint.MetricWaiting, "Sum", minutes(1), nil)),
			labelled("stuck", svc.ownMetric(blueprint.MetricStuck, "Sum", minutes(1), nil)),
			labelled("rows do not add up", svc.ownMetric(blueprint.MetricViolations, "Sum", minutes(5), nil)),
			labelled("executions started", machine.MetricStarted(statistic("Sum", minutes(5)))),
			labelled("executions failed", machine.MetricFailed(statistic("Sum", minutes(5)))),
		),
	)
}

func (svc *service) rowCharts() *[]awscloudwatch.IWidget {
	outcomes := []string{"CREATED", "UPDATED", "UNCHANGED", "SKIPPED", "ERROR"}
	using := map[string]awscloudwatch.IMetric{}
	var filled []string
	for _, outcome := range outcomes {
		id := strings.ToLower(outcome)
		using[id] = svc.ownMetric(blueprint.MetricRows, "Sum", minutes(1), map[string]string{"outcome": outcome})
		filled = append(filled, "FILL("+id+",0)")
	}
	all := strings.Join(filled, "+")
	return row(
		chart("Rows a second", labelledExpression("rows/s", "("+all+")/60", using)),
		chart("Rows in error, %", labelledExpression("errors", "100*FILL(error,0)/("+all+")", using)),
		chart("A chunk, a whole file (ms)",
			labelled("chunk p50", svc.ownMetric(blueprint.MetricChunk, "p50", minutes(5), nil)),
			labelled("chunk p99", svc.ownMetric(blueprint.MetricChunk, "p99", minutes(5), nil)),
			svc.search("importType", blueprint.MetricWholeFile, "p99", minutes(5)),
		),
	)
}

func labelledExpression(label, formula string, using map[string]awscloudwatch.IMetric) awscloudwatch.IMetric {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Label: jsii.String(label), Expression: jsii.String(formula), UsingMetrics: &using, Period: minutes(1),
	})
}

func (svc *service) queueCharts() *[]awscloudwatch.IWidget {
	var depth, age, dead []awscloudwatch.IMetric
	for _, q := range svc.blueprint.Queues {
		queue := svc.queues[q.Name]
		visible := labelled(q.Name, queue.MetricApproximateNumberOfMessagesVisible(statistic("Maximum", minutes(1))))
		if svc.takesDeadLetters(q.Name) {
			dead = append(dead, visible)
			continue
		}
		depth = append(depth, visible, labelled(q.Name+" in flight", queue.MetricApproximateNumberOfMessagesNotVisible(statistic("Maximum", minutes(1)))))
		age = append(age, labelled(q.Name, queue.MetricApproximateAgeOfOldestMessage(statistic("Maximum", minutes(1)))))
	}
	dead = append(dead, labelled("rows given up", svc.ownMetric(blueprint.MetricUndelivered, "Sum", minutes(1), nil)))
	return row(chart("Messages", depth...), chart("Oldest message (s)", age...), chart("Dead letters", dead...))
}

func (svc *service) functionCharts() *[]awscloudwatch.IWidget {
	var errors, duration, busy []awscloudwatch.IMetric
	for _, f := range svc.blueprint.Functions {
		fn := svc.functions[f.Name]
		errors = append(errors, labelled(f.Name, fn.MetricErrors(statistic("Sum", minutes(5)))))
		duration = append(duration, labelled(f.Name, fn.MetricDuration(statistic("p99", minutes(5)))))
		busy = append(busy, labelled(f.Name, fn.Metric(jsii.String("ConcurrentExecutions"), statistic("Maximum", minutes(5)))))
	}
	return row(chart("Function errors", errors...), chart("Function duration p99 (ms)", duration...), chart("Functions at work", busy...))
}

func (svc *service) databaseCharts() *[]awscloudwatch.IWidget {
	db := svc.data.database.metrics
	return row(
		chart("Database CPU (%) and free memory (bytes)",
			db.metric("CPUUtilization", "Average", minutes(1)),
			db.metric("FreeableMemory", "Minimum", minutes(1))),
		chart("Database connections", db.metric("DatabaseConnections", "Maximum", minutes(1))),
		chart("Database load (sessions at work)", db.metric("DBLoad", "Average", minutes(1))),
	)
}

func apiCharts(api awsapigatewayv2.HttpApi) *[]awscloudwatch.IWidget {
	return row(
		chart("API requests", labelled("all", api.MetricCount(statistic("Sum", minutes(5))))),
		chart("API refusals and failures",
			labelled("4xx", api.MetricClientError(statistic("Sum", minutes(5)))),
			labelled("5xx", api.MetricServerError(statistic("Sum", minutes(5))))),
		chart("API latency (ms)",
			labelled("p50", api.MetricLatency(statistic("p50", minutes(5)))),
			labelled("p99", api.MetricLatency(statistic("p99", minutes(5))))),
	)
}

// costCharts count what the bill counts; docs/cost.md has the prices.
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
		sent = append(sent, labelled(q.Name, svc.queues[q.Name].MetricNumberOfMessagesSent(statistic("Sum", minutes(60)))))
	}
	table := svc.data.table
	return row(
		chart("Lambda, GB-seconds an hour", gbSeconds),
		chart("Executions and messages an hour", append(sent, labelled("executions", machine.MetricStarted(statistic("Sum", minutes(60)))))...),
		chart("DynamoDB units an hour",
			labelled("read", table.MetricConsumedReadCapacityUnits(statistic("Sum", minutes(60)))),
			labelled("written", table.MetricConsumedWriteCapacityUnits(statistic("Sum", minutes(60))))),
	)
}

// ownCharts draw every metric of the blueprint under all its dimensions, so that
// none is written for nobody.
func (svc *service) ownCharts() *[]awscloudwatch.IWidget {
	var counts, durations []awscloudwatch.IMetric
	for _, m := range blueprint.Metrics() {
		dimensions := strings.Join(m.Dimensions[0], ",")
		if m.Unit == blueprint.Milliseconds {
			durations = append(durations, svc.search(dimensions, m.Name, "p99", minutes(5)))
		} else {
			counts = append(counts, svc.search(dimensions, m.Name, "Sum", minutes(5)))
		}
	}
	return row(chart("All that is counted", counts...), chart("All that is timed, p99 (ms)", durations...))
}
